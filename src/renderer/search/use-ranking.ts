import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SearchOptions, SearchSettings } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'
import type { FileLine } from '#lib/router/paths.ts'
import { diffRanks } from './rank-diff.ts'

const sliderPauseMs = 40

/**
 * Returns the ranking under the settings that are tried, with the rank changes; otherwise under the current settings.
 * @param disabledConditions conditions of the query, such as `path:projects`, that do not filter
 */
export function useRanking(
  agent: string,
  query: string,
  explainedLine: FileLine | undefined,
  tried: SearchSettings | undefined,
  disabledConditions: readonly string[],
) {
  const input = explainedLine === undefined ? { agent, query } : { agent, query, why: explainedLine }
  const conditionOptions = disabledConditions.length > 0 ? { without: [...disabledConditions] } : {}
  const debounced = useDebounced(tried, sliderPauseMs)
  const isTried = query !== '' && debounced !== undefined
  const current = useQuery(
    api.search.explain.queryOptions({
      input: query === '' ? skipToken : { ...input, options: conditionOptions },
      placeholderData: keepPreviousData,
    }),
  )
  const preview = useQuery(
    api.search.explain.queryOptions({
      input: isTried ? { ...input, options: { ...triedOptions(debounced), ...conditionOptions } } : skipToken,
      placeholderData: keepPreviousData,
    }),
  )
  const isPreviewShown = tried !== undefined && preview.data !== undefined
  const before = current.data?.candidates
  const after = isPreviewShown ? preview.data?.candidates : undefined
  const moves = useMemo(() => (before && after ? diffRanks(before, after) : undefined), [before, after])
  const shown = isPreviewShown ? preview.data : current.data
  return {
    explanation: query === '' ? undefined : shown,
    moves,
    isSearching: current.isFetching,
    isOutdated: isPreviewShown ? preview.isPlaceholderData || debounced !== tried : current.isPlaceholderData,
    error: current.error ?? (isPreviewShown ? preview.error : null),
    retry: () => void (current.error ? current : preview).refetch(),
  }
}

/** The threshold of the weighted sum must not apply to the ranking model. */
function triedOptions({ minScore, ...settings }: SearchSettings): SearchOptions {
  return settings.weights === 'auto' ? settings : { ...settings, minScore }
}
