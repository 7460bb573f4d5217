/** The typed client, its queries, and the hooks that every view uses. */
import { ORPCError } from '@orpc/client'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { createMutationCache } from '../feedback/index.ts'
import { Connection, type ConnectionState } from './connection.ts'

export const connection = new Connection()
export const { client } = connection
export const api = createTanstackQueryUtils(client)

/** What the client says of a socket that closes while it waits. A runtime that ends hands over to another within seconds. */
const lostRetries = 20
const lostRetryMs = 500

function isConnectionLost(failures: number, error: unknown): boolean {
  if (error instanceof ORPCError || !(error instanceof Error) || failures >= lostRetries) return false
  return /AsyncIdQueue|WebSocket is not open/.test(error.message)
}

/**
 * Events say when something is stale; until then what is there is right. A mutation that fails is told in a toast; a query
 * that fails is not: its view stands where the failure is shown, and can be asked again.
 */
export const queryClient = new QueryClient({
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
