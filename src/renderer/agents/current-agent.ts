/** Which agent the window shows; each is found again where it was left. */
import { useSyncExternalStore } from 'react'
import type { Agent } from '../../shared/contract/index.ts'

const storageKey = 'commonplace.agent'
const listeners = new Set<() => void>()
const lastPlaces = new Map<string, string>()
let chosen = localStorage.getItem(storageKey) ?? ''

/** The agent that was chosen last, or else the first one that is not archived. */
export function useCurrentAgent(agents: readonly Agent[]): Agent | undefined {
  const id = useSyncExternalStore(subscribe, () => chosen)
  return (
    agents.find((agent) => agent.id === id && !agent.archived) ?? agents.find(({ archived }) => !archived) ?? agents[0]
  )
}

/** @returns where the window should go: the place at which the agent was left, or its new chat */
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
