import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { formatLines, parseLines } from '#lib/router/paths.ts'
import { usePlaceNames } from '../markdown/citations/place-name.ts'

interface ScoreBreakdownProps {
  readonly agent: string
  readonly candidate: Candidate
  readonly scale: Explanation['vectorScale']
}

/** Shows how the score was computed. */
export function ScoreBreakdown({ agent, candidate, scale }: ScoreBreakdownProps) {
  const { t } = useTranslation()
  const { placeName } = usePlaceNames(agent)
  const placeOf = (place: string) => {
    const lines = parseLines(place)
    return lines ? placeName(lines) : place
  }
  const { vector, text, lift, modifiers, question, score } = candidate
  const [vectorPart = 0, textPart = 0, liftPart = 0] = roundToSum(
    [vector?.contribution ?? 0, text?.contribution ?? 0, lift],
    digits,
  )
  const meaningShares = roundToSum(vector?.terms?.map(({ share }) => share) ?? [], digits)
  const meaningTerms = (vector?.terms ?? []).map((term, index) => ({ ...term, share: meaningShares[index] ?? 0 }))
  const keywordShares = roundToSum(text?.terms.map(({ share }) => share) ?? [], digits)
  return (
    <dl className="tabular grid grid-cols-[fit-content(9rem)_minmax(0,1fr)] gap-x-5 gap-y-1 pr-4 text-[12px] max-sm:grid-cols-1 max-sm:[&_dd]:pl-3">
      {vector && (
        <>
          <dt className="text-muted">{t('search.vector')}</dt>
          <dd>
            {t('search.vectorAccount', { raw: toFixed(vector.raw), rank: vector.rank, score: toFixed(vector.score) })} →{' '}
            <output data-part="vector">{toFixed(vectorPart)}</output>
            <p className="text-muted">
              {t('search.passageAccount', {
                lines: formatLines({ path: candidate.path, startLine: vector.startLine, endLine: vector.endLine }),
              })}
              {scale &&
                ` ${t('search.scaleAccount', { background: toFixed(scale.background), threshold: toFixed(scale.threshold) })}`}
            </p>
            {meaningTerms.length > 0 && (
              <ul className="flex flex-wrap gap-x-4 text-muted" aria-label={t('search.meantBy')}>
                {meaningTerms.map(({ term, nearest, share }) => (
                  <li key={term}>
                    {formatSimilar(term, nearest)} <output data-part="meant">{toFixed(share)}</output>
                  </li>
                ))}
              </ul>
            )}
          </dd>
        </>
      )}
      {text && (
        <>
          <dt className="text-muted">{t('search.keyword')}</dt>
          <dd>
            {t('search.keywordAccount', {
              raw: toFixed(text.raw),
              rank: text.rank,
              share: toFixed(text.share),
              score: toFixed(text.score),
            })}{' '}
            → <output data-part="keyword">{toFixed(textPart)}</output>
            {text.terms.length > 0 && (
              <ul className="flex flex-wrap gap-x-4 text-muted">
                {text.terms.map((term, index) => (
                  <li key={term.term}>
                    {formatTerm(term)} <output data-part="share">{toFixed(keywordShares[index] ?? 0)}</output>
                  </li>
                ))}
              </ul>
            )}
          </dd>
        </>
      )}
      {lift > 0 && (
        <>
          <dt className="text-muted">{t('search.lift')}</dt>
          <dd>
            + <output data-part="lift">{toFixed(liftPart)}</output>{' '}
            <span className="text-muted">{t('search.liftHint')}</span>
          </dd>
        </>
      )}
      {question !== undefined && (
        <>
          <dt className="text-muted">{t('search.question')}</dt>
          <dd className="line-through">{question}</dd>
        </>
      )}
      {modifiers.map(({ name, factor, of }) => (
        <Fragment key={name}>
          <dt className="text-muted">{t(`search.modifier.${name}`, { of: placeOf(of ?? '') })}</dt>
          <dd>
            × <output data-part="factor">{toFixed(factor)}</output>
          </dd>
        </Fragment>
      ))}
      <dt className="text-muted">{t('search.final')}</dt>
      <dd className="font-semibold">
        <output data-part="score">{toFixed(score)}</output>
      </dd>
    </dl>
  )
}

const digits = 4

function toFixed(value: number): string {
  return value.toFixed(digits)
}

interface NamedTerm {
  readonly term: string
  readonly instead?: string | undefined
  readonly alike?: string | undefined
}

/** Formats a query term, its replacement if the memory lacks the term, and a similar term. */
export function formatTerm({ term, instead, alike }: NamedTerm): string {
  return formatSimilar(instead === undefined ? term : `${term} → ${instead}`, alike)
}

function formatSimilar(term: string, alike: string | undefined): string {
  return alike === undefined || alike === '' || alike === term ? term : `${term} ≈ ${alike}`
}
