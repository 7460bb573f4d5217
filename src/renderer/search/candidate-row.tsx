import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { formatScore } from '#lib/i18n/format.ts'
import { excerptOf, likeliestLine } from './excerpt.ts'
import { useSpeakerNames } from './use-speaker-names.ts'
import { Highlight } from '#lib/ui/highlight.tsx'
import { PlaceLink } from '../markdown/citations/place-link.tsx'
import { usePlaceNames } from '../markdown/citations/place-name.ts'
import { SupersededMark } from './superseded-mark.tsx'
import { ScoreBar } from './score-bar.tsx'
import { HitActions } from '../markdown/citations/hit-actions.tsx'
import { AddCheck } from './add-check.tsx'
import type { RankChange } from './rank-diff.ts'
import { ScoreBreakdown, formatTerm } from './score-breakdown.tsx'

/** Class of elements that shrink before the path does. */
const shrinksFirst = 'min-w-10 shrink-[99999] truncate pl-1'

/** Class of columns that hide in a narrow list; the row repeats them below. */
export const wideOnly = '@max-[860px]:hidden'
const narrowOnly = 'hidden @max-[860px]:flex'

interface RowProps {
  readonly agent: string
  readonly candidate: Candidate
  readonly explanation: Explanation
  readonly move: RankChange | undefined
}

export function Row({ agent, candidate, explanation, move }: RowProps) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const { path, startLine, endLine, title, heading, snippet, matched, vector, text, score, verdict, modifiers } =
    candidate
  const { minScore, maxResults } = explanation
  const isReturned = verdict.kind === 'returned'
  const place = usePlaceNames(agent).placeName(candidate)
  const withSpeakerNames = useSpeakerNames()
  // Scales the bar to the final score.
  const factor = modifiers.reduce((product, modifier) => product * modifier.factor, 1)
  const remarks = (
    <>
      {verdict.kind === 'beyondMaxResults' && <span>{t('search.beyond', { maxResults })} · </span>}
      {verdict.kind === 'folded' && (
        <span>{t(verdict.isEcho ? 'search.echoOf' : 'search.folded', { rank: verdict.into })} · </span>
      )}
      {verdict.kind === 'outsideFilter' && <span>{t('search.outside', { by: verdict.by.join(' ') })} · </span>}
      {candidate.question !== undefined && <span>{t('search.question')} · </span>}
      {modifiers.map(({ name, of }) => (
        <span key={name}>{t(`search.modifier.${name}`, { of: of ?? '' })} · </span>
      ))}
      {text && text.terms.length > 0
        ? text.terms
            .slice(0, 4)
            .map((term) => `${formatTerm(term)} ${term.share.toFixed(2).replace(/^0/, '')}`)
            .join(' · ')
        : t('search.none')}
    </>
  )
  return (
    <>
      <tr
        className={`align-top ${isOpen ? '' : 'border-b border-soft'} ${isReturned ? '' : 'text-muted'}`}
        data-testid="candidate"
        data-verdict={verdict.kind}
        data-place={`${path}:${startLine}-${endLine}`}
      >
        <td className="py-2.5 pr-4 pl-2">
          <div className="flex min-w-0 items-baseline gap-1">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={t('search.details', { place })}
              onClick={() => setIsOpen(!isOpen)}
              className="flex size-5 shrink-0 items-center justify-center self-center rounded-sm text-muted hover:bg-soft hover:text-text"
            >
              <ChevronRight size={12} className={isOpen ? 'rotate-90' : ''} />
            </button>
            <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} isClipped />
            {title !== undefined && <span className={`${shrinksFirst} font-medium`}>{title}</span>}
            {heading !== '' && <span className={`${shrinksFirst} text-[12px] text-muted`}>{heading}</span>}
            {move !== undefined && <MoveMark move={move} />}
          </div>
          <div className="pl-6">
            <SupersededMark superseded={candidate.superseded} />
          </div>
          <p className="line-clamp-2 pl-6">
            <Highlight text={excerptOf(withSpeakerNames(path, snippet), matched)} words={matched} />
          </p>
          {/* The columns that are hidden in a narrow list. */}
          <p
            className={`tabular flex-wrap gap-x-3 pt-0.5 pl-6 text-[12px] text-muted ${narrowOnly}`}
            data-testid="legs"
          >
            <span>
              {t('search.vector')} {vector ? <RetrieverScore score={vector.score} rank={vector.rank} /> : <Off />}
            </span>
            <span>
              {t('search.keyword')} {text ? <RetrieverScore score={text.score} rank={text.rank} /> : <Off />}
            </span>
            <span className="min-w-0 break-words">{remarks}</span>
          </p>
        </td>
        <td className="pt-4">
          <ScoreBar
            score={score}
            vector={(vector?.contribution ?? 0) * factor}
            text={(text?.contribution ?? 0) * factor}
            boost={candidate.lift * factor}
            minScore={minScore}
            dim={!isReturned}
          />
        </td>
        <td className={`tabular pt-2.5 pr-3 text-right ${isReturned ? 'font-semibold' : ''}`}>
          {formatScore(score, minScore)}
        </td>
        <td className={`tabular pt-2.5 text-right ${wideOnly}`}>
          {vector ? <RetrieverScore score={vector.score} rank={vector.rank} /> : <Off />}
        </td>
        <td className={`tabular pt-2.5 text-right ${wideOnly}`}>
          {text ? <RetrieverScore score={text.score} rank={text.rank} /> : <Off />}
        </td>
        <td className={`pt-2.5 pr-5 pl-4 text-[12px] ${wideOnly}`}>{remarks}</td>
      </tr>
      {isOpen && (
        <tr className="border-b border-soft" data-testid="candidate-details">
          <td colSpan={3} className="pr-4 pb-3 pl-8">
            <ScoreBreakdown agent={agent} candidate={candidate} scale={explanation.vectorScale} />
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pt-2">
              <HitActions agent={agent} place={{ path, line: likeliestLine(candidate) }} query={explanation.query} />
              <AddCheck agent={agent} query={explanation.query} lines={candidate} />
            </div>
          </td>
          <td colSpan={3} className={wideOnly} />
        </tr>
      )}
    </>
  )
}

function MoveMark({ move }: { move: RankChange }) {
  const { t } = useTranslation()
  if (typeof move === 'string')
    return (
      <span className={`shrink-0 pl-1 text-[11px] font-medium ${move === 'new' ? 'text-added' : 'text-bad'}`}>
        {t(`search.move.${move}`)}
      </span>
    )
  const ranks = Math.abs(move)
  const label = t(move > 0 ? 'search.move.up' : 'search.move.down', { count: ranks })
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={`tabular shrink-0 pl-1 text-[11px] font-medium ${move > 0 ? 'text-added' : 'text-bad'}`}
    >
      {move > 0 ? '▲' : '▼'}
      {ranks}
    </span>
  )
}

function Off() {
  const { t } = useTranslation()
  return <span className="text-muted">{t('search.off')}</span>
}

/** Returns false if the score rounds to 0: its rank is then meaningless. */
function isNonZero(score: number): boolean {
  return Number(formatScore(score)) > 0
}

function RetrieverScore({ score, rank }: { score: number; rank: number }) {
  return (
    <>
      {formatScore(score)} {isNonZero(score) && <span className="text-[11px] text-muted">#{rank}</span>}
    </>
  )
}
