import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { formatLines, parseLines } from '#lib/router/paths.ts'
import { usePlaceNames } from '../markdown/citations/place-name.ts'

interface AccountProps {
  readonly agent: string
  readonly candidate: Candidate
  readonly scale: Explanation['vectorScale']
}

/** Shows how the score was computed. */
export function ScoreBreakdown({ agent, candidate, scale }: AccountProps) {
  const { t } = useTranslation()
  const { placeName } = usePlaceNames(agent)
  const placeOf = (of: string) => {
    const lines = parseLines(of)
    return lines ? placeName(lines) : of
  }
  const { vector, text, lift, modifiers, question, score } = candidate
  const [vectorPart = 0, textPart = 0, lifted = 0] = roundToSum(
    [vector?.contribution ?? 0, text?.contribution ?? 0, lift],
    digits,
  )
  const meantShares = roundToSum(vector?.terms?.map(({ share }) => share) ?? [], digits)
  const meant = (vector?.terms ?? []).map((one, index) => ({ ...one, share: meantShares[index] ?? 0 }))
  const shares = roundToSum(text?.terms.map(({ share }) => share) ?? [], digits)
  return (
    <dl className="tabular grid grid-cols-[fit-content(9rem)_minmax(0,1fr)] gap-x-5 gap-y-1 pr-4 text-[12px] max-sm:grid-cols-1 max-sm:[&_dd]:pl-3">
      {vector && (
        <>
          <dt className="text-muted">{t('search.vector')}</dt>
          <dd>
            {t('search.vectorAccount', { raw: precise(vector.raw), rank: vector.rank, score: precise(vector.score) })} →{' '}
            <output data-part="vector">{precise(vectorPart)}</output>
            <p className="text-muted">
              {t('search.passageAccount', {
                lines: formatLines({ path: candidate.path, startLine: vector.startLine, endLine: vector.endLine }),
              })}
              {scale &&
                ` ${t('search.scaleAccount', { background: precise(scale.background), threshold: precise(scale.threshold) })}`}
            </p>
            {meant.length > 0 && (
              <ul className="flex flex-wrap gap-x-4 text-muted" aria-label={t('search.meantBy')}>
                {meant.map(({ term, nearest, share }) => (
                  <li key={term}>
                    {alikeName(term, nearest)} <output data-part="meant">{precise(share)}</output>
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
              raw: precise(text.raw),
              rank: text.rank,
              share: precise(text.share),
              score: precise(text.score),
            })}{' '}
            → <output data-part="keyword">{precise(textPart)}</output>
            {text.terms.length > 0 && (
              <ul className="flex flex-wrap gap-x-4 text-muted">
                {text.terms.map((one, index) => (
                  <li key={one.term}>
                    {formatTerm(one)} <output data-part="share">{precise(shares[index] ?? 0)}</output>
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
            + <output data-part="lift">{precise(lifted)}</output>{' '}
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
            × <output data-part="factor">{precise(factor)}</output>
          </dd>
        </Fragment>
      ))}
      <dt className="text-muted">{t('search.final')}</dt>
      <dd className="font-semibold">
        <output data-part="score">{precise(score)}</output>
      </dd>
    </dl>
  )
}

const digits = 4

function precise(value: number): string {
  return value.toFixed(digits)
}

interface NamedTerm {
  readonly term: string
  readonly instead?: string | undefined
  readonly alike?: string | undefined
}

/** Formats a query term, its replacement if the memory lacks the term, and a similar term. */
export function formatTerm({ term, instead, alike }: NamedTerm): string {
  return alikeName(instead === undefined ? term : `${term} → ${instead}`, alike)
}

function alikeName(term: string, alike: string | undefined): string {
  return alike === undefined || alike === '' || alike === term ? term : `${term} ≈ ${alike}`
}
