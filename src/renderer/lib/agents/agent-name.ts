import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The id itself until the name is known, and of one that is there no more. */
export function useAgentName(id: string): string {
  return useQuery(api.agents.list.queryOptions()).data?.find((agent) => agent.id === id)?.name ?? id
}
