import type { RelatedWord } from '../embeddings/embedding-provider.ts'
import { stem } from '../text/stem.ts'
import { roleOfCjk, roleOfStem } from '../text/stop-words.ts'
import type { Reading } from './parse-query.ts'
import type { KnownTerm, Vocabulary } from '../keyword/vocabulary.ts'

/** Nearest first; of a folded word. */
export type RelatedWords = (word: string) => readonly RelatedWord[]

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
