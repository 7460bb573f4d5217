/** The typed client, its queries, and the hooks that every view uses. */
import { ORPCError } from '@orpc/client'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
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

/** Events say when something is stale; until then what is there is right. */
export const queryClient = new QueryClient({
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
