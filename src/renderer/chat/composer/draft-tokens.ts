import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Draft } from '#shared/contract/index.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'

/** Debounce of the count, in ms: counting a long text on each key would be noticeable. */
const pauseMs = 300

let written = { of: '', tokens: 0 }
const listeners = new Set<() => void>()

function set(next: typeof written): void {
  if (next.of === written.of && next.tokens === written.tokens) return
  written = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const nameOf = (agent: string, session: string | undefined) => JSON.stringify([agent, session])

/**
 * Counts the draft and publishes the number for `usePublishedDraftTokens`.
 * @returns estimated tokens, without images
 */
export function useDraftTokens(agent: string, session: string | undefined, draft: Draft): number {
  const { text, attachments } = useDebounced(draft, pauseMs)
  // The debounced draft stays the same for many keys.
  const tokens = useMemo(
    () =>
      estimateTokens(text) +
      attachments.reduce((sum, one) => sum + (one.type === 'file' ? estimateTokens(one.text) : 0), 0),
    [text, attachments],
  )
  const of = nameOf(agent, session)
  useEffect(() => {
    set({ of, tokens })
    return () => set({ of: '', tokens: 0 })
  }, [of, tokens])
  return tokens
}

/** Returns the estimated tokens of the draft in this conversation, 0 if there is none. */
export function usePublishedDraftTokens(agent: string, session: string | undefined): number {
  const of = nameOf(agent, session)
  return useSyncExternalStore(subscribe, () => (written.of === of ? written.tokens : 0))
}
