/**
 * Reads the part of EDN (https://github.com/edn-format/edn) that Logseq's settings use: values of a single top-level
 * map.
 */

/** Returns the string or list of strings of a key, or its number or symbol as text; undefined for other values. */
export function ednValue(text: string, key: string): string | readonly string[] | undefined {
  const content = withoutComments(text)
  const keyMatch = new RegExp(`(?:^|[\\s{,]):${RegExp.escape(key)}[\\s,]+`).exec(content)
  if (!keyMatch) return undefined
  const value = content.slice(keyMatch.index + keyMatch[0].length)
  const list = /^[[(]([^\])]*)[\])]/.exec(value)?.[1]
  if (list !== undefined) return [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => unescape(quoted))
  const [, quoted, symbol] = /^"((?:[^"\\]|\\.)*)"|^(:?[\w./-]+)/.exec(value) ?? []
  return quoted === undefined ? symbol : unescape(quoted)
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, '$1')
}

/** Removes comments, which start with `;` outside strings. */
function withoutComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\[^])*"|;[^\n]*/g, (token) => (token.startsWith(';') ? '' : token))
}
