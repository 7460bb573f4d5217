/** From the text of `config.yaml` to a checked configuration, or to problems that name the key and the line. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import type { z } from 'zod'
import type { ConfigProblem } from '../../shared/contract/index.ts'
import { configSchema, type Config } from './schema.ts'

export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

export function parseConfig(text: string): ParsedConfig {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  if (document.errors.length > 0) {
    return {
      ok: false,
      problems: document.errors.map((error) => ({
        key: '',
        line: lineCounter.linePos(error.pos[0]).line,
        message: error.message,
      })),
    }
  }
  const checked = configSchema.safeParse(withInheritedSettings(document.toJS() ?? {}))
  if (checked.success) return { ok: true, config: checked.data }
  return {
    ok: false,
    problems: checked.error.issues.flatMap((issue) => problemsOf(issue, document, lineCounter)),
  }
}

/** Overlays each agent's entry on `agents.defaults`, before checking, so that an absent key inherits. */
function withInheritedSettings(raw: unknown): unknown {
  if (!isRecord(raw) || !isRecord(raw['agents']) || !Array.isArray(raw['agents']['list'])) return raw
  const { defaults = {}, list } = raw['agents']
  if (!isRecord(defaults)) return raw
  return {
    ...raw,
    agents: { ...raw['agents'], list: list.map((entry) => (isRecord(entry) ? overlay(defaults, entry) : entry)) },
  }
}

function overlay(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const below = result[key]
    result[key] = isRecord(below) && isRecord(value) ? overlay(below, value) : value
  }
  return result
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function problemsOf(issue: z.core.$ZodIssue, document: Document, lineCounter: LineCounter): ConfigProblem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      key: [...path, key].join('.'),
      line: lineOf([...path, key], document, lineCounter),
      message: 'is not a setting',
    }))
  }
  return [{ key: path.join('.'), line: lineOf(path, document, lineCounter), message: issue.message }]
}

/** The line of the deepest part of `path` that stands in the file. */
function lineOf(path: readonly (string | number)[], document: Document, lineCounter: LineCounter): number | null {
  let node: unknown = document.contents
  let offset: number | undefined
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === step)
      if (!pair) break
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step]
      if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range))
        offset = node.range[0]
    } else break
  }
  return offset === undefined ? null : lineCounter.linePos(offset).line
}
