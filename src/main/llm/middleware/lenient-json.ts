/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text, or the texts of a list of parts, as some servers send. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((part) => textOf(fieldsOf(part)['text']))
    .join('')
}

/** An id or a name: numbers are written out. */
export function nameOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value).toWellFormed()
}

/** More tokens than this nobody has ever been charged for. */
const maxTokens = 1e12

/** A whole number of tokens; undefined for what is none. */
export function tokensOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof count !== 'number' || !Number.isFinite(count) || count < 0) return undefined
  return Math.min(maxTokens, Math.round(count))
}

/** A position in a list, 0-based. */
export function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : undefined
}
