import { memo, startTransition, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Explanation } from '#shared/contract/index.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { Button } from '#lib/ui/button.tsx'
import { EmptyState } from '#lib/ui/states.tsx'
import { keyOf, type RankChanges } from './rank-diff.ts'
import { firstOf, resultGroups } from './result-groups.ts'
import { CandidateRow } from './candidate-row.tsx'
import { SearchNotices } from './search-notices.tsx'

/** Rows rendered while the user types: more than fit into a window. */
const rowsWhileTyping = 18
const pageSize = 60
const typingPauseMs = 250

interface ResultsProps {
  readonly agent: string
  readonly explanation: Explanation
  /** Changes of rank against the current settings; undefined while these are shown. */
  readonly moves?: RankChanges | undefined
}

export const Results = memo(function Results({ agent, explanation, moves }: ResultsProps) {
  const { t } = useTranslation()
  const [limit, setLimit] = useRowLimit(explanation.query)
  const { query, candidates } = explanation
  // Each move of a slider would render hundreds of rows again, so rows beyond `limit` render on request.
  const allGroups = resultGroups(candidates)
  const groups = firstOf(allGroups, limit)
  const total = allGroups.reduce((sum, group) => sum + group.candidates.length, 0)
  return (
    <div className="pb-8">
      <SearchNotices explanation={explanation} />
      {groups.length === 0 && <EmptyState title={t('search.nothing', { query })} hint={t('search.nothingHint')} />}
      {groups.map((group) => (
        <section key={group.name} aria-label={t(`search.group.${group.name}`)}>
          {group.name !== 'notes' && (
            <h3 className="flex items-center gap-3 px-5 pt-4 pb-1 text-[12px] text-muted">
              {t(`search.group.${group.name}`)}
              <span aria-hidden className="flex-1 border-t border-dashed border-line" />
            </h3>
          )}
          <ul>
            {group.candidates.map((candidate) => (
              <ErrorBoundary key={keyOf(candidate)} piece="row" resetKey={candidate}>
                <CandidateRow agent={agent} query={query} candidate={candidate} move={moves?.get(keyOf(candidate))} />
              </ErrorBoundary>
            ))}
          </ul>
        </section>
      ))}
      {total > limit && limit >= pageSize && (
        <Button look="link" className="mx-5 mt-2" onClick={() => setLimit(limit + pageSize)}>
          {t('history.more')}
        </Button>
      )}
    </div>
  )
})

function useRowLimit(query: string) {
  const [state, setState] = useState({ query, limit: rowsWhileTyping })
  const limit = state.query === query ? state.limit : rowsWhileTyping
  if (state.query !== query) setState({ query, limit })
  const setLimit = (newLimit: number) => setState({ query, limit: newLimit })
  useEffect(() => {
    if (limit >= pageSize) return
    const timer = setTimeout(() => startTransition(() => setState({ query, limit: pageSize })), typingPauseMs)
    return () => clearTimeout(timer)
  }, [query, limit])
  return [limit, setLimit] as const
}
