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

/** Endings of English words; two words with a common beginning and two of these endings may be forms of one word. */
const endings = new Set(
  ` e s es ed d ing y ies ic ical ically al ial ally ion ions tion ation ations ition sion ment ments er ers or ors ar
  ist ists ism ity ness ful less ly able ible ive ous ious ance ence ant ent ency ancy ary ery ry ure ture ize ise ized
  izing izes ify ified ification th de des ded ding sive t ts ve ves pt ption be te ted ting tes ctive ct ction ctor ge
  age ied ier iest hood ship dom rence ring red ned ning ner n en ened ce cy ces ician ics ia ss ssion ian als`.split(
    /[ \n]+/,
  ),
)
const minCommon = 3
/** Letters of the common beginning that may belong to an ending: `decide` and `decision` end in -de and -sion. */
const maxShared = 2

/** Returns true if two folded words may be forms of one word: allergy, allergic. Only a meaning can confirm it. */
export function areDerived(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  let common = 0
  while (common < shorter && one[common] === other[common]) common += 1
  const least = Math.max(minCommon, shorter / 2)
  for (let at = common; at >= least && at >= common - maxShared; at -= 1)
    if (endings.has(one.slice(at)) && endings.has(other.slice(at))) return true
  return false
}
