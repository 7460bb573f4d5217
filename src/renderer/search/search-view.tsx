/** Looks for a text in memory, and accounts for what is found and what is not (M22, M44). */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search, SlidersHorizontal } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { Agent, SearchSettings } from '../../shared/contract/index.ts'
import { api } from '../api/index.ts'
import { formatNumber } from '../i18n/format.ts'
import { paths } from '../ui/navigate.ts'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'
import { movesBetween } from './moves.ts'
import { Results } from './results.tsx'
import { SearchTabs } from './search-tabs.tsx'
import { WhatIf } from './what-if.tsx'

/** The answer follows the typing at this distance. */
const typingPauseMs = 150
/** The ranking follows a slider at this distance. */
const sliderPauseMs = 40

export function SearchView({ agent, initialQuery }: { agent: Agent; initialQuery: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [text, setText] = useState(initialQuery)
  const [hasWhatIf, setHasWhatIf] = useState(false)
  const [tried, setTried] = useState<SearchSettings>()
  const query = useDebounced(text.trim(), typingPauseMs)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => navigate(paths.search(query), { replace: true }), [query, navigate])
  const settings = useQuery(api.search.settings.queryOptions({ input: { agent: agent.id } }))
  const { explanation, moves, isBusy, error, retry } = useRanking(agent.id, query, tried)
  return (
    <section aria-label={t('search.title')} className="flex min-w-0 flex-1 flex-col">
      <SearchTabs />
      <div className="flex items-center gap-2 px-5 pt-4 pb-3">
        <label className="flex min-w-0 flex-1 items-center gap-3 rounded-lg border border-line bg-raised px-4 py-2.5 focus-within:border-accent">
          <Search size={15} aria-hidden className="text-muted" />
          <input
            ref={field}
            value={text}
            onChange={(event) => setText(event.target.value)}
            aria-label={t('search.title')}
            placeholder={t('search.placeholder')}
            className="min-w-0 flex-1 bg-transparent text-[14px] outline-none placeholder:text-muted"
          />
          {explanation && (
            <span className="tabular text-[12px] text-muted">
              {t('search.candidates', {
                count: explanation.candidates.length,
                ms: formatNumber(Math.max(1, Math.round(explanation.timings.totalMs))),
              })}
            </span>
          )}
        </label>
        <button
          type="button"
          aria-pressed={hasWhatIf}
          onClick={() => {
            setHasWhatIf(!hasWhatIf)
            setTried(undefined)
          }}
          className="flex min-h-10 items-center gap-2 rounded-lg border border-line bg-raised px-3 text-muted hover:text-text aria-pressed:border-accent aria-pressed:text-text"
        >
          <SlidersHorizontal size={14} aria-hidden />
          {t('whatIf.title')}
        </button>
      </div>
      <div className="flex min-h-0 flex-1">
        <div aria-busy={isBusy} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
          {error ? (
            <ErrorState error={error} onRetry={retry} />
          ) : query === '' ? (
            <EmptyState title={t('search.empty')} hint={t('search.emptyHint')} />
          ) : explanation ? (
            <Results explanation={explanation} moves={moves} />
          ) : (
            <Skeleton lines={9} />
          )}
        </div>
        {hasWhatIf && settings.data && (
          <WhatIf agent={agent.id} inForce={settings.data} settings={tried ?? settings.data} onTry={setTried} />
        )}
      </div>
    </section>
  )
}

/** The ranking under the settings in force, or under those that are tried, with how the latter moves it. */
function useRanking(agent: string, query: string, tried: SearchSettings | undefined) {
  const options = useDebounced(tried, sliderPauseMs)
  const inForce = useQuery({
    ...api.search.explain.queryOptions({ input: { agent, query } }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  })
  const other = useQuery({
    ...api.search.explain.queryOptions({ input: { agent, query, options } }),
    enabled: query !== '' && options !== undefined,
    placeholderData: keepPreviousData,
  })
  const isTrying = tried !== undefined && other.data !== undefined
  const before = inForce.data?.candidates
  const after = isTrying ? other.data?.candidates : undefined
  const moves = useMemo(() => (before && after ? movesBetween(before, after) : undefined), [before, after])
  const shown = isTrying ? other.data : inForce.data
  return {
    explanation: query === '' ? undefined : shown,
    moves,
    isBusy: isTrying ? other.isPlaceholderData || options !== tried : inForce.isPlaceholderData,
    error: inForce.error ?? (isTrying ? other.error : null),
    retry: () => void inForce.refetch(),
  }
}

function useDebounced<T>(value: T, pauseMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
