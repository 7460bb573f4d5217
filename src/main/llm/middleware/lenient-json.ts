/** Returns the fields of an object; empty for other values. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a text; joins a list of parts, as some servers send. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return asArray(value)
    .map((part) => asText(asObject(part)['text']))
    .join('')
}

/** Returns an id or a name as text; numbers are converted. */
export function asIdText(value: unknown): string {
  return typeof value === 'number' ? String(value) : asText(value).toWellFormed()
}

const maxTokens = 1e12

/** Returns a whole number of tokens; undefined if the value is none. */
export function asTokenCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof count !== 'number' || !Number.isFinite(count) || count < 0) return undefined
  return Math.min(maxTokens, Math.round(count))
}

/** Returns a 0-based list position; undefined if the value is none. */
export function asIndex(value: unknown): number | undefined {
  const index = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : undefined
}
