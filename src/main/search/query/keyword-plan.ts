/**
 * Weighs the terms of a query, and estimates the sum of their weights in a good passage (`expectedWeight`). Rare words,
 * names and figures weigh more than common words and fillers. Each further word adds less to `expectedWeight`, so that
 * long questions can reach the scores of short ones. The weight of a word that the memory lacks depends on its role.
 * Pure. The constants are tuned on judged questions (docs/guide/recall.md).
 */
import { type WordRole, roleOfCjk, roleOfStem } from '../text/stop-words.ts'
import type { ParsedQuery, TermVariant } from './parse-query.ts'
import { resolveTerms, shortLength, type KnownTerm, type Vocabulary } from '../keyword/vocabulary.ts'
import type { RelatedWord } from '../embeddings/embedding-provider.ts'
import { stem } from '../text/stem.ts'

/** Factor on a term's rarity (IDF), by its role in the question. */
const knownFactor: Readonly<Record<WordRole, number>> = { function: 1, filler: 0.5, word: 1, name: 2.1, figure: 1.2 }
/**
 * The same for terms that the memory lacks: an unknown name is strong evidence that the memory has no answer, an
 * unknown verb hardly any.
 */
const unknownFactor: Readonly<Record<WordRole, number>> = {
  function: 1,
  filler: 0.35,
  word: 0.6,
  name: 2.8,
  figure: 0.43,
}
/** Lower, because a wrong word boundary also looks like an unknown word. */
const unknownCjkWord = 0.43
/** Single CJK characters occur in many words. */
const knownCjkLetter = 0.57
const unknownCjkLetter = 1.2
/** Short words have many similar spellings: finding a corrected one is weak evidence, but missing it is not. */
const shortSpelling = 0.48

/** Factor per term on its share of `expectedWeight`, in the order of weight. */
const diminishing = 0.66

/** Minimum collection size for IDF: rarity means little in fewer chunks. */
const minDocuments = 600
/** Minimum of the average length, in terms: without it, five lines are a long note among notes of one line. */
const minAverageLength = 117

export interface WeightedTerm extends KnownTerm {
  readonly idf: number
  readonly weight: number
}

export interface KeywordPlan {
  readonly query: ParsedQuery
  readonly terms: readonly WeightedTerm[]
  /** Mean length of a chunk, in terms. */
  readonly averageLength: number
  /** Sum of term weights that one passage is expected to contain. */
  readonly expectedWeight: number
}

export interface CollectionStats {
  readonly chunks: number
  readonly averageLength: number
}

/** @param related returns similar words; without it, terms only match themselves */
export function planKeywords(
  query: ParsedQuery,
  collection: CollectionStats,
  vocabulary: Vocabulary,
  related: RelatedWords = () => [],
): KeywordPlan {
  const size = Math.max(collection.chunks, minDocuments)
  const rarity = (documents: number) => Math.log(1 + (size - documents + 0.5) / (documents + 0.5))
  const askedWeights: number[] = []
  const known = resolveTerms(query.terms, vocabulary).map((term) => expandWithSynonyms(term, vocabulary, related))
  const terms = known.map((term): WeightedTerm => {
    const idf = rarity(term.documents)
    const weight = idf * factorOf(term)
    askedWeights.push(isShortSpelling(term) ? Math.max(weight, rarity(0) * unknownFactor[term.role]) : weight)
    return { ...term, idf, weight }
  })
  const expectedWeight = askedWeights
    .sort((one, other) => other - one)
    .reduce((sum, weight, index) => sum + weight * diminishing ** index, 0)
  return { query, terms, averageLength: Math.max(minAverageLength, collection.averageLength), expectedWeight }
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

/** Returns words similar to a folded word, most similar first. */
type RelatedWords = (word: string) => readonly RelatedWord[]

/** Minimum cosine: below it, words are about the same subject but do not mean the same. */
const minCosine = { word: 0.55, cjk: 0.85 }
/** Weight of an occurrence of a similar word, relative to the word itself: `most · cosine^steepness`. */
const maxSynonymWeight = { word: 0.7, cjk: 0.45 }
const steepness = 3
const maxSynonyms = 8

/** Adds similar words as readings. For a word that the memory lacks, they replace its spelling corrections. */
export function expandWithSynonyms(term: KnownTerm, vocabulary: Vocabulary, related: RelatedWords): KnownTerm {
  const { kind } = term.readings[0] ?? { kind: 'word' }
  if (term.role !== 'word' && term.role !== 'filler') return term
  const ownReadings = term.isRespelt ? [] : term.readings
  const readings: TermVariant[] = []
  const names: string[] = []
  for (const { word, cosine } of related(term.shown)) {
    if (cosine < minCosine[kind] || names.length === maxSynonyms) break
    const reading = readingOf(word, kind, maxSynonymWeight[kind] * cosine ** steepness)
    if (isFunctionWord(reading, word) || [...ownReadings, ...readings].some((other) => other.term === reading.term))
      continue
    if (vocabulary.documents(reading) === 0) continue
    readings.push(reading)
    names.push(word)
  }
  if (readings.length === 0) return term
  const { instead, isRespelt, ...rest } = term
  const documents = Math.max(...[...ownReadings, ...readings].map((reading) => vocabulary.documents(reading)))
  return {
    ...rest,
    ...(instead === undefined || isRespelt ? {} : { instead }),
    readings: [...ownReadings, ...readings],
    documents: term.documents > 0 && !isRespelt ? term.documents : documents,
    alike: names.join(', '),
  }
}

function readingOf(word: string, kind: TermVariant['kind'], weight: number): TermVariant {
  return { kind, term: kind === 'cjk' ? [...word].join(' ') : stem(word), weight }
}

function isFunctionWord({ kind, term }: TermVariant, word: string): boolean {
  return (kind === 'cjk' ? roleOfCjk(word) : roleOfStem(term)) === 'function'
}
