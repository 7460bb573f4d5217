import type { JsonSchema } from './setting-rows.ts'

export interface Completion {
  readonly label: string
  readonly insert: string
  /** The default value, or the type. */
  readonly detail: string
}

/**
 * Returns completions for a key or value.
 * @param lines of the file
 * @param line 0-based
 * @param column 0-based
 */
export function completeYaml(schema: JsonSchema, lines: readonly string[], line: number, column: number): Completion[] {
  const before = (lines[line] ?? '').slice(0, column)
  const valueMatch = /^(\s*(?:- )?)([\w.-]+):\s+\S*$/.exec(before)
  if (valueMatch) {
    const key = valueMatch[2] ?? ''
    const parent = schemaAt(schema, pathAbove(lines, line, valueMatch[1]?.length ?? 0))
    return valuesOf(parent?.properties?.[key])
  }
  const keyMatch = /^(\s*(?:- )?)[\w.-]*$/.exec(before)
  if (!keyMatch) return []
  const parent = schemaAt(schema, pathAbove(lines, line, keyMatch[1]?.length ?? 0))
  return Object.entries(parent?.properties ?? {})
    .filter(([, { deprecated }]) => !deprecated)
    .map(([key, inner]) => ({
      label: key,
      insert: inner.properties ? `${key}:\n${' '.repeat((keyMatch[1]?.length ?? 0) + 2)}` : `${key}: `,
      detail: detailOf(inner),
    }))
}

/** Returns the keys above a line of this indentation, outermost first; `[]` stands for a list item. */
function pathAbove(lines: readonly string[], line: number, indent: number): string[] {
  const path: string[] = []
  let limit = indent
  if (/^\s*- /.test(lines[line] ?? '')) {
    path.unshift('[]')
    limit = (lines[line] ?? '').search(/\S/)
  }
  for (let index = line - 1; index >= 0 && limit > 0; index -= 1) {
    const text = lines[index] ?? ''
    if (/^\s*(#|$)/.test(text)) continue
    const item = /^(\s*)- (\s*)/.exec(text)
    const column = item ? (item[1]?.length ?? 0) + 2 + (item[2]?.length ?? 0) : text.search(/\S/)
    const key = /^\s*(?:- +)?([\w./-]+|"[^"]*"):\s*(#.*)?$/.exec(text)?.[1]
    if (column < limit && key !== undefined) {
      path.unshift(key.replaceAll('"', ''))
      limit = column
    }
    if (item && (item[1]?.length ?? 0) < limit) {
      path.unshift('[]')
      limit = item[1]?.length ?? 0
    }
  }
  return path
}

function schemaAt(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  let current: JsonSchema | undefined = schema
  for (const step of path) {
    if (step === '[]') current = current?.items
    else {
      const { properties, additionalProperties } = current ?? {}
      current = properties?.[step] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    }
  }
  return current
}

function valuesOf(schema: JsonSchema | undefined): Completion[] {
  if (!schema) return []
  const values = (schema.anyOf ?? [schema]).flatMap(({ type, enum: options }) => {
    if (options) return [...options]
    return type === 'boolean' ? ['true', 'false'] : type === 'null' ? ['null'] : []
  })
  const fallback = schema.default
  const defaults = ['string', 'number', 'boolean'].includes(typeof fallback) ? [String(fallback)] : []
  return [...new Set([...defaults, ...values])].map((label) => ({
    label,
    insert: label,
    detail: label === String(fallback) ? '=' : '',
  }))
}

function detailOf({ type, enum: options, default: fallback, anyOf }: JsonSchema): string {
  if (fallback !== undefined && typeof fallback !== 'object') return String(fallback)
  if (options) return options.join(' | ')
  return type ?? (anyOf ?? []).flatMap((choice) => choice.type ?? []).join(' | ')
}
