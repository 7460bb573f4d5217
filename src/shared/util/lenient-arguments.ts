import { isRecord } from './json.ts'

/**
 * Converts arguments as small models and other programs send them: numbers and truth values as text, and null for an
 * optional argument.
 * @param schema JSON Schema of the arguments
 * @param isLimited true to replace numbers beyond their limits by the limits
 */
export function lenientArguments(
  schema: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
  isLimited = false,
): Record<string, unknown> {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const entries = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    const property = properties[name]
    if (value === null && !required.includes(name)) return []
    return [[name, isRecord(property) ? convert(property, value, isLimited) : value]]
  })
  return Object.fromEntries(entries)
}

function convert({ type, minimum, maximum }: Record<string, unknown>, value: unknown, isLimited: boolean): unknown {
  if (type === 'boolean' && typeof value === 'string' && /^\s*(?:true|false)\s*$/i.test(value))
    return value.trim().toLowerCase() === 'true'
  if (type !== 'integer' && type !== 'number') return value
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return value
  if (!isLimited) return number
  const whole = type === 'integer' ? Math.round(number) : number
  return Math.min(Number(maximum ?? Infinity), Math.max(Number(minimum ?? -Infinity), whole))
}
