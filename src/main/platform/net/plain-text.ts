import { parseJson } from '#shared/util/json.ts'

const maxWords = 300

/** Converts an error body to one line of at most 300 characters, without markup and enclosing quotes. */
export function toPlainLine(words: string): string {
  const text = unquoted(words)
    .replace(/<(style|script)\b[^]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= maxWords ? text.toWellFormed() : `${text.slice(0, maxWords).toWellFormed()}…`
}

function unquoted(words: string): string {
  const value = words.startsWith('"') ? parseJson(words) : undefined
  return typeof value === 'string' ? value : words
}
