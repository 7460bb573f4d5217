/**
 * Finds the newer line on the subject of a result: "We moved the web shop to Bun" for "The web shop runs on Node 20". A
 * logistic regression over the properties of the two lines and of the query, fitted on pairs of changed facts and on
 * pairs that look alike and are both true (`test/recall/changes-en`, `changes-zh`).
 */
import { cached } from '#shared/util/lazy.ts'
import { dot } from '../embeddings/embedding-provider.ts'
import { hasAnyOf } from '../text/language/words.ts'
import { probabilityOf } from '../text/logistic.ts'
import { indexTermsOf } from '../query/parse-query.ts'
import {
  areRepeated,
  coverageOf,
  pairPropertiesOf,
  subjectLineOf,
  subjectTerms,
  type WordMeasures,
} from '../text/same-subject.ts'
import { minMissing, type MissingWord, type SearchedResult } from './missing-words.ts'
import { idfOf, type Lexicon, type WordRelations } from './query-words.ts'
import { withLogits, type RankedUnit } from './rank.ts'
import type { UnitText } from './unit-filters.ts'

/** A line with the place that tells when it was written. */
type DatedUnit = Pick<UnitText, 'path' | 'startLine' | 'text' | 'heading' | 'date'> & {
  /** Day by which a line without a day was written. */
  readonly knownOn?: string | undefined
}

export type NewerLine = NonNullable<ReturnType<typeof findNewerLine>>

const constant = -8.73
const weights = {
  shared: 0.57,
  changed: 2.49,
  closest: 3.13,
  sameKind: 0.31,
  contrast: -1.78,
  newTask: -2.87,
  oldEvent: -0.14,
  oldChange: -0.71,
  /** Reciprocal rank of the newer line among those by cosine with the older one. */
  nearness: 1.96,
  /** Reciprocal rank of the older line among those by cosine with the newer one. */
  oldNearness: 1.52,
  /** Reciprocal rank among the candidates. */
  place: 2.48,
  /** Share of the query in the newer line. */
  covered: 2.32,
  /** Largest probability that the query is about a word that only the newer line has. */
  onlyNew: 1.74,
}
/** Minimum probability for calling the older line outdated, for the first place, and for the second one. */
const minSure = 0.55
const minFirst = 0.45
const minLikely = 0.025
/** The same as `minLikely`, if the best result lacks a word that decides the query. */
const minDoubtful = 0.2
/** The same for the older line, if the question is about the past. */
const minPast = 0.1
/** Share of the largest probability at which a line counts as one of several values of the same fact. */
const minShare = 0.8

/** Number of results that can be the newer line. Compared in full are the first ones, and the nearest ones by meaning. */
const maxCompared = 60
const maxByRank = 6
const maxNearest = 5
const maxOutdated = 4
/** With so many candidates, a rank counts half. */
const fewCandidates = 3

const asksAboutPast =
  hasAnyOf(`used_to back_then at_first initially originally previous(?:ly)? formerly earlier in_the_past before
  以前 当时 之前 原来 原先 当初 过去 早先 曾经 最初 一开始`)

export interface NewerSearch {
  readonly query: string
  readonly lexicon: Lexicon
  readonly relations: WordRelations
  /** @param place among the compared results, from 0 */
  readonly textOf: (id: number, place: number) => DatedUnit
  readonly vectorOf: (id: number) => Float32Array | undefined
  readonly missingIn: (result: SearchedResult) => MissingWord[]
}

/**
 * Finds a newer line on the subject of the first result, or a result that is an older one. A question about the past is
 * about the older one of two lines: if the first result is the newer one, the older line comes first.
 * @param ranked notes, best first
 */
export function findNewerLine(ranked: readonly RankedUnit[], search: NewerSearch) {
  const isPast = asksAboutPast(search.query)
  const bestOf = (withOlder: boolean, among = ranked) => {
    const [best, ...others] = comparisonsOf(among, search, withOlder).sort((a, b) => b.probability - a.probability)
    if (!best || withOlder) return best
    // The newest of several values of a fact is the present one.
    const likely = others.filter(({ probability }) => probability >= minShare * best.probability)
    return likely.reduce((one, other) => (isNewer(other.text, one.text) ? other : one), best)
  }
  const older = isPast ? bestOf(true) : undefined
  if (older && older.probability >= minPast) return { ...older, isOtherFirst: true, isSure: older.isOrderSure }
  const best = bestOf(false)
  if (!best || best.probability < minLikely) {
    // The best result is the newer line: the older one is named beside it.
    const outdated = isPast ? undefined : bestOf(true, ranked.slice(0, maxOutdated))
    const isOutdated = outdated && outdated.probability >= minSure && !outdated.isRepeated && outdated.isOrderSure
    return isOutdated ? { ...outdated, isOtherFirst: false, isSure: true } : undefined
  }
  const isFirst = best.probability >= minFirst
  // A result about something else has no newer line.
  if (best.isDoubtful && best.probability < minDoubtful) return undefined
  return {
    ...best,
    /** True if the other line is the better answer. */
    isOtherFirst: isFirst && !isPast && best.isOrderSure,
    /** True if the newer line surely tells the same fact. */
    isSure: best.probability >= minSure && !best.isRepeated && best.isOrderSure,
  }
}

