import {
  findCanonicalForms,
  camelParts,
  cjkRun,
  codePattern,
  fold,
  forEachWord,
  identifier,
  latinTerms,
  withoutKoreanEnding,
  blankSpans,
  wordSegmenter,
  bigramsOf,
} from '../text/terms.ts'
import { findKindWords } from '../text/line-kinds.ts'
import { relatedTerms, tableTermAt } from '../text/related-terms.ts'
import { stem } from '../text/stem.ts'
import { roleOfCjk, roleOfStem, type WordRole } from '../text/stop-words.ts'
import type { Boost, FilteredQuery } from './filters.ts'

export interface TermVariant {
  /** `word` for words of any script, identifiers and canonical forms; `cjk` for runs of CJK characters. */
  readonly kind: 'word' | 'cjk'
  readonly term: string
  readonly weight: number
}

export interface QueryTerm {
  readonly shown: string
  readonly role: WordRole
  readonly readings: readonly TermVariant[]
}

export type Phrase = Omit<TermVariant, 'weight'> & Pick<QueryTerm, 'shown'>

const quoted = /"[^"]+"|“[^”]+”|「[^」]+」|『[^』]+』/g

/** Number of content words beside quotes up to which quotes ask for a phrase. In longer questions, they mark titles. */
const maxBesidePhrases = 2

export function requiredPhrases(query: string): Phrase[] {
  const others = queryTerms(query.replace(quoted, ' ')).filter(({ role }) => role !== 'function')
  if (others.length > maxBesidePhrases) return []
  return Array.from(query.matchAll(quoted), ([text]) => phraseParts(text.slice(1, -1).trim())).flat()
}

function phraseParts(text: string): Phrase[] {
  const folded = fold(text.replaceAll('\n', ' '))
  const latin = latinTerms(folded)
  const parts: Phrase[] = []
  if (latin.length > 0) parts.push({ kind: 'word', term: latin.join(' '), shown: text })
  for (const run of folded.match(cjkRun) ?? []) parts.push({ kind: 'cjk', term: [...run].join(' '), shown: text })
  return parts
}

export function indexTermsOf({ kind, term }: Pick<TermVariant, 'kind' | 'term'>): readonly string[] {
  const parts = term.split(' ')
  return kind === 'cjk' && parts.length > 1 ? bigramsOf(parts) : parts
}

export interface SearchTerm extends Omit<QueryTerm, 'role'> {
  readonly role: WordRole | 'lineKind'
}

export function searchTerms(query: string): SearchTerm[] {
  const composed = query.normalize('NFKC')
  const folded = fold(composed)
  const text = folded.length === composed.length ? composed : folded
  // `POSTGRES_URL` does not answer a question about `REDIS_URL`. "iPhone 15" answers one about `iPhone-15`.
  const codes = Array.from(folded.matchAll(identifier), ({ 0: shown, index: start }) => {
    const [whole = '', ...parts] = latinTerms(shown)
    const terms = parts.length === 2 && !shown.includes('.') ? [whole, parts.join(' ')] : [whole]
    const readings = terms.map((term) => ({ kind: 'word' as const, term, weight: 1 }))
    return { start, end: start + shown.length, shown, role: 'name' as const, readings }
  }).filter(({ shown }) => codePattern.test(shown))
  const words = findKindWords(blankSpans(folded, codes))
  const kinds = words.map(({ start, end, term, isVague }): SearchTerm => {
    const own = isVague ? [] : readingsOf(folded.slice(start, end))
    const readings = [{ kind: 'word' as const, term, weight: 1 }, ...own]
    return { shown: text.slice(start, end).toLowerCase(), role: 'lineKind', readings }
  })
  const distinct = new Map([...kinds, ...codes].map((term) => [term.readings[0]?.term, term])).values()
  // "the API" and "Mom" are words, although they begin with a capital letter.
  const isKnown = ({ role, shown }: QueryTerm) => role === 'name' && relatedTerms(shown).length > 0
  const others = queryTerms(blankSpans(text, [...words, ...codes])).map((term) =>
    isKnown(term) ? { ...term, role: 'content' as const } : term,
  )
  return [...distinct, ...others]
}

