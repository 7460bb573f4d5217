import { t } from 'i18next'
import { useDisclosure } from '#lib/util/hooks.ts'
import type { Candidate, ScorePart } from '#shared/contract/index.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { formatScore } from '#lib/i18n/format.ts'
import { Chevron } from '#lib/ui/elements.tsx'

export function ScoreBreakdown({ candidate }: { candidate: Candidate }) {
  const { vector, text, parts, logit, score } = candidate
  const contributions = round(parts.map(({ contribution }) => contribution))
  const sum = contributions.reduce((total, contribution) => total + contribution, 0)
  const largest = Math.max(...contributions.map(Math.abs))
  return (
    <div className="tabular flex max-w-3xl flex-col gap-2 text-[12px]">
      {text && (
        <div>
          <p>{t('search.bm25', { raw: text.raw.toFixed(digits), rank: text.rank })}</p>
          <Shares
            label={t('search.matchedWords')}
            terms={text.terms.map(({ term, instead, alike, share }) => ({
              // The query term, its replacement if the memory lacks the term, and a related word.
              name: formatAlike(instead === undefined ? term : `${term} → ${instead}`, alike),
              share,
            }))}
          />
        </div>
      )}
      {vector && (
        <div>
          <p>{t('search.cosine', { raw: vector.raw.toFixed(digits), rank: vector.rank })}</p>
          <Shares
            label={t('search.wordPairs')}
            terms={(vector.terms ?? []).map(({ term, nearest, share }) => ({
              name: formatAlike(term, nearest),
              share,
            }))}
          />
        </div>
      )}
      <ul aria-label={t('search.parts')}>
        {parts.map((part, index) => (
          <Part key={part.name} part={part} contribution={contributions[index] ?? 0} largest={largest} />
        ))}
      </ul>
      <p className="font-semibold" data-testid="sum">
        {logit === null
          ? t('search.weightedSum', { sum: formatSigned(sum) })
          : t('search.sum', { sum: formatSigned(sum), score: formatScore(score) })}
      </p>
    </div>
  )
}

function Shares({ label, terms }: { label: string; terms: readonly { name: string; share: number }[] }) {
  if (terms.length === 0) return null
  const shares = round(terms.map(({ share }) => share))
  return (
    <ul className="flex flex-wrap gap-x-4 text-muted" aria-label={label}>
      {terms.map(
        ({ name }, index) =>
          // A share that rounds to 0 says nothing.
          shares[index] !== 0 && (
            <li key={name}>
              {name} <output data-part="share">{(shares[index] ?? 0).toFixed(digits)}</output>
            </li>
          ),
      )}
    </ul>
  )
}

interface PartProps {
  readonly part: ScorePart
  readonly contribution: number
  /** Largest absolute contribution of all parts: the length of a full bar. */
  readonly largest: number
}

const partColumns = 'grid grid-cols-[minmax(7rem,1fr)_minmax(2rem,2fr)_3.5rem] items-center gap-3'

function Part({ part: { name, features }, contribution, largest }: PartProps) {
  const { isOpen, button } = useDisclosure()
  const row = (
    <span className={partColumns}>
      <span className="flex items-center gap-1">
        <Chevron isOpen={isOpen} className={`text-muted ${features.length === 0 ? 'invisible' : ''}`} />
        {t(`search.part.${name}`)}
      </span>
      <Bar share={largest === 0 ? 0 : contribution / largest} />
      <output className="text-right" data-part={name}>
        {formatSigned(contribution)}
      </output>
    </span>
  )
  if (features.length === 0) return <li className="py-0.5">{row}</li>
  return (
    <li>
      <button {...button} className="w-full rounded-sm py-0.5 text-left hover:bg-soft">
        {row}
      </button>
      {isOpen && (
        <ul className="pb-1 pl-4 text-muted">
          {features.map((feature) => (
            <li key={feature.name} className="grid grid-cols-[1fr_3.5rem_3.5rem] gap-3" data-testid="feature">
              <span>
                {t(`search.feature.${feature.name}` as 'search.feature.date', { defaultValue: feature.name })}
              </span>
              <span className="text-right">{formatSigned(feature.value).replace('+', '')}</span>
              <span className="text-right">{formatSigned(feature.contribution)}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** A bar to the right of the centre for a positive share, to the left for a negative one. @param share in [−1, 1] */
function Bar({ share }: { share: number }) {
  const width = `${Math.abs(share) * 50}%`
  return (
    <span aria-hidden className="relative h-1.5 rounded-full bg-soft">
      <span
        className={`absolute inset-y-0 rounded-full ${share < 0 ? 'right-1/2 bg-bad' : 'left-1/2 bg-accent'}`}
        style={{ width }}
      />
      <span className="absolute -inset-y-0.5 left-1/2 w-px bg-line" />
    </span>
  )
}

const digits = 2

const round = (parts: readonly number[]) => roundToSum(parts, digits)

function formatSigned(value: number): string {
  const size = Math.abs(value).toFixed(digits)
  if (Number(size) === 0) return size
  return `${value < 0 ? '−' : '+'}${size}`
}

function formatAlike(term: string, alike: string | undefined): string {
  return alike === undefined || alike === '' || alike === term ? term : `${term} ≈ ${alike}`
}
