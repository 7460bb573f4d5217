import { t } from 'i18next'
import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { withoutMarks } from '#shared/markdown/marks.ts'
import { formatNoteDay, formatScore } from '#lib/i18n/format.ts'
import { PlaceLink, usePlaceNames } from '../markdown/citations/place-link.tsx'
import { ResultActions } from '../markdown/citations/result-actions.tsx'
import { AddCheck } from './add-check.tsx'
import type { CandidateOrder, CandidateTableRow, RankChange } from './candidates.ts'
import { ScoreBreakdown } from './score-breakdown.tsx'
import { noticeText } from './search-notices.tsx'
import { SupersededMark, MemoryText } from './unit-text.tsx'

/** The columns of the table. A card has the entry above the other cells. */
export const rowLook =
  'grid grid-cols-[minmax(0,1fr)_4.75rem_4.75rem_3.5rem_7rem] items-center gap-x-3 px-5 max-sm:px-3 cards:flex cards:flex-wrap'

/** Aligns figures to the right, text to the left. */
export function cellLook(column: CandidateOrder['column']): string {
  if (column === 'entry') return 'min-w-0'
  return column === 'verdict' ? 'pl-2 cards:pl-0' : 'tabular text-right whitespace-nowrap'
}

/** Without the sign of -0.00. */
function formatFigure(value: number): string {
  return Number(value.toFixed(2)).toFixed(2)
}

interface CandidateRowProps {
  readonly agent: string
  readonly explanation: Explanation
  readonly row: CandidateTableRow
  readonly isReversed: boolean
  readonly move: RankChange | undefined
  readonly isOpen: boolean
  readonly onToggle: (candidate: Candidate) => void
}

/** Renders again only if its own data changes: the table renders on each frame while it scrolls. */
export const CandidateRow = memo(function CandidateRow(props: CandidateRowProps) {
  const { agent, explanation, row, isReversed, move, isOpen, onToggle } = props
  useTranslation()
  const { query, thresholds, notice, provider } = explanation
  const { candidate } = row
  const { path, startLine, endLine, date, title, heading, snippet, matched, score, verdict, vector, text } = candidate
  const isReturned = verdict.kind === 'returned'
  const noVector = notice ? noticeText(notice) : t(provider === 'none' ? 'whatIf.noVectors' : 'search.noVector')
  const threshold = thresholds[candidate.source === 'sessions' ? 'chats' : 'notes']
  const figures = [
    { column: 'vector', value: vector && formatFigure(vector.raw), rank: vector?.rank, missing: noVector },
    {
      column: 'text',
      value: text && formatFigure(text.raw),
      rank: text?.raw ? text.rank : '',
      missing: t('search.noWord'),
    },
    { column: 'score', value: formatScore(score, threshold), rank: undefined, missing: undefined },
  ] as const
  const context = [title, withoutMarks(heading)].filter((name) => name && name !== date).join(' · ')
  const limits = row.thresholds.map(
    ({ source, score: limit }) => `${source ? `${t(`search.group.${source}`)} ` : ''}${formatScore(limit)}`,
  )
  return (
    <div className={`flex ${isReversed ? 'flex-col-reverse' : 'flex-col'}`}>
      {limits.length > 0 && (
        <p
          role="cell"
          data-testid="threshold"
          className="flex items-center gap-3 px-5 py-1.5 text-[12px] text-muted max-sm:px-3"
        >
          {[t('whatIf.threshold'), ...limits].join(' · ')}
          <span aria-hidden className="flex-1 border-t border-dashed border-faint" />
        </p>
      )}
      <div
        className={`border-b border-soft py-2.5 ${isReturned ? '' : 'text-muted'}`}
        data-testid="candidate"
        data-verdict={verdict.kind}
        data-place={`${path}:${startLine}-${endLine}`}
      >
        <div className={`${rowLook} gap-y-1`}>
          <div role="cell" className="flex min-w-0 items-start gap-1 cards:w-full">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={t('search.details', { place: usePlaceNames(agent).placeName(candidate) })}
              onClick={() => onToggle(candidate)}
              className="-ml-1.5 flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-soft hover:text-text"
            >
              <ChevronRight size={12} className={isOpen ? 'rotate-90' : ''} />
            </button>
            <div className="min-w-0 flex-1">
              <MemoryText path={path} text={snippet} words={matched} className="line-clamp-2" />
              <div className="flex min-w-0 items-baseline gap-2 text-[12px] text-muted">
                <PlaceLink
                  agent={agent}
                  path={path}
                  startLine={startLine}
                  endLine={endLine}
                  words={matched}
                  isClipped
                />
                {date !== undefined && !path.includes(date) && <span className="shrink-0">{formatNoteDay(date)}</span>}
              </div>
              <SupersededMark superseded={candidate.superseded} />
            </div>
          </div>
          {figures.map(({ column, value, rank, missing }) => (
            <div
              key={column}
              role="cell"
              data-column={t(`search.column.${column}`)}
              className={`${cellLook(column)} cards:before:text-[12px] cards:before:text-muted cards:before:content-[attr(data-column)_'_']`}
            >
              <span
                title={value === undefined ? missing : undefined}
                className={column === 'score' && isReturned ? 'font-semibold' : ''}
              >
                {value ?? '–'}
              </span>
              {column !== 'score' && (
                <span className="ml-1 inline-block min-w-7 text-left text-[11px] text-muted cards:min-w-0">
                  {rank && `#${rank}`}
                </span>
              )}
            </div>
          ))}
          <div role="cell" className={`${cellLook('verdict')} text-[12px]`}>
            {verdict.kind !== 'outsideFilter' &&
              t(`search.${verdict.kind}`, 'rank' in verdict ? { rank: verdict.rank } : {})}{' '}
            {move !== undefined && <MoveMark move={move} />}
          </div>
        </div>
        {isOpen && (
          <div role="cell" className="px-5 pt-2 pl-10 text-text max-sm:px-3" data-testid="candidate-details">
            <p className="pb-2 text-[12px] text-muted empty:hidden">{context}</p>
            <ScoreBreakdown candidate={candidate} />
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pt-2">
              <ResultActions agent={agent} place={{ path, line: startLine }} query={query} />
              <AddCheck agent={agent} query={query} lines={candidate} />
            </div>
          </div>
        )}
      </div>
    </div>
  )
})

function MoveMark({ move }: { move: RankChange }) {
  const isRise = move === 'new' || (typeof move === 'number' && move > 0)
  const count = Math.abs(Number(move))
  const label =
    typeof move === 'string' ? t(`search.move.${move}`) : t(`search.move.${isRise ? 'up' : 'down'}`, { count })
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={`tabular text-[11px] font-medium whitespace-nowrap ${isRise ? 'text-added' : 'text-bad'}`}
    >
      {typeof move === 'string' ? label : `${isRise ? '▲' : '▼'}${count}`}
    </span>
  )
}