export function queryTerms(query: string): QueryTerm[] {
  const terms = new Map<string, QueryTerm>()
  const add = (shown: string, role: WordRole, ...readings: TermVariant[]) => {
    const key = readings[0]?.term ?? ''
    if (key !== '' && !terms.has(key)) terms.set(key, { shown, role, readings })
  }
  const composed = query.normalize('NFKC')
  const folded = fold(composed)
  // If folding changed the length, offsets do not fit the original text.
  const isSameLength = folded.length === composed.length
  const originalText = (start: number, end: number) =>
    (isSameLength ? composed.toLowerCase() : folded).slice(start, end)
  const forms = findCanonicalForms(folded)
  for (const { start, end, searchTerms, replacesLetters } of forms) {
    const shown = folded.slice(start, end)
    const run = replacesLetters ? undefined : shown.match(cjkRun)?.[0]
    add(
      originalText(start, end),
      'figure',
      ...searchTerms.map((term, index): TermVariant => ({ kind: 'word', term, weight: index === 0 ? 1 : 0.5 })),
      ...(run === shown ? [{ kind: 'cjk' as const, term: [...run].join(' '), weight: 1 }] : []),
    )
  }
  const rest = blankSpans(folded, forms)
  const isNamed = (at: number) => isSameLength && beginsName(composed, at)
  forEachWord(
    rest.replace(cjkRun, (run) => ' '.repeat(run.length)),
    (word, isWhole, at) => {
      const term = isWhole ? word : stem(word)
      const plain = roleOfStem(term)
      const role = isWhole || /\d/.test(word) ? 'figure' : plain !== 'function' && isNamed(at) ? 'name' : plain
      add(word, role, { kind: 'word', term, weight: 1 })
    },
  )
  for (const part of camelParts(composed))
    add(part, roleOfStem(stem(part)), { kind: 'word', term: stem(part), weight: 1 })
  for (const { 0: run, index } of rest.matchAll(cjkRun)) {
    for (const { word, at, role } of cjkWords(run)) {
      add(originalText(index + at, index + at + word.length), role, ...cjkReadings(word))
    }
  }
  return [...terms.values()]
}

/**
 * Returns true for a capital letter within a sentence, unless it begins a title such as "Dr.", or the text is all
 * capitals. @param at UTF-16 offset
 */
function beginsName(text: string, at: number): boolean {
  if (!/\p{Lu}/u.test(text[at] ?? '') || /^(?:Dr|Mrs?|Ms|Prof)\b/.test(text.slice(at))) return false
  const before = text.slice(0, at).replace(/\b(Dr|Mrs?|Ms|Prof)\.\s*$/, '$1 ')
  return !/(?:^|[.!?:\n"“「(]\s*)$/.test(before) && /\p{Ll}/u.test(text)
}

/**
 * Cuts a run of CJK characters into words. Consecutive single characters are usually a name that the dictionary lacks,
 * so they form one word; function words between them are dropped.
 */
function cjkWords(run: string) {
  const found: { readonly word: string; readonly at: number; readonly role: WordRole }[] = []
  let singles = ''
  let from = 0
  const flush = () => {
    if (singles !== '') found.push({ word: singles, at: from, role: roleOfCjk(singles) })
    singles = ''
  }
  for (const { segment, index } of segmentsOf(run)) {
    const role = roleOfCjk(segment)
    const word = role === 'content' ? segment.replace(/^(\p{Script=Han}+)\p{Script=Hiragana}+$/u, '$1') : segment
    const wordRole = role === 'content' ? roleOfCjk(word) : role
    if (wordRole !== 'function' && [...word].length === 1 && /\p{Script=Han}/u.test(word)) {
      if (singles === '') from = index
      singles += word
      // The removed ending separates this word from the next.
      if (word !== segment) flush()
    } else {
      flush()
      found.push({ word, at: index, role: wordRole })
    }
  }
  flush()
  // A query of function words only is searched for as a whole.
  return found.some(({ role }) => role !== 'function') ? found : [{ word: run, at: 0, role: 'function' as const }]
}

function readingsOf(folded: string): TermVariant[] {
  if (/\p{Script=Han}/u.test(folded)) return cjkReadings(folded)
  return folded.includes(' ') ? [] : [{ kind: 'word', term: stem(folded), weight: 1 }]
}

/** Cuts a run into words, and words of the tables that the segmenter's dictionary lacks: it cuts 数据库 into 数据 and 库. */
function* segmentsOf(run: string, from = 0): Generator<{ segment: string; index: number }> {
  for (const { segment, index } of wordSegmenter().segment(run.slice(from))) {
    const at = from + index
    const term = tableTermAt(run, at)
    if (term !== undefined && term.length > segment.length) {
      yield { segment: term, index: at }
      yield* segmentsOf(run, at + term.length)
      return
    }
    yield { segment, index: at }
  }
}

function cjkReadings(word: string): TermVariant[] {
  const readings: TermVariant[] = []
  if (/^\p{Script=Hangul}+$/u.test(word)) {
    readings.push({ kind: 'word', term: word, weight: 1 })
    const bare = withoutKoreanEnding(word)
    if (bare !== word) readings.unshift({ kind: 'word', term: bare, weight: 1 })
  }
  const letters = [...word]
  if (readings.length === 0 || letters.length > 1) readings.push({ kind: 'cjk', term: letters.join(' '), weight: 1 })
  return readings
}

export function withoutTimes(query: FilteredQuery): FilteredQuery {
  const conditions = query.conditions.filter(({ kind }) => kind !== 'time')
  return { ...query, topic: query.words, boosts: [], conditions }
}

/** Returns topic, dates and weekdays of a query. Notes contain dates, but no relative times such as `last week`. */
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

export function isTopic({ role, shown, readings }: SearchTerm, hasConditions: boolean): boolean {
  if (role === 'function') return false
  if (!hasConditions) return true
  return role !== 'filler' && role !== 'lineKind' && !generic.has(shown) && !generic.has(readings[0]?.term ?? '')
}
