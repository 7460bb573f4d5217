import { useLayoutEffect, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { fileAt, paths, sessionAt } from '../router/paths.ts'

const storageKey = 'commonplace.agent'
const listeners = new Set<() => void>()
const lastPlaces = new Map<string, string>()
let chosen = localStorage.getItem(storageKey) ?? ''

/**
 * Returns the agent that was chosen last. If it is gone or archived, returns the first agent that is not
 * archived and navigates away, since the address belongs to the other agent.
 * @returns undefined if there are no agents
 */
export function useCurrentAgent(agents: readonly Agent[]): Agent | undefined {
  const id = useSyncExternalStore(subscribe, () => chosen)
  const [, navigate] = useLocation()
  const agent =
    agents.find((known) => known.id === id && !known.archived) ?? agents.find(({ archived }) => !archived) ?? agents[0]
  const other = agent && id !== '' && agent.id !== id ? agent.id : undefined
  useLayoutEffect(() => {
    const place = location.pathname
    if (other !== undefined && (sessionAt(place) !== undefined || fileAt(place) !== undefined)) navigate(paths.chat())
  }, [other, navigate])
  return agent
}

/**
 * Switches to an agent and remembers the address at which the previous one was left.
 * @returns the address to open: the last one of this agent, or `/`
 */
export function chooseAgent(id: string, from: { readonly id: string; readonly place: string }): string {
  lastPlaces.set(from.id, from.place)
  chosen = id
  localStorage.setItem(storageKey, id)
  for (const listener of listeners) listener()
  return lastPlaces.get(id) ?? '/'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
