/**
 * What a query asks for, weighed: how much each of its words would tell if it were found, and how much of all that one
 * passage can be expected to have. Which words carry a question decides, not how many there are: rare ones over common
 * ones, names and figures over words, words over the filler that questions are made of; each further word adds less to
 * what must be there, so that a long question is not asked for more than a short one; and a word that memory lacks counts
 * as what its absence tells. Pure. The constants are tuned on judged questions (docs/guide/recall.md).
 */
import { type Role, roleOfCjk, roleOfStem } from '../text/stop-words.ts'
import type { ParsedQuery, Reading } from './parse-query.ts'
import { resolveTerms, shortLength, type KnownTerm, type Vocabulary } from '../keyword/vocabulary.ts'
import type { RelatedWord } from '../embeddings/embedding-provider.ts'
import { stem } from '../text/stem.ts'

/** What a word tells by what it does in the question, as a factor on its rarity. */
const knownFactor: Readonly<Record<Role, number>> = { function: 1, filler: 0.5, word: 1, name: 2.1, figure: 1.2 }
/** The same for one that memory lacks: an unknown name tells that it is not about this, an unknown verb hardly anything. */
const unknownFactor: Readonly<Record<Role, number>> = { function: 1, filler: 0.35, word: 0.6, name: 2.8, figure: 0.43 }
/** CJK words are cut from a run by a dictionary, and a wrong cut is unknown as well. */
const unknownCjkWord = 0.43
/** One CJK character is part of many words. */
const knownCjkLetter = 0.57
const unknownCjkLetter = 1.2
/** A short word has many neighbours: what is read for it says little, and its absence as much as that of any other. */
const shortSpelling = 0.48

/** Each further word, from the weightiest on, adds this share of the one before to what is asked for. */
const diminishing = 0.66

/** Below this many chunks a term's rarity is no evidence yet; the collection counts as this large. */
const minDocuments = 600
/** In terms: a note of five lines is not long because the others have one. */
const minAverageLength = 117

export interface PlannedTerm extends KnownTerm {
  readonly idf: number
  /** What the term counts where it is found. */
  readonly weight: number
}

export interface KeywordPlan {
  readonly query: ParsedQuery
  readonly terms: readonly PlannedTerm[]
  /** Mean length of a chunk, in terms. */
  readonly averageLength: number
  /** What the query asks for, in the terms' weights. */
  readonly reach: number
}

export interface CollectionFigures {
  readonly chunks: number
  readonly averageLength: number
}

/** @param related what else means something like a word; without it words stand for themselves */
export function planKeywords(
  query: ParsedQuery,
  collection: CollectionFigures,
  vocabulary: Vocabulary,
  related: RelatedWords = () => [],
): KeywordPlan {
  const size = Math.max(collection.chunks, minDocuments)
  const rarity = (documents: number) => Math.log(1 + (size - documents + 0.5) / (documents + 0.5))
  const asked: number[] = []
  const known = resolveTerms(query.terms, vocabulary).map((term) => withRelated(term, vocabulary, related))
  const terms = known.map((term): PlannedTerm => {
    const idf = rarity(term.documents)
    const weight = idf * factorOf(term)
    asked.push(isShortSpelling(term) ? Math.max(weight, rarity(0) * unknownFactor[term.role]) : weight)
    return { ...term, idf, weight }
  })
  const reach = asked
    .sort((one, other) => other - one)
    .reduce((sum, weight, index) => sum + weight * diminishing ** index, 0)
  return { query, terms, averageLength: Math.max(minAverageLength, collection.averageLength), reach }
}

function factorOf(term: KnownTerm): number {
  const { role, shown, documents } = term
  const isKnown = documents > 0
  if (isShortSpelling(term)) return Math.min(1, knownFactor[role]) * shortSpelling
  if (role === 'function' || !isCjk(shown)) return (isKnown ? knownFactor : unknownFactor)[role]
  const factor = isKnown ? knownFactor[role] : role === 'word' ? unknownCjkWord : unknownFactor[role]
  if ([...shown].length > 1) return factor
  return factor * (isKnown ? knownCjkLetter : unknownCjkLetter)
}

function isShortSpelling({ isRespelt, shown }: KnownTerm): boolean {
  return isRespelt === true && shown.length < shortLength
}

function isCjk(word: string): boolean {
  return /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(word)
}

/** Nearest first; of a folded word. */
type RelatedWords = (word: string) => readonly RelatedWord[]

/** Words further away than this are about the same things, and say something else. */
const leastCosine = { word: 0.55, cjk: 0.85 }
/** What an occurrence counts, against one of the word itself: `most · cosine^steepness`. */
const most = { word: 0.7, cjk: 0.45 }
const steepness = 3
const mostWords = 8

/** A word that memory lacks is read as the words that mean the same, before other spellings are tried. */
export function withRelated(term: KnownTerm, vocabulary: Vocabulary, related: RelatedWords): KnownTerm {
  const { kind } = term.readings[0] ?? { kind: 'word' }
  if (term.role !== 'word' && term.role !== 'filler') return term
  const own = term.isRespelt ? [] : term.readings
  const readings: Reading[] = []
  const names: string[] = []
  for (const { word, cosine } of related(term.shown)) {
    if (cosine < leastCosine[kind] || names.length === mostWords) break
    const reading = readingOf(word, kind, most[kind] * cosine ** steepness)
    if (isFunction(reading, word) || [...own, ...readings].some((other) => other.term === reading.term)) continue
    if (vocabulary.documents(reading) === 0) continue
    readings.push(reading)
    names.push(word)
  }
  if (readings.length === 0) return term
  const { instead, isRespelt, ...rest } = term
  const documents = Math.max(...[...own, ...readings].map((reading) => vocabulary.documents(reading)))
  return {
    ...rest,
    ...(instead === undefined || isRespelt ? {} : { instead }),
    readings: [...own, ...readings],
    documents: term.documents > 0 && !isRespelt ? term.documents : documents,
    alike: names.join(', '),
  }
}

function readingOf(word: string, kind: Reading['kind'], weight: number): Reading {
  return { kind, term: kind === 'cjk' ? [...word].join(' ') : stem(word), weight }
}

function isFunction({ kind, term }: Reading, word: string): boolean {
  return (kind === 'cjk' ? roleOfCjk(word) : roleOfStem(term)) === 'function'
}
