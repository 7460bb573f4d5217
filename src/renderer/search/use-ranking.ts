import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SearchSettings } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'
import type { FileLine } from '#lib/router/paths.ts'
import { diffRanks } from './rank-diff.ts'

const sliderPauseMs = 40

/**
 * Returns the ranking under the current settings, or under those being tried with the changes of rank.
 * @param disabledConditions conditions of the query that are disabled
 */
export function useRanking(
  agent: string,
  query: string,
  why: FileLine | undefined,
  tried: SearchSettings | undefined,
  disabledConditions: readonly string[],
) {
  const asked = why === undefined ? { agent, query } : { agent, query, why }
  const off = disabledConditions.length > 0 ? { without: [...disabledConditions] } : {}
  const options = useDebounced(tried, sliderPauseMs)
  const inForce = useQuery(
    api.search.explain.queryOptions({
      input: query === '' ? skipToken : { ...asked, options: off },
      placeholderData: keepPreviousData,
    }),
  )
  const other = useQuery(
    api.search.explain.queryOptions({
      input: query === '' || options === undefined ? skipToken : { ...asked, options: { ...options, ...off } },
      placeholderData: keepPreviousData,
    }),
  )
  const isTrying = tried !== undefined && other.data !== undefined
  const before = inForce.data?.candidates
  const after = isTrying ? other.data?.candidates : undefined
  const moves = useMemo(() => (before && after ? diffRanks(before, after) : undefined), [before, after])
  const shown = isTrying ? other.data : inForce.data
  return {
    explanation: query === '' ? undefined : shown,
    moves,
    isAsking: inForce.isFetching,
    isBusy: isTrying ? other.isPlaceholderData || options !== tried : inForce.isPlaceholderData,
    error: inForce.error ?? (isTrying ? other.error : null),
    retry: () => void inForce.refetch(),
  }
}
