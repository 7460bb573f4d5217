import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Draft } from '#shared/contract/index.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { queryClient } from '#lib/api/client.ts'
import { useDebounced } from '#lib/util/hooks.ts'

/** Debounce of the count, in ms: counting a long text on each key would be noticeable. */
const pauseMs = 300

const keyOf = (agent: string, session: string | undefined) => ['draft tokens', agent, session ?? null]

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
  useEffect(() => {
    queryClient.setQueryData(keyOf(agent, session), tokens)
    return () => void queryClient.setQueryData(keyOf(agent, session), 0)
  }, [agent, session, tokens])
  return tokens
}

/** Returns the estimated tokens of the draft in this conversation, 0 if there is none. */
export function usePublishedDraftTokens(agent: string, session: string | undefined): number {
  return useQuery<number>({ queryKey: keyOf(agent, session), queryFn: skipToken }).data ?? 0
}
