import { parseJson } from '#shared/util/json.ts'

const maxCharacters = 300

/** Converts an error body to one line of at most 300 characters. Removes markup and enclosing quotes. */
export function toPlainLine(body: string): string {
  const parsed = body.startsWith('"') ? parseJson(body) : undefined
  const text = (typeof parsed === 'string' ? parsed : body)
    .replace(/<(style|script)\b[^]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= maxCharacters ? text.toWellFormed() : `${text.slice(0, maxCharacters).toWellFormed()}…`
}
