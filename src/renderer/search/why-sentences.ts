import i18next, { t } from 'i18next'
import type { Candidate } from '#shared/contract/index.ts'

/** Minimum contribution of a part or feature, in log-odds, for a sentence about it. */
const minContribution = 0.1
/** Minimum part of the cosine for a sentence about a related word. */
const minShare = 0.15
/** Maximum sentences about related words. */
const maxRelated = 2

/** Explains in sentences why a search found a line: its words first, then what surrounds it. */
export function whySentences({ text, vector, parts, superseded }: Candidate): string[] {
  const terms = text?.terms ?? []
  const own = terms.filter(({ instead, alike }) => instead === undefined && !alike)
  const contributions = new Map(
    parts.flatMap(({ features }) => features.map(({ name, contribution }) => [name, contribution] as const)),
  )
  const counts = (...features: string[]) =>
    features.some((feature) => (contributions.get(feature) ?? 0) >= minContribution)
  const ownWords = own.map(({ term }) => t('search.why.word', { word: term }))
  const words = new Intl.ListFormat(i18next.language).format(ownWords)
  const sentences = [
    own.length > 0 && t('search.why.own', { count: own.length, words }),
    ...terms.map(
      ({ term, instead }) =>
        instead !== undefined &&
        t(instead.startsWith(term) ? 'search.why.beginning' : 'search.why.instead', { term, instead }),
    ),
    ...relatedWords(terms, vector).map((related) => t('search.why.related', related)),
    counts('previousWords', 'secondPreviousWords') && t('search.why.above'),
    counts('nextWords') && t('search.why.below'),
    counts('headingWords') && t('search.why.heading'),
    counts('date') && t('search.why.date'),
    superseded && t('search.why.superseded'),
  ].filter((sentence) => typeof sentence === 'string')
  if (sentences.length > 0) return sentences
  return [t(vector ? 'search.why.meaning' : 'search.why.section')]
}

function relatedWords(
  terms: NonNullable<Candidate['text']>['terms'],
  vector: Candidate['vector'],
): { term: string; word: string }[] {
  const matched = new Set(terms.map(({ term }) => term))
  const alike = terms.flatMap(({ term, alike: word }) => (word && word !== term ? [{ term, word }] : []))
  const near = (vector?.terms ?? [])
    .filter(({ term, nearest, share }) => !matched.has(term) && nearest !== term && nearest !== '' && share >= minShare)
    .map(({ term, nearest }) => ({ term, word: nearest }))
  return [...alike, ...near].slice(0, maxRelated)
}
