import { parseJson } from '#shared/util/json.ts'

const maxWords = 300

/** One line of at most 300 characters, without markup or quotes around all of it. */
export function plainWords(words: string): string {
  const text = unquoted(words)
    .replace(/<(style|script)\b[^]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= maxWords ? text.toWellFormed() : `${text.slice(0, maxWords).toWellFormed()}…`
}

/** A body that is one string reaches us as JSON. */
function unquoted(words: string): string {
  const value = words.startsWith('"') ? parseJson(words) : undefined
  return typeof value === 'string' ? value : words
}
