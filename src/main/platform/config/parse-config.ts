import { isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, visit, type Document, type YAMLError } from 'yaml'
import type { z } from 'zod'
import type { ConfigFault, ConfigProblem, ConfigRule } from '#shared/contract/index.ts'
import { isRecord } from '#shared/util/json.ts'
import { rules, configSchema, type Config } from './config-schema.ts'

export interface ValidConfig {
  readonly ok: true
  readonly config: Config
  /** Unknown keys: misspelt, or settings of another version. */
  readonly ignoredKeys: readonly ConfigProblem[]
}

export type ParsedConfig = ValidConfig | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

type Path = readonly (string | number)[]
type FileProblem = Pick<ConfigProblem, 'message' | 'fault'>

const maxProblems = 50
/** Limit of the expansions of an anchor, including nested ones. */
const maxAliases = 100
const maxCharacters = 1_000_000
/** Limit of YAML tokens; a long configuration has 2,000. The parser's check for duplicate keys takes quadratic time. */
const maxTokens = 40_000
/** The most deeply nested setting has seven levels. */
const maxLevels = 40
const tooDeep = { message: `is nested more than ${maxLevels} levels deep`, fault: 'tooDeep' } as const

export function parseConfig(text: string): ParsedConfig {
  if (text.length > maxCharacters)
    return invalidConfig({ message: `is larger than ${maxCharacters} characters`, fault: 'tooLarge' })
  if (new Lexer().lex(text).drop(maxTokens).next().done === false)
    return invalidConfig({ message: 'has too many YAML tokens for a configuration', fault: 'tooLarge' })
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const lineAt = (offset: number) => lineCounter.linePos(offset).line
  if (document.errors.length > 0)
    return withProblems(document.errors.map((error) => ({ line: lineAt(error.pos[0]), ...describeError(error, text) })))
  const raw = toPlainValue(document)
  if (raw.problem !== undefined) return invalidConfig(raw.problem, lineOfAlias(document, lineAt))
  const problemAt = (path: Path, problem: Omit<ConfigProblem, 'key' | 'line'>): ConfigProblem => {
    return { key: path.join('.'), line: lineOf(path, document, lineCounter), ...problem }
  }
  const unknownKey = { message: 'is not a setting and is ignored', fault: 'unknown' } as const
  const ignored = deleteUnknownKeys(raw.value).map((path) => problemAt(path, unknownKey))
  const validated = configSchema.safeParse(withInheritedSettings(raw.value ?? {}))
  if (validated.success) return { ok: true, config: validated.data, ignoredKeys: ignored.slice(0, maxProblems) }
  const { issues } = validated.error
  const ofDefaults = new Set(
    issues.map(pathOf).flatMap(([, part, ...key]) => (part === 'defaults' ? key.join('.') : [])),
  )
  const problems = issues.flatMap((issue) => {
    const path = pathOf(issue)
    // An inherited value is reported once, where it is written.
    const isInherited = path[1] === 'list' && !document.hasIn(path) && ofDefaults.has(path.slice(3).join('.'))
    return isInherited ? [] : problemAt(path, { message: issue.message, ...faultOf(issue) })
  })
  return withProblems([...problems, ...ignored])
}

function withProblems(problems: readonly ConfigProblem[]): ParsedConfig {
  return { ok: false, problems: problems.slice(0, maxProblems) }
}

function deleteUnknownKeys(raw: unknown): (string | number)[][] {
  const issues = configSchema.safeParse(raw).error?.issues ?? []
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return []
    const path = pathOf(issue)
    const owner = path.reduce<unknown>((node, step) => (node as Record<string | number, unknown>)[step], raw)
    return issue.keys.map((key) => {
      if (isRecord(owner)) delete owner[key]
      return [...path, key]
    })
  })
}

function pathOf({ path }: z.core.$ZodIssue): (string | number)[] {
  return path.filter((step) => typeof step !== 'symbol')
}

function invalidConfig(problem: FileProblem, line: number | null = null): ParsedConfig {
  return withProblems([{ key: '', line, ...problem }])
}

/** Limits the expansion of aliases: it can be exponential or cyclic. */
function toPlainValue(document: Document): { value: unknown; problem?: undefined } | { problem: FileProblem } {
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: maxAliases })
  } catch (error) {
    if (error instanceof ReferenceError)
      return { problem: { message: 'expands aliases too often, or has an alias without an anchor', fault: 'aliases' } }
    if (error instanceof RangeError) return { problem: tooDeep }
    throw error
  }
  return isTooDeep(value) ? { problem: tooDeep } : { value }
}

/** Returns true also for a cyclic value. */
function isTooDeep(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1))
}

function lineOfAlias(document: Document, lineAt: (offset: number) => number): number | null {
  let line: number | null = null
  visit(document, {
    Alias: (_key, { range }) => {
      if (range) line = lineAt(range[0])
      return visit.BREAK
    },
  })
  return line
}

function describeError({ code, message, pos: [from] }: YAMLError, text: string): Omit<ConfigProblem, 'line'> {
  if (code !== 'DUPLICATE_KEY') return { key: '', message, fault: 'syntax' }
  const [key = ''] = /^(?:"[^"]*"|[^\s:]+)/.exec(text.slice(from)) ?? []
  return { key, message: 'is defined more than once', fault: 'twice' }
}

/** Completes each agent's entry with `agents.defaults`, before validation. */
function withInheritedSettings(raw: unknown): unknown {
  if (!isRecord(raw) || !isRecord(raw['agents']) || !Array.isArray(raw['agents']['list'])) return raw
  const { defaults = {}, list } = raw['agents']
  if (!isRecord(defaults)) return raw
  return {
    ...raw,
    agents: { ...raw['agents'], list: list.map((entry) => (isRecord(entry) ? mergeSettings(defaults, entry) : entry)) },
  }
}

function mergeSettings(base: Record<string, unknown>, overrides: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base }
  for (const [key, value] of Object.entries(overrides)) {
    const baseValue = result[key]
    result[key] = isRecord(baseValue) && isRecord(value) ? mergeSettings(baseValue, value) : value
  }
  return result
}

/** Returns the code and values of a translated message; empty if the interface has no translation of the issue. */
function faultOf(issue: z.core.$ZodIssue): { fault?: ConfigFault; allowed?: string } {
  const rule = (Object.keys(rules) as ConfigRule[]).find((name) => issue.message === rules[name])
  if (rule) return { fault: rule }
  switch (issue.code) {
    case 'invalid_type':
      return { fault: 'type', allowed: issue.expected }
    case 'too_small':
      return { fault: 'tooSmall', allowed: String(issue.minimum) }
    case 'too_big':
      return { fault: 'tooBig', allowed: String(issue.maximum) }
    case 'invalid_value':
      return { fault: 'choice', allowed: issue.values.map(String).join(', ') }
    case 'invalid_format':
      return issue.format === 'url' ? { fault: 'address' } : {}
    // For a union, returns the fault of the first issue that has a rule.
    case 'invalid_union':
      return (
        issue.errors
          .flat()
          .map(faultOf)
          .find(({ fault }) => fault !== undefined && fault in rules) ?? {}
      )
    default:
      return {}
  }
}

/** Returns the 1-based line of the deepest part of `path` that exists in the file; null if none exists. */
function lineOf(path: Path, document: Document, lineCounter: LineCounter): number | null {
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
