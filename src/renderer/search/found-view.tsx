import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { CircleHelp, Search, SlidersHorizontal, ArrowDown, ArrowUp } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode, memo, useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import type { Agent, Candidate, Explanation, SearchSettings } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState, EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { useDebounced } from '#lib/util/hooks.ts'
import { useTextField } from '#lib/ui/search-field.tsx'
import { parsePlace, paths } from '#lib/router/paths.ts'
import { InspectTabs } from '#lib/ui/view-header.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { toggled } from '#lib/util/toggled.ts'
import { ConditionChips, UnsearchedCount, SearchNotices } from './search-notices.tsx'
import { WhatIf } from './what-if.tsx'
import { ExplainMissing } from './explain-missing.tsx'
import { typingPauseMs, useTypedSearch } from './use-typed-search.ts'
import {
  candidateRows,
  columns,
  type CandidateOrder,
  type CandidateTableRow,
  candidateKey,
  type RankChanges,
} from './candidates.ts'
import { CandidateRow, cellLook, rowLook } from './candidate-row.tsx'

interface FoundViewProps {
  readonly agent: Agent
  readonly initialQuery: string
  /** Line whose ranking is explained, as `path:line`. */
  readonly initialWhy: string
}

export function FoundView({ agent, initialQuery, initialWhy }: FoundViewProps) {
  const [, navigate] = useLocation()
  const [text, setText] = useState(initialQuery)
  const [isWhatIfOpen, setIsWhatIfOpen] = useState(false)
  const [tried, setTried] = useState<SearchSettings>()
  const [isWhyOpen, setIsWhyOpen] = useState(initialWhy !== '')
  const [place, setPlace] = useState(initialWhy)
  const whyText = useDebounced(isWhyOpen ? place : '', typingPauseMs)
  const why = useMemo(() => parsePlace(whyText), [whyText])
  const settings = useQuery(api.search.settings.queryOptions({ input: { agent: agent.id } }))
  const search = useTypedSearch(agent.id, text, { why, tried })
  const { query, settledText, explanation, moves, error, retry, isBusy } = search
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => navigate(paths.found(settledText, why), { replace: true }), [settledText, why, navigate])
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
            ref={field}
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
          agent={agent.id}
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
            <Results agent={agent.id} explanation={explanation} moves={moves} />
          ) : (
            <Skeleton lines={9} />
          )}
          {!error && query !== '' && explanation && <UnsearchedCount agent={agent.id} />}
        </div>
        {isWhatIfOpen && settings.data && (
          <WhatIf
            hasVectors={search.hasVectors}
            agent={agent.id}
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
  readonly agent: string
  readonly explanation: Explanation
  /** Changes of rank against the current settings; undefined while these are shown. */
  readonly moves?: RankChanges | undefined
}

const rowKey = ({ candidate }: CandidateTableRow) => candidateKey(candidate)
/** Height of a row with two lines of text, px. */
const rowHeight = 78

const Results = memo(function Results({ agent, explanation, moves }: ResultsProps) {
  useTranslation()
  const [order, setOrder] = useState<CandidateOrder>({ column: 'verdict', isReversed: false })
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback((candidate: Candidate) => setOpen((keys) => toggled(keys, candidateKey(candidate))), [])
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
                agent={agent}
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
