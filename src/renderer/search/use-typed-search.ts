import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { SearchOptions, SearchSettings } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { type FileLine, navigate } from '#lib/router/paths.ts'
import { useDebounced } from '#lib/util/hooks.ts'
import { diffRanks } from './candidates.ts'

/** Pause in typing before a search that calls a remote provider, in ms. */
export const typingPauseMs = 150
const sliderPauseMs = 40

/** Embedding providers on this machine: with them, every key press starts a search. */
const localProviders: ReadonlySet<string> = new Set(['builtin', 'local', 'none'])

interface TypedSearchOptions {
  readonly why?: FileLine | undefined
  readonly tried?: SearchSettings | undefined
  readonly options?: Pick<SearchOptions, 'staysHere' | 'hasPrivate'>
}

/** The text follows the address while the view is open. @param linked the query of the address */
export function useLinkedText(linked: string) {
  const [text, setText] = useState(linked)
  const shown = useRef(linked)
  useEffect(() => {
    if (linked === shown.current) return
    shown.current = linked
    setText(linked)
  }, [linked])
  const replaceAddress = useCallback((path: string, query: string) => {
    shown.current = query
    navigate(path, { replace: true })
  }, [])
  return { text, setText, replaceAddress }
}

/**
 * Searches while the user types. With a local provider, one search runs at a time; the next one uses the latest text.
 * Returns the ranking under the settings that are tried, with the rank changes; otherwise under the current settings.
 * @param text content of the field
 */
export function useTypedSearch(text: string, { why, tried, options = {} }: TypedSearchOptions = {}) {
  const { id: agent } = useAgent()
  const status = useQuery(api.search.status.queryOptions({ input: { agent } }))
  const typed = text.trim()
  const settledText = useDebounced(typed, typingPauseMs)
  const [query, setQuery] = useState(typed)
  const [disabled, setDisabled] = useState<readonly string[]>([])
  // A disabled condition stays disabled while the query contains it.
  const disabledConditions = disabled.filter((condition) => text.includes(condition))
  const without = disabledConditions.length > 0 ? { without: disabledConditions } : {}
  const input = { agent, query, ...(why && { why }) }
  const debounced = useDebounced(tried, sliderPauseMs)
  const explain = (extra: SearchOptions | undefined) =>
    api.search.explain.queryOptions({
      input: query === '' || !extra ? skipToken : { ...input, options: { ...extra, ...options, ...without } },
      placeholderData: keepPreviousData,
    })
  const current = useQuery(explain({}))
  const preview = useQuery(explain(debounced && triedOptions(debounced)))
  const isPreviewShown = tried !== undefined && preview.data !== undefined
  const shown = isPreviewShown ? preview.data : current.data
  const before = current.data?.candidates
  const after = isPreviewShown ? shown?.candidates : undefined
  const latestMoves = useMemo(() => (before && after ? diffRanks(before, after) : undefined), [before, after])
  const latest = query === '' ? undefined : shown
  const isOutdated = isPreviewShown ? preview.isPlaceholderData || debounced !== tried : current.isPlaceholderData
  const provider = status.data?.provider
  const isLocal = options.staysHere === true || (provider !== undefined && localProviders.has(provider))
  const canSearchNow = isLocal && !current.isFetching
  if (query !== typed && (canSearchNow || settledText === typed)) setQuery(typed)
  // The results may lag behind the field.
  const explanation = useDeferredValue(latest)
  const moves = useDeferredValue(latestMoves)
  return {
    query,
    settledText,
    explanation,
    moves,
    error: current.error ?? (isPreviewShown ? preview.error : null),
    retry: () => void (current.error ? current : preview).refetch(),
    isBusy: isOutdated || explanation !== latest,
    hasVectors: provider !== 'none',
    toggleCondition: (condition: string) =>
      setDisabled([...new Set(disabledConditions).symmetricDifference(new Set([condition]))]),
  }
}

/** The threshold of the weighted sum must not apply to the ranking model. */
function triedOptions({ minScore, ...settings }: SearchSettings): SearchOptions {
  return settings.weights === 'auto' ? settings : { ...settings, minScore }
}
