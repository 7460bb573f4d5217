import { isAbsolute, relative } from 'node:path'
import { isRecord } from '#shared/util/json.ts'

/**
 * Converts arguments as small models send them: numbers and truth values as text, null for an optional argument, numbers
 * beyond their limits, and an absolute path inside the workspace.
 * @param schema JSON Schema of the arguments
 * @param workspace absolute path
 */
export function lenientArguments(
  schema: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
  workspace: string,
): Record<string, unknown> {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const entries = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    const property = properties[name]
    if (value === null && !required.includes(name)) return []
    return [[name, isRecord(property) ? convert(property, value, name, workspace) : value]]
  })
  return Object.fromEntries(entries)
}

function convert(property: Record<string, unknown>, value: unknown, name: string, workspace: string): unknown {
  const { type, minimum, maximum } = property
  if (type === 'boolean' && typeof value === 'string' && /^\s*(?:true|false)\s*$/i.test(value))
    return value.trim().toLowerCase() === 'true'
  if (type === 'integer' || type === 'number') {
    const text = typeof value === 'string' ? value.trim() : ''
    const number = text === '' ? value : Number(text)
    if (typeof number !== 'number' || !Number.isFinite(number)) return value
    const whole = type === 'integer' ? Math.round(number) : number
    const least = typeof minimum === 'number' ? minimum : -Infinity
    return Math.min(typeof maximum === 'number' ? maximum : Infinity, Math.max(least, whole))
  }
  return name === 'path' && typeof value === 'string' ? workspacePath(value, workspace) : value
}

/** Returns an absolute path inside the workspace as a relative one; other paths as they are. */
export function workspacePath(path: string, workspace: string): string {
  if (!isAbsolute(path)) return path
  const inside = relative(workspace, path)
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside.replaceAll('\\', '/')
}