/** Difference of the logits of two lines on one subject. */
const secondLoss = 0.001

export function placeNewer(ranked: readonly RankedUnit[], { other, isOtherFirst }: NewerLine): RankedUnit[] {
  const logit = (ranked[0]?.logit ?? 0) + (isOtherFirst ? secondLoss : -secondLoss)
  return withLogits(ranked, new Map([[other, logit]]), 'successor')
}

/** Compares the first result with newer candidates. @param isReversed with older ones */
function comparisonsOf(ranked: readonly RankedUnit[], search: NewerSearch, isReversed: boolean) {
  const [first] = ranked
  if (!first || first.features.isDialogue === 1) return []
  const { lexicon, relations, textOf, vectorOf, missingIn } = search
  const countOf = cached((term: string) => lexicon.unitsWith(term).length)
  const idf: WordMeasures['idf'] = ({ readings: [reading] }) =>
    idfOf(reading ? Math.min(...indexTermsOf(reading).map(countOf)) : 0, lexicon)
  const words: WordMeasures = { idf, cosine: relations.cosine }
  const terms = subjectTerms(search.query)
  const compared = ranked.slice(0, maxCompared).filter(({ features }) => features.isDialogue !== 1)
  const [top, ...candidates] = compared.map(({ id }, place) => ({
    id,
    text: textOf(id, place),
    vector: vectorOf(id),
    place,
  }))
  if (!top) return []
  const isBefore = (one: DatedUnit, other: DatedUnit) => (isReversed ? isNewer(one, other) : isNewer(other, one))
  const others = candidates
    .filter(({ text }) => isBefore(top.text, text))
    .map((other) => ({ ...other, cosine: cosineOf(top.vector, other.vector) }))
    .sort((one, other) => other.cosine - one.cosine)
  // Among few lines, a rank says little.
  const trust = candidates.length / (candidates.length + fewCandidates)
  const topLine = subjectLineOf(top.text.text)
  const topMissing = missingIn({ id: top.id, text: top.text.text, isDialogue: false, words: topLine.terms })
  const isDoubtful = topMissing.some(({ probability }) => probability >= minMissing)
  return others.flatMap((other, near) => {
    if (near >= maxNearest && other.place >= maxByRank) return []
    const line = subjectLineOf(other.text.text)
    const [old, newer] = isReversed ? [line, topLine] : [topLine, line]
    const isNearer = ({ id, text, vector }: (typeof candidates)[number]) =>
      id !== other.id && isBefore(text, other.text) && cosineOf(vector, other.vector) > other.cosine
    const missing = missingIn({ id: other.id, text: other.text.text, isDialogue: false, words: line.terms })
    const probability = probabilityOf<typeof weights>(constant, weights, {
      ...pairPropertiesOf(old, newer, words),
      onlyNew: isReversed ? largestOf(missing, topMissing) : largestOf(topMissing, missing),
      covered: coverageOf(terms, newer, words),
      nearness: trust / (1 + near),
      oldNearness: trust / (1 + candidates.filter(isNearer).length),
      place: 1 / (1 + other.place),
    })
    const [olderId, newerId] = isReversed ? [other.id, top.id] : [top.id, other.id]
    const [oldText, newText] = isReversed ? [other.text, top.text] : [top.text, other.text]
    return {
      older: olderId,
      newer: newerId,
      /** The other one of the two lines than the best result. */
      other: other.id,
      text: other.text,
      probability,
      isDoubtful,
      isRepeated: areRepeated(old, newer),
      isOrderSure: oldText.knownOn === undefined || (newText.date ?? '') >= oldText.knownOn,
    }
  })
}

function largestOf(missing: readonly MissingWord[], others: readonly MissingWord[]): number {
  const known = new Set(others.map(({ word }) => word))
  return Math.max(0, ...missing.map(({ word, probability }) => (known.has(word) ? 0 : probability)))
}

/** Returns true if a line was written later. A line without a day is never newer. */
function isNewer(one: DatedUnit, other: DatedUnit): boolean {
  if (one.date === undefined) return false
  if (one.path === other.path)
    return one.date === other.date ? one.startLine > other.startLine : one.date > (other.date ?? '')
  return other.date === undefined || one.date > other.date || (one.date === other.date && timeOf(one) > timeOf(other))
}

function timeOf({ text, heading }: DatedUnit): string {
  const time = /^\s*(?:[-*+]\s+)?(\d{1,2}:\d\d)\b/.exec(text)?.[1] ?? /\b\d{1,2}:\d\d\b/.exec(heading)?.[0] ?? ''
  return time.padStart(5, '0')
}

function cosineOf(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one && other ? dot(one, other) : 0
}
