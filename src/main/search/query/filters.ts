/**
 * The filters of the query language: `after:` `before:` `on:` `in:` with a day, month, year or time expression,
 * `path:`, `source:`, `tag:`, `property:value` for a property that some note has, and `-word`. Filters are removed
 * from the query, and the rest is searched. A filter with an invalid value stays in the query as a word and is
 * reported. Pure.
 */
import type { Condition } from '#shared/contract/index.ts'
import { sourceSchema } from '#shared/contract/search.ts'
import { nameKey, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { parsePropertyTest, type PropertyTest } from '#shared/markdown/properties/property-test.ts'
import { formatDay, overlaps, spanOf, type Day, type DaySpan } from '../text/language/dates.ts'
import type { ResultSource } from '../indexing/indexed-file.ts'
import { blankSpans, fold } from '../text/terms.ts'
import { parseTemporalExpressions, type TemporalExpression } from '../text/language/times.ts'

export type Filter = { readonly text: string } & (
  | { readonly kind: 'days'; readonly span: DaySpan }
  | { readonly kind: 'path'; readonly part: string; readonly isNot: boolean }
  | { readonly kind: 'source'; readonly source: ResultSource; readonly isNot: boolean }
  /** Matches notes with the tag or a nested tag. */
  | { readonly kind: 'tag'; readonly key: string; readonly isNot: boolean }
  | { readonly kind: 'property'; readonly name: string; readonly test: PropertyTest; readonly isNot: boolean }
  | { readonly kind: 'word'; readonly word: string }
)

/** A time expression; units about its days get a boost. */
export type Boost = Pick<TemporalExpression, 'kind' | 'text' | keyof DaySpan>

export interface FilteredQuery {
  readonly words: string
  readonly topic: string
  readonly filters: readonly Filter[]
  readonly boosts: readonly Boost[]
  /** All filters and time expressions, including those turned off or not understood, in the order of the query. */
  readonly conditions: readonly Condition[]
}

export interface FilteredUnit {
  readonly path: string
  readonly source: ResultSource
  readonly days: readonly DaySpan[]
  readonly excludedBy: ReadonlySet<string>
  readonly having: ReadonlySet<string>
}

const value = '"[^"]*"|“[^”]*”|「[^」]*」|[^\\s"“「]\\S*'
const keyedPattern = new RegExp(`(?<![^\\s(（])(-?)(after|before|on|in|path|source|tag)[:：](${value})`, 'giu')
/** `status:open`, and Obsidian's notation: `[status:in progress]`, `[status]`. */
const propertyPattern = new RegExp(`(?<![^\\s(（])(-?)([\\p{L}_][\\p{L}\\p{N}_-]*)[:：](${value})`, 'giu')
const bracketedPropertyPattern = /(?<![^\s(（])(-?)\[([\p{L}_][\p{L}\p{N}_. /-]*)(?:[:：]\s*([^\]\n]*))?\]/gu
/** Matches `-word`. One letter after the dash is a command option (`-v`), a digit a negative number. */
const excludable = '\\p{Script=Latin}[\\p{L}\\p{N}][^\\s"]*|[^\\p{Script=Latin}\\p{N}\\p{P}\\p{S}\\s]\\S*'
const excludedWordPattern = new RegExp(`(?<![^\\s(（])[-－]("[^"]+"|“[^”]+”|「[^」]+」|${excludable})`, 'giu')
const quotes = /"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』/g
const trailing = /[,.;!?。，；！？)）]+$/u

const sourceNames: ReadonlyMap<string, ResultSource> = new Map([
  ...sourceSchema.options.map((name) => [name, name] as const),
  ['files', 'memory'],
  ['notes', 'memory'],
  ['chats', 'sessions'],
  ['conversations', 'sessions'],
])

interface Found {
  readonly start: number
  readonly end: number
  readonly condition: Condition
  readonly filter: Filter | undefined
}

/**
 * Separates filters and time expressions from the words of a query.
 * @param disabled texts of conditions that the user turned off
 * @param isProperty returns true if some note has a property of this name
 */
