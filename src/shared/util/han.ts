import pairs from 'opencc-js/dict/TSCharacters'
import { lazy } from './lazy.ts'

/** Interchangeable variants that the table lacks. */
const variants = '妳 你|牠 它|祇 只|著 着|薴 苎'

/**
 * Simplified form by traditional character: the first one of OpenCC's table. Index and query only need one common form.
 * Characters outside the basic plane are left out: they would change the length of a text.
 */
const simplified = lazy(() => {
  const entries = `${pairs}|${variants}`.split('|').map((pair) => pair.split(' '))
  return new Map(entries.flatMap(([from = '', to = '']) => (from.length === 1 && to.length === 1 ? [[from, to]] : [])))
})
const simplifiedForms = lazy(() => new Set(simplified().values()))

/** Returns true for a character that only simplified text has: a few simplified forms are traditional characters, too. */
export function isSimplified(letter: string): boolean {
  return simplifiedForms().has(letter) && !simplified().has(letter)
}

/** Replaces traditional characters by simplified ones. The length in UTF-16 units does not change. */
export function simplify(text: string): string {
  const forms = simplified()
  return text.replace(/[\u3400-\u9fff]+/g, (run) => Array.from(run, (letter) => forms.get(letter) ?? letter).join(''))
}
