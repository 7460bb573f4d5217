/**
 * Tokenizer of the built-in model; `vocabulary.py` does the same in training. A word is cut into its longest known
 * prefix and the longest known pieces after it, a run of CJK characters into the longest known words.
 */

export interface TokenTable {
  /** Number of each token. A piece within a word begins with `##`. */
  readonly numbers: ReadonlyMap<string, number>
  /** Maps traditional characters to simplified ones. */
  readonly folds: ReadonlyMap<string, string>
}

const longestWord = 40
const longestCjk = 4
const cjk = '\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af'
const runs = new RegExp(`(?<cjk>[${cjk}]+)|[[\\p{L}\\p{N}]--[${cjk}]]+`, 'gv')

/** Folds a text: lower case, no accents and marks, compatibility forms replaced, traditional characters simplified. */
export function foldText(text: string, folds: TokenTable['folds']): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  let folded = ''
  const unaccented = text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC')
  for (const character of unaccented) folded += folds.get(character) ?? character
  return folded.toLowerCase()
}

/**
 * Calls `onToken` for each token of a folded text, in order, with the UTF-16 offsets of its word (`end` exclusive). A
 * word without any known token has a negative number, made from its hash.
 */
export function forEachToken(
  text: string,
  { numbers }: TokenTable,
  onToken: (token: number, start: number, end: number) => void,
): void {
  for (const { 0: found, groups, index: start } of text.matchAll(runs)) {
    const isWord = groups?.['cjk'] === undefined
    const run = isWord ? found.slice(0, longestWord) : found
    let hasToken = false
    for (let at = 0, next = 0; at < run.length; at = next) {
      const prefix = isWord && at > 0 ? '##' : ''
      next = Math.min(run.length, at + (isWord ? longestWord : longestCjk))
      let token = numbers.get(prefix + run.slice(at, next))
      while (token === undefined && next > at + 1) token = numbers.get(prefix + run.slice(at, (next -= 1)))
      hasToken ||= token !== undefined
      if (!isWord) onToken(token ?? unknownToken(run.slice(at, next)), start + at, start + next)
      else if (token !== undefined) onToken(token, start, start + run.length)
    }
    if (isWord && !hasToken) onToken(unknownToken(run), start, start + run.length)
  }
}

function unknownToken(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return ~((hash >>> 0) >>> 1)
}