export function parseFilters(
  query: string,
  today: Day,
  disabled: readonly string[] = [],
  isProperty: (name: string) => boolean = () => false,
): FilteredQuery {
  const found = [...keyedFilters(query, today), ...propertyFilters(query, isProperty), ...excludedWords(query)]
    .filter(
      (one, index, all) => !all.slice(0, index).some((other) => other.start <= one.start && one.start < other.end),
    )
    .map((one) => ({ ...one, condition: { ...one.condition, isOff: disabled.includes(one.condition.text) } }))
  const validFilters = found.filter(({ filter }) => filter !== undefined)
  const rest = blankSpans(query, validFilters)
  const times = parseTemporalExpressions(rest, today).map((time) => ({ ...time, isOff: disabled.includes(time.text) }))
  const activeTimes = times.filter(({ isOff }) => !isOff)
  const searchedText = blankSpans(
    rest,
    times.filter(({ isOff }) => isOff),
  )
  const timeConditions = times.map(({ start, end, text, isOff, ...span }) => ({
    start,
    end,
    condition: { kind: 'time' as const, text, isOff, ...bounds(span) },
  }))
  return {
    words: tidy(searchedText),
    topic: tidy(blankSpans(searchedText, activeTimes)),
    filters: validFilters.flatMap(({ filter, condition }) => (filter && !condition.isOff ? filter : [])),
    boosts: activeTimes.map(({ kind, text, first, last }) => ({ kind, text, first, last })),
    conditions: [...found, ...timeConditions]
      .sort((one, other) => one.start - other.start)
      .map(({ condition }) => condition),
  }
}

export function hasConditions({ filters, boosts }: FilteredQuery): boolean {
  return filters.length + boosts.length > 0
}

/** Returns the intersection of all day filters; undefined without any, empty (`first > last`) if they contradict. */
function spanOfFilters(filters: readonly Filter[]): DaySpan | undefined {
  const spans = filters.flatMap((filter) => (filter.kind === 'days' ? filter.span : []))
  if (spans.length === 0) return undefined
  return {
    first: Math.max(...spans.map(({ first }) => first)),
    last: Math.min(...spans.map(({ last }) => last)),
  }
}

export function failedFilters(filters: readonly Filter[], unit: FilteredUnit): string[] {
  const path = fold(unit.path)
  const allowedSources = new Set(
    filters.flatMap((filter) => (filter.kind === 'source' && !filter.isNot ? filter.source : [])),
  )
  const failed = filters.filter((filter) => {
    switch (filter.kind) {
      case 'days':
        return !unit.days.some((days) => overlaps(days, filter.span))
      case 'path':
        return matchesPath(path, filter.part) === filter.isNot
      case 'source':
        return filter.isNot ? unit.source === filter.source : !allowedSources.has(unit.source)
      case 'tag':
      case 'property':
        return unit.having.has(filter.text) === filter.isNot
      case 'word':
        return unit.excludedBy.has(filter.text)
    }
  })
  const span = spanOfFilters(filters)
  // Each day filter matches, but on different days of the unit.
  const matchesSeparately = failed.length === 0 && span && !unit.days.some((days) => overlaps(days, span))
  return (matchesSeparately ? filters.filter(({ kind }) => kind === 'days') : failed).map(({ text }) => text)
}

type Keyed = 'after' | 'before' | 'on' | 'in' | 'path' | 'source' | 'tag'

function keyedFilters(query: string, today: Day): Found[] {
  return outsideQuotes(query, keyedPattern).map(({ index, 0: whole, 1: minus, 2: name = '', 3: given = '' }) => {
    const text = whole.replace(trailing, '')
    const kind = name.toLowerCase() as Keyed
    const filter = filterOf(kind, text, filterValue(given), minus === '-', today)
    return foundAt(index, kind, text, filter)
  })
}

function propertyFilters(query: string, isProperty: (name: string) => boolean): Found[] {
  const inBrackets = outsideQuotes(query, bracketedPropertyPattern).map((found) => ({ found, given: found[3] ?? '*' }))
  const plain = outsideQuotes(query, propertyPattern).map((found) => ({ found, given: found[3] ?? '' }))
  return [...inBrackets, ...plain].flatMap(({ found: { index, 0: whole, 1: minus, 2: name = '' }, given }) => {
    if (!isProperty(name)) return []
    const text = whole.replace(trailing, '')
    const test = parsePropertyTest(whole.endsWith(']') ? unquoted(given) : filterValue(given))
    const filter = test && { kind: 'property' as const, text, name: nameKey(name), test, isNot: minus === '-' }
    return foundAt(index, 'property', text, filter)
  })
}

