import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Candidate } from '#shared/contract/index.ts'
import { withoutMarks } from '#shared/markdown/marks.ts'
import { formatScore } from '#lib/i18n/format.ts'
import { PlaceLink } from '../markdown/citations/place-link.tsx'
import { usePlaceNames } from '../markdown/citations/place-name.ts'
import { ResultActions } from '../markdown/citations/result-actions.tsx'
import { AddCheck } from './add-check.tsx'
import type { RankChange } from './rank-diff.ts'
import { ScoreBreakdown } from './score-breakdown.tsx'
import { SupersededMark } from './superseded-mark.tsx'
import { UnitText } from './unit-text.tsx'

/** Class of elements that shrink before the path does. */
const shrinksFirst = 'min-w-10 shrink-[99999] truncate'

interface CandidateRowProps {
  readonly agent: string
  readonly query: string
  readonly candidate: Candidate
  readonly move: RankChange | undefined
}

export function CandidateRow({ agent, query, candidate, move }: CandidateRowProps) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const { path, startLine, endLine, date, title, heading, snippet, matched, score, verdict } = candidate
  const isReturned = verdict.kind === 'returned'
  const place = usePlaceNames(agent).placeName(candidate)
  return (
    <li
      className={`border-b border-soft py-2.5 pr-5 pl-2 ${isReturned ? '' : 'text-muted'}`}
      data-testid="candidate"
      data-verdict={verdict.kind}
      data-place={`${path}:${startLine}-${endLine}`}
    >
      <div className="flex items-start gap-1">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={t('search.details', { place })}
          onClick={() => setIsOpen(!isOpen)}
          className="flex size-5 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-soft hover:text-text"
        >
          <ChevronRight size={12} className={isOpen ? 'rotate-90' : ''} />
        </button>
        <div className="min-w-0 flex-1">
          <UnitText path={path} text={snippet} words={matched} />
          <div className="flex min-w-0 items-baseline gap-2 text-[12px] text-muted">
            <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} words={matched} isClipped />
            {date !== undefined && <span className="tabular shrink-0">{date}</span>}
            {title !== undefined && <span className={`${shrinksFirst} font-medium`}>{title}</span>}
            {heading !== '' && <span className={shrinksFirst}>{withoutMarks(heading)}</span>}
            {move !== undefined && <MoveMark move={move} />}
          </div>
          <SupersededMark superseded={candidate.superseded} />
          <Remark verdict={verdict} />
        </div>
        <p className="tabular w-14 shrink-0 text-right">
          <span className={isReturned ? 'font-semibold' : ''}>{formatScore(score)}</span>
          {isReturned && <span className="block text-[11px] text-muted">#{verdict.rank}</span>}
        </p>
      </div>
      {isOpen && (
        <div className="pt-2 pl-6 text-text" data-testid="candidate-details">
          <ScoreBreakdown candidate={candidate} />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pt-2">
            <ResultActions agent={agent} place={{ path, line: startLine }} query={query} />
            <AddCheck agent={agent} query={query} lines={candidate} />
          </div>
        </div>
      )}
    </li>
  )
}

function Remark({ verdict }: Pick<Candidate, 'verdict'>) {
  const { t } = useTranslation()
  switch (verdict.kind) {
    case 'joined':
    case 'duplicate':
      return <p className="text-[12px]">{t(`search.${verdict.kind}`, { rank: verdict.rank })}</p>
    case 'overLimit':
      return <p className="text-[12px]">{t('search.overLimit')}</p>
    case 'outsideFilter':
    case 'returned':
    case 'weak':
      return null
  }
}

function MoveMark({ move }: { move: RankChange }) {
  const { t } = useTranslation()
  if (typeof move === 'string')
    return (
      <span className={`shrink-0 text-[11px] font-medium ${move === 'new' ? 'text-added' : 'text-bad'}`}>
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
      className={`tabular shrink-0 text-[11px] font-medium ${move > 0 ? 'text-added' : 'text-bad'}`}
    >
      {move > 0 ? '▲' : '▼'}
      {ranks}
    </span>
  )
}
