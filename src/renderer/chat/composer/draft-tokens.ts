import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Draft } from '#shared/contract/index.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'

/** Debounce of the count, in ms: counting a long text on each key would be noticeable. */
const pauseMs = 300

let published = { key: '', tokens: 0 }
const listeners = new Set<() => void>()

function publish(next: typeof published): void {
  if (next.key === published.key && next.tokens === published.tokens) return
  published = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const keyOf = (agent: string, session: string | undefined) => JSON.stringify([agent, session])

/**
 * Counts the draft and publishes the number for `usePublishedDraftTokens`.
 * @returns estimated tokens, without images
 */
export function useDraftTokens(agent: string, session: string | undefined, draft: Draft): number {
  const { text, attachments } = useDebounced(draft, pauseMs)
  // Counted again only when the debounced draft changes, not on each key.
  const tokens = useMemo(
    () =>
      estimateTokens(text) +
      attachments.reduce((sum, file) => sum + (file.type === 'file' ? estimateTokens(file.text) : 0), 0),
    [text, attachments],
  )
  const key = keyOf(agent, session)
  useEffect(() => {
    publish({ key, tokens })
    return () => publish({ key: '', tokens: 0 })
  }, [key, tokens])
  return tokens
}

/** Returns the estimated tokens of the draft in this conversation, 0 if there is none. */
export function usePublishedDraftTokens(agent: string, session: string | undefined): number {
  const key = keyOf(agent, session)
  return useSyncExternalStore(subscribe, () => (published.key === key ? published.tokens : 0))
}
