import { lazy } from './lazy.ts'
import { traditionalPairs } from './traditional-chinese.ts'

const simplified = lazy(() => readPairs(traditionalPairs))
const simplifiedForms = lazy(() => new Set(simplified().values()))

function readPairs(pairs: string): ReadonlyMap<string, string> {
  const letters = pairs.replaceAll('\n', '')
  const found = new Map<string, string>()
  for (let at = 0; at + 1 < letters.length; at += 2) found.set(letters.charAt(at), letters.charAt(at + 1))
  return found
}

/**
 * Returns true for the simplified form of a character. A few such forms are also traditional characters, for another
 * word.
 */
export function isSimplified(letter: string): boolean {
  return simplifiedForms().has(letter) && !simplified().has(letter)
}

/** Replaces traditional characters by simplified ones. The length in UTF-16 units does not change. */
export function simplify(text: string): string {
  return text.replace(/[\u3400-\u9fff]+/g, (run) => {
    const pairs = simplified()
    let folded = ''
    for (const letter of run) folded += pairs.get(letter) ?? letter
    return folded
  })
}
