import { ORPCError } from '@orpc/client'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { createMutationCache } from '../feedback/toast.ts'
import { Connection, ConnectionTimeoutError, type ConnectionState } from './connection.ts'

export const connection = new Connection()
export const { client } = connection
export const api = createTanstackQueryUtils(client)

/** Retries of a query whose socket was closed. Another runtime takes over within seconds. */
const maxRetries = 20
const retryDelayMs = 500

function shouldRetry(failures: number, error: unknown): boolean {
  if (error instanceof ORPCError || error instanceof ConnectionTimeoutError || failures >= maxRetries) return false
  return error instanceof Error && /AsyncIdQueue|WebSocket is not open/.test(error.message)
}

/**
 * Data never goes stale on a timer: events invalidate it. Failed mutations show a toast. Failed queries do
 * not: their view shows the error and a retry.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Keeps cached data when the runtime cannot be reached, and marks it stale for a refetch after reconnecting.
    onError: (error, query) => {
      if (query.state.data !== undefined && !(error instanceof ORPCError))
        query.setState({ status: 'success', error: null, isInvalidated: true })
    },
  }),
  mutationCache: createMutationCache(),
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      retry: shouldRetry,
      retryDelay: retryDelayMs,
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(connection.onChange, () => connection.state)
}
