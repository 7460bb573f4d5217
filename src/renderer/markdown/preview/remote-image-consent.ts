import { useSyncExternalStore } from 'react'

/** Addresses, each as JSON; notes as JSON of their agent and path. */
const given = new Set<string>()
const listeners = new Set<() => void>()

const ofPicture = (address: string) => JSON.stringify(address)
const ofNote = (agent: string, path: string) => JSON.stringify([agent, path])

export function useLeave(agent: string, path: string, address: string): boolean {
  return useSyncExternalStore(onGiven, () => given.has(ofPicture(address)) || given.has(ofNote(agent, path)))
}

export function givePicture(address: string): void {
  give(ofPicture(address))
}

export function giveNote(agent: string, path: string): void {
  give(ofNote(agent, path))
}

function give(key: string): void {
  given.add(key)
  for (const listener of listeners) listener()
}

function onGiven(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
