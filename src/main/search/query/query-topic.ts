/** The part of a query that is searched as words. */
import { queryTerms, type SearchTerm } from './parse-query.ts'
import type { Boost, FilteredQuery } from './filters.ts'

/** Returns the query with its time phrases as plain words. */
export function withoutTimes(query: FilteredQuery): FilteredQuery {
  const conditions = query.conditions.filter(({ kind }) => kind !== 'time')
  return { ...query, topic: query.words, boosts: [], conditions }
}

/**
 * Returns the topic, the dates and the weekdays of a query. Notes contain dates, but no relative times such as
 * `last week`.
 */
export function searchedWords({ topic, boosts }: Pick<FilteredQuery, 'topic' | 'boosts'>): string {
  const isInNotes = ({ kind, text }: Boost) =>
    kind === 'weekday' || (kind === 'date' && queryTerms(text).some(({ role }) => role === 'figure'))
  return [topic, ...boosts.filter(isInNotes).map(({ text }) => text)].join(' ')
}

/** Words that name notes as such: "yesterday's notes" has no topic. */
const generic = new Set(
  'note log diary journal entri memori しま やっ やりま しました やりました やった ありました あった あり まし 笔记 日记 记录 日志 备忘 メモ 日記 메모 일기 기록'.split(
    ' ',
  ),
)

/** @param hasConditions true if filters or times already restrict the units */
export function isTopic({ role, shown, readings }: SearchTerm, hasConditions: boolean): boolean {
  if (role === 'function') return false
  if (!hasConditions) return true
  return role !== 'filler' && role !== 'kind' && !generic.has(shown) && !generic.has(readings[0]?.term ?? '')
}
