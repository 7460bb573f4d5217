import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SearchSettings } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'
import type { FileLine } from '#lib/router/paths.ts'
import { diffRanks } from './rank-diff.ts'

const sliderPauseMs = 40

/**
 * Returns the ranking under the current settings, or the ranking under the settings being tried and the changes of rank.
 * @param disabledConditions conditions of the query that are disabled
 */
export function useRanking(
  agent: string,
  query: string,
  why: FileLine | undefined,
  tried: SearchSettings | undefined,
  disabledConditions: readonly string[],
) {
  const input = why === undefined ? { agent, query } : { agent, query, why }
  const without = disabledConditions.length > 0 ? { without: [...disabledConditions] } : {}
  const options = useDebounced(tried, sliderPauseMs)
  const current = useQuery(
    api.search.explain.queryOptions({
      input: query === '' ? skipToken : { ...input, options: without },
      placeholderData: keepPreviousData,
    }),
  )
  const preview = useQuery(
    api.search.explain.queryOptions({
      input: query === '' || options === undefined ? skipToken : { ...input, options: { ...options, ...without } },
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
    isFetching: current.isFetching,
    isBusy: isPreviewShown ? preview.isPlaceholderData || options !== tried : current.isPlaceholderData,
    error: current.error ?? (isPreviewShown ? preview.error : null),
    retry: () => void current.refetch(),
  }
}
