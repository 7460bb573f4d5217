import { parseJson } from '#shared/util/json.ts'

const maxCharacters = 300

/** Converts an error body to one line of at most 300 characters. Removes markup and enclosing quotes. */
export function toPlainLine(body: string): string {
  const text = unquoted(body)
    .replace(/<(style|script)\b[^]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= maxCharacters ? text.toWellFormed() : `${text.slice(0, maxCharacters).toWellFormed()}…`
}

function unquoted(body: string): string {
  const value = body.startsWith('"') ? parseJson(body) : undefined
  return typeof value === 'string' ? value : body
}
