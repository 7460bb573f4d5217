/** As much of EDN (https://github.com/edn-format/edn) as Logseq's settings take: values at the top of one map. Pure. */

/** The words, numbers and lists of words that a key stands before; of the rest, nothing. */
export function ednValue(text: string, key: string): string | readonly string[] | undefined {
  const plain = withoutComments(text)
  const at = new RegExp(`(?:^|[\\s{,]):${RegExp.escape(key)}[\\s,]+`).exec(plain)
  if (!at) return undefined
  const rest = plain.slice(at.index + at[0].length)
  const list = /^[[(]([^\])]*)[\])]/.exec(rest)?.[1]
  if (list !== undefined) return [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, words = '']) => unescaped(words))
  const [, words, name] = /^"((?:[^"\\]|\\.)*)"|^(:?[\w./-]+)/.exec(rest) ?? []
  return words === undefined ? name : unescaped(words)
}

function unescaped(words: string): string {
  return words.replaceAll(/\\(.)/g, '$1')
}

/** `;` begins a comment, but not within words. */
function withoutComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\[^])*"|;[^\n]*/g, (found) => (found.startsWith(';') ? '' : found))
}
