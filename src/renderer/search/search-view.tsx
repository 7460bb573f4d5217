import { useQuery } from '@tanstack/react-query'
import { CircleHelp, Search, SlidersHorizontal } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { Agent, SearchSettings } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { toggled } from '#lib/util/toggled.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'
import { parsePlace, paths } from '#lib/router/paths.ts'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { SearchTabs } from '#lib/ui/search-tabs.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { ConditionChips } from './condition-chips.tsx'
import { Results } from './results.tsx'
import { WhatIf } from './what-if.tsx'
import { ExplainMissing } from './explain-missing.tsx'
import { useRanking } from './use-ranking.ts'
import { IndexAllButton } from '../editor/privacy/not-indexed.tsx'

/** Debounce, in ms, for updating the address and for searches that call a remote provider. */
const typingPauseMs = 150

/** Embedding providers on this machine: with them, every key press starts a search. */
const localProviders: ReadonlySet<string> = new Set(['builtin', 'local', 'none'])

interface SearchViewProps {
  readonly agent: Agent
  readonly initialQuery: string
  /** Line whose ranking is explained, as `path:line`. */
  readonly initialWhy: string
}

export function SearchView({ agent, initialQuery, initialWhy }: SearchViewProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [text, setText] = useState(initialQuery)
  const [isWhatIfOpen, setIsWhatIfOpen] = useState(false)
  const [tried, setTried] = useState<SearchSettings>()
  const [isWhyOpen, setIsWhyOpen] = useState(initialWhy !== '')
  const [place, setPlace] = useState(initialWhy)
  const whyText = useDebounced(isWhyOpen ? place : '', typingPauseMs)
  const why = useMemo(() => parsePlace(whyText), [whyText])
  const status = useQuery(api.search.status.queryOptions({ input: { agent: agent.id } }))
  const typed = text.trim()
  const settledText = useDebounced(typed, typingPauseMs)
  const [query, setQuery] = useState(typed)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => navigate(paths.search(settledText, why), { replace: true }), [settledText, why, navigate])
  const settings = useQuery(api.search.settings.queryOptions({ input: { agent: agent.id } }))
  const [disabledConditions, setDisabledConditions] = useState<readonly string[]>([])
  const ranking = useRanking(agent.id, query, why, tried, disabledConditions)
  // With a local provider, one search runs at a time; the next one uses the latest text.
  const canSearchNow = status.data !== undefined && localProviders.has(status.data.provider) && !ranking.isSearching
  if (query !== typed && (canSearchNow || settledText === typed)) setQuery(typed)
  const { error, retry } = ranking
  // The results may lag behind the field.
  const explanation = useDeferredValue(ranking.explanation)
  const moves = useDeferredValue(ranking.moves)
  const isBusy = ranking.isOutdated || explanation !== ranking.explanation
  const toggleWhatIf = () => {
    setIsWhatIfOpen(!isWhatIfOpen)
    setTried(undefined)
  }
  return (
    <section aria-label={t('search.title')} className="flex min-w-0 flex-1 flex-col">
      <SearchTabs />
      <div className="flex flex-wrap items-center gap-2 px-5 pt-4 pb-3 max-sm:px-3">
        <label className="flex min-w-[min(100%,22rem)] flex-1 items-center gap-3 rounded-lg border border-line bg-raised px-4 py-2.5 focus-within:border-accent">
          <Search size={15} aria-hidden className="text-muted" />
          <input
            ref={field}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              // A disabled condition stays disabled while the query contains it.
              setDisabledConditions(disabledConditions.filter((condition) => event.target.value.includes(condition)))
            }}
            aria-label={t('search.title')}
            placeholder={t('search.placeholder')}
            className="min-w-0 flex-1 bg-transparent text-[14px] outline-none placeholder:text-muted"
          />
          {explanation && (
            <span className="tabular text-[12px] whitespace-nowrap text-muted max-sm:hidden">
              {t('search.candidates', {
                count: explanation.candidates.length,
                ms: formatNumber(Math.max(1, Math.round(explanation.timings.totalMs))),
              })}
            </span>
          )}
        </label>
        <Toggle isOn={isWhyOpen} onToggle={() => setIsWhyOpen(!isWhyOpen)}>
          <CircleHelp size={14} aria-hidden />
          {t('why.title')}
        </Toggle>
        <Toggle isOn={isWhatIfOpen} onToggle={toggleWhatIf}>
          <SlidersHorizontal size={14} aria-hidden />
          {t('whatIf.title')}
        </Toggle>
      </div>
      {explanation && query !== '' && (
        <ConditionChips
          conditions={explanation.conditions}
          onToggle={(condition) => setDisabledConditions([...toggled(disabledConditions, condition)])}
        />
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
        <div aria-busy={isBusy} className="min-h-0 min-w-0 flex-1 overflow-y-auto">
          {error ? (
            <ErrorState error={error} onRetry={retry} />
          ) : query === '' ? (
            <EmptyState title={t('search.empty')} hint={`${t('search.emptyHint')} ${t('condition.hint')}`} />
          ) : explanation ? (
            <Results agent={agent.id} explanation={explanation} moves={moves} />
          ) : (
            <Skeleton lines={9} />
          )}
          {!error && query !== '' && explanation && <UnsearchedCount agent={agent.id} />}
        </div>
        {isWhatIfOpen && settings.data && (
          <WhatIf
            hasVectors={status.data?.provider !== 'none'}
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

interface ToggleProps {
  readonly isOn: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}

function Toggle({ isOn, onToggle, children }: ToggleProps) {
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

const maxShown = 120

function UnsearchedCount({ agent }: { agent: string }) {
  return (
    <div className="px-5 py-3 text-[12px] text-muted empty:hidden">
      <UnsearchedFiles agent={agent} />
      <SkippedLinks agent={agent} />
    </div>
  )
}

function SkippedLinks({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const { data } = useQuery(api.workspace.links.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  if (data === undefined || data.count === 0) return null
  const { count, paths: shownPaths } = data
  const names = shownPaths.map((path) => clipLine(path, maxShown)).join(', ')
  return (
    <p data-testid="passed-links" className="wrap-anywhere">
      {t('unsearched.links', { count, names: count > shownPaths.length ? `${names} …` : names })}
    </p>
  )
}

function UnsearchedFiles({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const reasons = (files.data ?? []).flatMap(({ unsearched }) => unsearched?.reason ?? [])
  if (reasons.length === 0) return null
  const countOf = (reason: string) => reasons.filter((other) => other === reason).length
  const parts = [
    countOf('scope') > 0 && t('unsearched.countScope', { count: countOf('scope') }),
    countOf('project') > 0 && t('unsearched.countProject', { count: countOf('project') }),
    countOf('unreadable') > 0 && t('unsearched.countUnreadable', { count: countOf('unreadable') }),
  ].filter((part) => part !== false)
  return (
    <div data-testid="unsearched-count" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {t('unsearched.count', { count: reasons.length })} {parts.join(' · ')}
      </span>
      {countOf('scope') > 0 && <IndexAllButton agent={agent} />}
    </div>
  )
}
