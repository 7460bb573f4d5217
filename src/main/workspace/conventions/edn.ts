/**
 * Reads the part of EDN (https://github.com/edn-format/edn) that Logseq's settings use: values of a single top-level
 * map.
 */

/** Returns a key's string, list of strings, or number or symbol as text; undefined for other values or if missing. */
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

/** `;` starts a comment, except in strings. */
function withoutComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\[^])*"|;[^\n]*/g, (found) => (found.startsWith(';') ? '' : found))
}
