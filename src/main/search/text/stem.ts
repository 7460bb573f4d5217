import { stemmer } from 'stemmer'
import { irregularForms } from './irregular-words.ts'

/** Of a folded word; what is no word of Latin letters is its own stem. */
export function stem(word: string): string {
  const cached = stems.get(word)
  if (cached !== undefined) return cached
  const base = word.replace(/'(?:s|d|ll|re|ve|m|t)?$/, '')
  const stemmed = /^[a-z]+$/.test(base) ? stemmer(irregularForms.get(base) ?? base) : base.replaceAll("'", '')
  if (stems.size >= maxCached) stems.clear()
  stems.set(word, stemmed)
  return stemmed
}

/** Natural text repeats its words; the stemmer costs more than a look-up. */
const stems = new Map<string, string>()
const maxCached = 40_000
