import { AddCheck, WhatIf, ExplainMissing } from './what-if.tsx'
import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { CircleHelp, Search, SlidersHorizontal, ArrowDown, ArrowUp, ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useState, memo, useCallback, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Explanation, SearchSettings } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState, EmptyState, Skeleton, useTextField } from '#lib/ui/elements.tsx'
import { useDebounced } from '#lib/util/hooks.ts'
import { parsePlace, paths } from '#lib/router/paths.ts'
import { InspectTabs } from '#lib/ui/frames.tsx'
import { formatNumber, formatNoteDay, formatScore } from '#lib/i18n/format.ts'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { ConditionChips, UnsearchedCount, SearchNotices, noticeText } from './search-notices.tsx'
import { typingPauseMs, useLinkedText, useTypedSearch } from './use-typed-search.ts'
import {
  candidateRows,
  columns,
  candidateKey,
  type CandidateOrder,
  type CandidateTableRow,
  type RankChanges,
  type RankChange,
} from './candidates.ts'
import { withoutMarks } from '#shared/markdown/visibility.ts'
import { PlaceLink, usePlaceNames, ResultActions } from '../markdown/citations.tsx'
import { ScoreBreakdown } from './score-breakdown.tsx'
import { ResultMarks, MemoryText } from './unit-text.tsx'

/** @param initialWhy line to explain, as `path:line`; '' without one */
export function FoundView({ linkedQuery, initialWhy }: { linkedQuery: string; initialWhy: string }) {
  const { id: agent } = useAgent()
  const { text, setText, replaceAddress } = useLinkedText(linkedQuery)
  const [isWhatIfOpen, setIsWhatIfOpen] = useState(false)
  const [tried, setTried] = useState<SearchSettings>()
  const [isWhyOpen, setIsWhyOpen] = useState(initialWhy !== '')
  const [place, setPlace] = useState(initialWhy)
  const whyText = useDebounced(isWhyOpen ? place : '', typingPauseMs)
  const why = useMemo(() => parsePlace(whyText), [whyText])
  const settings = useQuery(api.search.settings.queryOptions({ input: { agent } }))
  const search = useTypedSearch(text, { why, tried })
  const { query, settledText, explanation, moves, error, retry, isBusy } = search
  useEffect(() => replaceAddress(paths.found(settledText, why), settledText), [settledText, why, replaceAddress])
  const toggleWhatIf = () => {
    setIsWhatIfOpen(!isWhatIfOpen)
    setTried(undefined)
  }
  return (
    <section aria-label={t('inspect.found')} className="flex min-w-0 flex-1 flex-col">
      <InspectTabs />
      <div className="flex flex-wrap items-center gap-2 px-5 pt-4 pb-3 max-sm:px-3">
        <label className="flex min-w-[min(100%,22rem)] flex-1 items-center gap-3 rounded-lg border border-line bg-raised px-4 py-2.5 focus-within:border-accent">
          <Search size={15} aria-hidden className="text-muted" />
          <input
            autoFocus
            {...useTextField(text, setText)}
            aria-label={t('inspect.question')}
            placeholder={t('search.placeholder')}
            className="min-w-0 flex-1 bg-transparent text-[14px] outline-none placeholder:text-muted"
          />
        </label>
        <Toggle isOn={isWhyOpen} onToggle={() => setIsWhyOpen(!isWhyOpen)}>
          <CircleHelp size={14} aria-hidden />
          {t('why.title')}
        </Toggle>
        <Toggle isOn={isWhatIfOpen} onToggle={toggleWhatIf}>
          <SlidersHorizontal size={14} aria-hidden />
          {t('whatIf.title')}
        </Toggle>
        <Link href={paths.recalls()} className="px-1 text-muted hover:text-text">
          {t('recalls.title')}
        </Link>
      </div>
      {explanation && query !== '' && (
        <ConditionChips conditions={explanation.conditions} onToggle={search.toggleCondition} />
      )}
      {isWhyOpen && settings.data && (
        <ExplainMissing
          place={place}
          onPlace={setPlace}
          hasQuery={query !== ''}
          explanation={explanation}
          onTry={(change) => {
            setIsWhatIfOpen(true)
            setTried({ ...settings.data, ...tried, ...change })
          }}
        />
      )}
      <div className="flex min-h-0 flex-1">
        <div aria-busy={isBusy} className="@container min-h-0 min-w-0 flex-1 overflow-y-auto">
          {error ? (
            <ErrorState error={error} onRetry={retry} />
          ) : query === '' ? (
            <EmptyState title={t('inspect.foundEmpty')} hint={t('search.emptyHint')} />
          ) : explanation ? (
            <Results explanation={explanation} moves={moves} />
          ) : (
            <Skeleton lines={9} />
          )}
          {!error && query !== '' && explanation && <UnsearchedCount />}
        </div>
        {isWhatIfOpen && settings.data && (
          <WhatIf
            hasVectors={search.hasVectors}
            current={settings.data}
            settings={tried ?? settings.data}
            onPreview={setTried}
            onClose={toggleWhatIf}
          />
        )}
      </div>
    </section>
  )
}

function Toggle({ isOn, onToggle, children }: { isOn: boolean; onToggle: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className="flex min-h-10 items-center gap-2 rounded-lg border border-line bg-raised px-3 text-muted hover:text-text aria-pressed:border-accent aria-pressed:text-text"
    >
      {children}
    </button>
  )
}

interface ResultsProps {
  readonly explanation: Explanation
  /** Changes of rank against the current settings; undefined while these are shown. */
  readonly moves?: RankChanges | undefined
}

const rowKey = ({ candidate }: CandidateTableRow) => candidateKey(candidate)
const rowHeight = 78

