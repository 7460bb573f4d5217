import { ORPCError } from '@orpc/client'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { createMutationCache } from '../feedback/mutation-cache.ts'
import { Connection, Unreachable, type ConnectionState } from './connection.ts'

export const connection = new Connection()
export const { client } = connection
export const api = createTanstackQueryUtils(client)

/** What the client says of a socket that closes while it waits. A runtime that ends hands over to another within seconds. */
const lostRetries = 20
const lostRetryMs = 500

function isConnectionLost(failures: number, error: unknown): boolean {
  if (
    error instanceof ORPCError ||
    error instanceof Unreachable ||
    !(error instanceof Error) ||
    failures >= lostRetries
  )
    return false
  return /AsyncIdQueue|WebSocket is not open/.test(error.message)
}

/** What was read before stays where it is shown while nobody answers; it is read anew as soon as somebody does. */
function createQueryCache(): QueryCache {
  return new QueryCache({
    onError: (error, query) => {
      const isShown = query.state.data !== undefined
      if (isShown && !(error instanceof ORPCError))
        query.setState({ status: 'success', error: null, isInvalidated: true })
    },
  })
}

/**
 * Events say when something is stale; until then what is there is right. A mutation that fails is told in a toast; a query
 * that fails is not: its view stands where the failure is shown, and can be asked again.
 */
export const queryClient = new QueryClient({
  queryCache: createQueryCache(),
  mutationCache: createMutationCache(),
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      retry: isConnectionLost,
      retryDelay: lostRetryMs,
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(connection.onChange, () => connection.state)
}
