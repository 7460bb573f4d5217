/** The typed client, its queries, and the hooks that every view uses. */
import { ORPCError } from '@orpc/client'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Connection, type ConnectionState } from './connection.ts'

export const connection = new Connection()
export const { client } = connection
export const api = createTanstackQueryUtils(client)

/** A runtime that ends hands over to another within seconds. */
const lostRetries = 20
const lostRetryMs = 500

function isConnectionLost(failures: number, error: unknown): boolean {
  return failures < lostRetries && !(error instanceof ORPCError)
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