function filterOf(kind: Keyed, text: string, operand: string, isNot: boolean, today: Day): Filter | undefined {
  if (kind === 'path') return operand === '' ? undefined : { kind, text, part: fold(operand), isNot }
  if (kind === 'tag') {
    const key = tagKey(
      operand
        .replace(/^#/, '')
        .replace(/^\[\[(.*)\]\]$/, '$1')
        .replace(/\/+$/, ''),
    )
    return key === '' ? undefined : { kind, text, key, isNot }
  }
  if (kind === 'source') {
    const source = sourceNames.get(operand.toLowerCase())
    return source && { kind, text, source, isNot }
  }
  const span = isNot ? undefined : spanOfValue(operand, today)
  if (!span) return undefined
  if (kind === 'after') return { kind: 'days', text, span: { first: span.last + 1, last: Infinity } }
  if (kind === 'before') return { kind: 'days', text, span: { first: -Infinity, last: span.first - 1 } }
  return { kind: 'days', text, span }
}

/**
 * Parses a day, month or year (`2024-05-03`, `2024/5`, `2024`), or a time expression (`yesterday`, `"last week"`,
 * `last-week`, `上周`). Returns undefined for other values.
 */
function spanOfValue(text: string, today: Day): DaySpan | undefined {
  const [, ...parts] = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/.exec(text.trim()) ?? []
  const [year, month, day] = parts.map((part) => (part === undefined ? undefined : Number(part)))
  if (year !== undefined) return spanOf(year, month, day)
  const phrase = text.trim().replaceAll(/[-_]/g, ' ')
  const [time] = parseTemporalExpressions(phrase, today)
  return time?.text.length === phrase.length ? { first: time.first, last: time.last } : undefined
}

function excludedWords(query: string): Found[] {
  return outsideQuotes(query, excludedWordPattern).map(({ index, 0: whole, 1: given = '' }) => {
    const text = whole.replace(trailing, '')
    return foundAt(index, 'not', text, { kind: 'word', text, word: unquoted(given).replace(trailing, '') })
  })
}

function foundAt(start: number, kind: Condition['kind'], text: string, filter: Filter | undefined): Found {
  const days = filter?.kind === 'days' ? bounds(filter.span) : { from: null, to: null }
  const condition = { kind, text, isOff: false, ...days, ...(filter ? {} : { isUnread: true }) }
  return { start, end: start + text.length, condition, filter }
}

function outsideQuotes(query: string, pattern: RegExp): RegExpExecArray[] {
  const quoted = Array.from(query.matchAll(quotes), ({ 0: text, index }) => ({ from: index, to: index + text.length }))
  return [...query.matchAll(pattern)].filter(({ index }) => !quoted.some(({ from, to }) => from < index && index < to))
}

/**
 * `*` matches within a name, `**` across folders. Without a star, `part` matches anywhere; if it contains a slash,
 * only from the beginning of a name.
 */
function matchesPath(path: string, part: string): boolean {
  if (!part.includes('*') && !part.includes('/')) return path.includes(part)
  if (!part.includes('*')) return `/${path}`.includes(part.startsWith('/') ? part : `/${part}`)
  const pieces = part.split(/(\*+)/).map((piece) => {
    if (!piece.startsWith('*')) return RegExp.escape(piece)
    return piece === '*' ? '[^/]*' : '.*'
  })
  return new RegExp(`(?:^|/)${pieces.join('')}(?:$|/)`, 'u').test(path)
}

function bounds({ first, last }: DaySpan): Pick<Condition, 'from' | 'to'> {
  return {
    from: Number.isFinite(first) ? formatDay(first) : null,
    to: Number.isFinite(last) ? formatDay(last) : null,
  }
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function unquoted(text: string): string {
  return /^["“「]/.test(text) ? text.slice(1).replace(/["”」]$/, '') : text
}

function filterValue(given: string): string {
  const bare = unquoted(given)
  return bare === given ? given.replace(trailing, '') : bare
}
