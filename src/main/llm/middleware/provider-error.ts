/**
 * Reads what servers say of a failure. Hardly two write it alike: `{error: {message, type, code}}`, `{error: "…"}`,
 * `{detail}`, a list of one, a status as a number in `code`, the words of somebody further up as JSON in a string. Pure.
 */
import { isRecord, parseJson } from '#shared/util/json.ts'
import { fieldsOf, nameOf } from './lenient-json.ts'

export interface ToldError {
  /** HTTP status, as the answer had it or as the text names it; undefined where neither does. */
  readonly status: number | undefined
  /** The provider's own names for the failure, such as `overloaded_error` or `insufficient_quota`; several in a row. */
  readonly kind: string
  /** In plain words. */
  readonly message: string
}

/**
 * @param body what was sent, parsed
 * @param status of the answer, where it was not 200
 * @param message used where the body has no words
 */
export function readError(body: unknown, status: number | undefined, message: string): ToldError {
  const outer = fieldsOf(Array.isArray(body) ? body[0] : body)
  const inner = fieldsOf(outer['error'])
  const fields = Object.keys(inner).length > 0 ? inner : outer
  const further = upstream(fieldsOf(fields['metadata'])['raw'])
  const names = [fields['code'], fields['type'], fields['status']].map(nameOf)
  const told = status ?? names.map(Number).find((number) => number >= 400 && number < 600)
  const words = further?.message ?? wordsOf(fields) ?? (typeof body === 'string' ? body : undefined)
  const kinds = [...names, further?.kind ?? ''].filter((name) => name !== '' && !/^(\d+|error)$/.test(name))
  return {
    status: told,
    // Whoever says something has not just gone away.
    kind: kinds.length > 0 || words === undefined ? kinds.join(' ') : unnamed,
    message: words ?? withoutStatus(message),
  }
}

const unnamed = 'unnamed'

/** Kind of what came in the place of an answer: words of a proxy, a page. */
export const noAnswer = 'no_answer'

function wordsOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['message', 'error', 'detail', 'error_description']) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value
    if (isRecord(value) || Array.isArray(value)) return JSON.stringify(value)
  }
  return undefined
}

/** A router passes on what the provider behind it said, as text. */
function upstream(raw: unknown): ToldError | undefined {
  if (typeof raw !== 'string' || raw.trim() === '') return undefined
  const sent = parseJson(raw)
  return isRecord(sent) || Array.isArray(sent)
    ? readError(sent, undefined, raw)
    : { status: undefined, kind: '', message: raw }
}

/** Clients put the status before the text. */
function withoutStatus(message: string): string {
  return message.replace(/^\d{3} (status code \(no body\)$)?/, '')
}
