import { useQuery } from '@tanstack/react-query'
import { CircleHelp, Search, SlidersHorizontal } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import type { Agent, SearchSettings } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { useDebounced } from '#lib/util/use-debounced.ts'
import { useTextField } from '#lib/util/composition.ts'
import { parsePlace, paths } from '#lib/router/paths.ts'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { InspectTabs } from '#lib/ui/inspect-tabs.tsx'
import { ConditionChips } from './condition-chips.tsx'
import { Results } from './results.tsx'
import { WhatIf } from './what-if.tsx'
import { ExplainMissing } from './explain-missing.tsx'
import { UnsearchedCount } from './unsearched-count.tsx'
import { typingPauseMs, useTypedSearch } from './use-typed-search.ts'

interface FoundViewProps {
  readonly agent: Agent
  readonly initialQuery: string
  /** Line whose ranking is explained, as `path:line`. */
  readonly initialWhy: string
}

export function FoundView({ agent, initialQuery, initialWhy }: FoundViewProps) {
  const { t } = useTranslation()
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
