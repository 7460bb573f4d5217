import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Skeleton } from '../ui/states.tsx'
import { ErrorState } from './error-state.tsx'

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>
  /** Lines of the placeholder while the data is loading. */
  readonly lines?: number
  readonly children: (data: T) => ReactNode
}

/** Shows the data of a query, or its error with a retry. */
export function QueryView<T>({ query, lines = 5, children }: QueryViewProps<T>) {
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return query.data === undefined ? <Skeleton lines={lines} /> : children(query.data)
}
