export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a string as it is; joins a list of text parts, which some servers send; '' for other values. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return asArray(value)
    .map((part) => asText(asObject(part)['text']))
    .join('')
}

/** Returns the arguments of a call as JSON; some servers send an object. */
export function asArguments(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : asText(value)
}

/** Returns an id or a name as text; converts numbers; '' for other values. */
export function asIdText(value: unknown): string {
  return typeof value === 'number' ? String(value) : asText(value).toWellFormed()
}

const maxTokens = 1e12

/** Returns a number or numeric text rounded, at most 1e12; undefined for negative and other values. */
export function asTokenCount(value: unknown): number | undefined {
  const count = asNumber(value)
  return Number.isFinite(count) && count >= 0 ? Math.min(maxTokens, Math.round(count)) : undefined
}

/** Returns a 0-based index, also from numeric text; undefined for other values. */
export function asIndex(value: unknown): number | undefined {
  const index = asNumber(value)
  return Number.isInteger(index) && index >= 0 ? index : undefined
}

function asNumber(value: unknown): number {
  if (typeof value === 'string' && value.trim() !== '') return Number(value)
  return typeof value === 'number' ? value : NaN
}
