import { stemmer } from 'stemmer'
import { irregularForms } from './irregular-words.ts'

/**
 * Returns the stem of a folded word: Porter's algorithm for Latin letters, after irregular forms are mapped to their
 * base form. Other words are returned without their apostrophes.
 */
export function stem(word: string): string {
  const cached = stems.get(word)
  if (cached !== undefined) return cached
  const base = word.replace(/'(?:s|d|ll|re|ve|m|t)?$/, '')
  const stemmed = /^[a-z]+$/.test(base) ? stemmer(irregularForms.get(base) ?? base) : base.replaceAll("'", '')
  if (stems.size >= maxCached) stems.clear()
  stems.set(word, stemmed)
  return stemmed
}

/** Caches stems: notes repeat their words, and the stemmer is slower than a lookup. */
const stems = new Map<string, string>()
const maxCached = 40_000
