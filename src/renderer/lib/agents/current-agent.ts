import { createContext, use, useLayoutEffect, useSyncExternalStore } from 'react'
import type { Agent } from '#shared/contract/index.ts'
import { EventEmitter } from '#shared/util/events.ts'
import { navigate, fileAt, paths, sessionAt } from '../router/paths.ts'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

const storageKey = 'commonplace.agent'
const changes = new EventEmitter()
const lastAddresses = new Map<string, string>()
let currentId = localStorage.getItem(storageKey) ?? ''

/**
 * Returns the agent that was chosen last. If it is deleted or archived, returns the first one that is not archived, and
 * leaves an address of a chat or file of the previous agent.
 * @returns undefined if there are no agents
 */
export function useCurrentAgent(agents: readonly Agent[]): Agent | undefined {
  const id = useSyncExternalStore(changes.subscribe, () => currentId)
  const agent =
    agents.find((other) => other.id === id && !other.archived) ?? agents.find(({ archived }) => !archived) ?? agents[0]
  const replacementId = agent && id !== '' && agent.id !== id ? agent.id : undefined
  useLayoutEffect(() => {
    const path = location.pathname
    const showsContent = sessionAt(path) !== undefined || fileAt(path) !== undefined
    if (replacementId !== undefined && showsContent) navigate(paths.chat())
  }, [replacementId])
  return agent
}

/**
 * Switches to an agent and remembers the address at which the previous one was left.
 * @returns the address to open: the last one of this agent, or `/`
 */
export function chooseAgent(id: string, from: { readonly id: string; readonly place: string }): string {
  lastAddresses.set(from.id, from.place)
  currentId = id
  localStorage.setItem(storageKey, id)
  changes.emit()
  return lastAddresses.get(id) ?? '/'
}

/** Returns the agent's name, or its id while the list is loading or if the agent no longer exists. */
export function useAgentName(id: string): string {
  return useQuery(api.agents.list.queryOptions()).data?.find((agent) => agent.id === id)?.name ?? id
}

export const AgentContext = createContext<Agent | undefined>(undefined)

export function useAgent(): Agent {
  const agent = use(AgentContext)
  if (!agent) throw new Error('useAgent must be used inside AgentContext')
  return agent
}