const Results = memo(function Results({ explanation, moves }: ResultsProps) {
  useTranslation()
  const [order, setOrder] = useState<CandidateOrder>({ column: 'verdict', isReversed: false })
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback((key: string) => setOpen((keys) => keys.symmetricDifference(new Set([key]))), [])
  const rows = useMemo(() => candidateRows(explanation, order), [explanation, order])
  const { query, candidates, matched, timings } = explanation
  return (
    <div className="pb-8">
      <SearchNotices explanation={explanation} />
      <p className="tabular px-5 pb-1 text-[12px] text-muted max-sm:px-3" title={t('search.examinedHint')}>
        {t('search.examined', {
          matched: formatNumber(matched),
          examined: formatNumber(candidates.length),
          returned: formatNumber(candidates.filter(({ verdict }) => verdict.kind === 'returned').length),
          ms: formatNumber(Math.max(1, Math.round(timings.totalMs))),
        })}
      </p>
      {rows.length === 0 ? (
        <EmptyState title={t('search.nothing', { query })} hint={t('search.nothingHint')} />
      ) : (
        <div role="table" aria-label={t('inspect.found')} aria-rowcount={rows.length + 1}>
          <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-paper">
            <div role="row" aria-rowindex={1} className={`${rowLook} min-h-8 text-[12px] text-muted cards:gap-x-4`}>
              {columns.map((column) => {
                const isSorted = order.column === column
                // Figures begin with the highest, the other columns with the first.
                const isAscending = (column === 'entry' || column === 'verdict') !== (isSorted && order.isReversed)
                const Arrow = isAscending ? ArrowUp : ArrowDown
                const sort = isAscending ? 'ascending' : 'descending'
                return (
                  <div
                    key={column}
                    role="columnheader"
                    aria-sort={isSorted ? sort : 'none'}
                    className={cellLook(column)}
                  >
                    <button
                      type="button"
                      onClick={({ currentTarget }) => {
                        setOrder({ column, isReversed: isSorted && !order.isReversed })
                        currentTarget.closest('[aria-busy]')?.scrollTo({ top: 0 })
                      }}
                      className={`inline-flex min-h-6 items-center gap-1 hover:text-text ${isSorted ? 'font-medium text-text' : ''}`}
                    >
                      {t(`search.column.${column}`)}
                      {isSorted && <Arrow size={11} aria-hidden />}
                    </button>
                  </div>
                )
              })}
            </div>
          </div>
          <VirtualRows isTable label={t('inspect.found')} rows={rows} keyOf={rowKey} estimateHeight={() => rowHeight}>
            {(row) => (
              <CandidateRow
                explanation={explanation}
                row={row}
                isReversed={order.isReversed}
                move={moves?.get(rowKey(row))}
                isOpen={open.has(rowKey(row))}
                onToggle={toggle}
              />
            )}
          </VirtualRows>
        </div>
      )}
    </div>
  )
})

/** The columns of the table. A card has the entry above the other cells. */
export const rowLook =
  'grid grid-cols-[minmax(0,1fr)_4.75rem_4.75rem_3.5rem_7rem] items-center gap-x-3 px-5 max-sm:px-3 cards:flex cards:flex-wrap'

export function cellLook(column: CandidateOrder['column']): string {
  if (column === 'entry') return 'min-w-0'
  return column === 'verdict' ? 'pl-2 cards:pl-0' : 'tabular text-right whitespace-nowrap'
}

/** Formats a figure without the sign of -0.00. */
function formatFigure(value: number): string {
  return Number(value.toFixed(2)).toFixed(2)
}

interface CandidateRowProps {
  readonly explanation: Explanation
  readonly row: CandidateTableRow
  readonly isReversed: boolean
  readonly move: RankChange | undefined
  readonly isOpen: boolean
  readonly onToggle: (key: string) => void
}

/** Renders again only if its own data changes: the table renders on each frame while it scrolls. */
export const CandidateRow = memo(function CandidateRow(props: CandidateRowProps) {
  const { explanation, row, isReversed, move, isOpen, onToggle } = props
  useTranslation()
  const { query, thresholds, notice, provider } = explanation
  const { candidate } = row
  const { path, startLine, endLine, date, title, heading, snippet, matched, score, verdict, vector, text } = candidate
  const isReturned = verdict.kind === 'returned'
  const noVector = notice ? noticeText(notice) : t(provider === 'none' ? 'whatIf.noVectors' : 'search.noVector')
  const noWord = t('search.noWord')
  const threshold = thresholds[candidate.source === 'sessions' ? 'chats' : 'notes']
  const figures = [
    { column: 'vector', value: vector && formatFigure(vector.raw), rank: vector?.rank, missing: noVector },
    { column: 'text', value: text && formatFigure(text.raw), rank: text?.raw ? text.rank : '', missing: noWord },
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
              aria-label={t('search.details', { place: usePlaceNames().placeName(candidate) })}
              onClick={() => onToggle(candidateKey(candidate))}
              className="-ml-1.5 flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-soft hover:text-text"
            >
              <ChevronRight size={12} className={isOpen ? 'rotate-90' : ''} />
            </button>
            <div className="min-w-0 flex-1">
              <MemoryText path={path} text={snippet} words={matched} className="line-clamp-2" />
              <div className="flex min-w-0 items-baseline gap-2 text-[12px] text-muted">
                <PlaceLink path={path} startLine={startLine} endLine={endLine} words={matched} isClipped />
                {date !== undefined && !path.includes(date) && <span className="shrink-0">{formatNoteDay(date)}</span>}
              </div>
              <ResultMarks result={candidate} />
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
              <ResultActions place={{ path, line: startLine }} query={query} />
              <AddCheck query={query} lines={candidate} />
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
