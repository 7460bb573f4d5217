import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Returns the agent's name, or its id while the list is loading or if the agent no longer exists. */
export function useAgentName(id: string): string {
  return useQuery(api.agents.list.queryOptions()).data?.find((agent) => agent.id === id)?.name ?? id
}
