import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { EmptyState } from '#lib/ui/states.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { toggled } from '#lib/util/toggled.ts'
import { candidateRows, columns, type CandidateOrder, type CandidateTableRow } from './candidate-order.ts'
import { CandidateRow, cellLook, rowLook } from './candidate-row.tsx'
import { keyOf, type RankChanges } from './rank-diff.ts'
import { SearchNotices } from './search-notices.tsx'

interface ResultsProps {
  readonly agent: string
  readonly explanation: Explanation
  /** Changes of rank against the current settings; undefined while these are shown. */
  readonly moves?: RankChanges | undefined
}

const rowKey = ({ candidate }: CandidateTableRow) => keyOf(candidate)
/** Height of a row with two lines of text, px. */
const rowHeight = 78

/** A table of all candidates of a search. */
export const Results = memo(function Results({ agent, explanation, moves }: ResultsProps) {
  const { t } = useTranslation()
  const [order, setOrder] = useState<CandidateOrder>({ column: 'verdict', isReversed: false })
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback((candidate: Candidate) => setOpen((keys) => toggled(keys, keyOf(candidate))), [])
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
              <ErrorBoundary piece="row" resetKey={row.candidate}>
                <CandidateRow
                  agent={agent}
                  explanation={explanation}
                  row={row}
                  isReversed={order.isReversed}
                  move={moves?.get(rowKey(row))}
                  isOpen={open.has(rowKey(row))}
                  onToggle={toggle}
                />
              </ErrorBoundary>
            )}
          </VirtualRows>
        </div>
      )}
    </div>
  )
})
