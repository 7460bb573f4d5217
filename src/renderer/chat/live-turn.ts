import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ChatMessage } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { reduceChatEvent, idle, type LiveTurn } from './turns.ts'

const reconnectDelayMs = 500

const liveKey = (agent: string, session: string | undefined) => ['live turn', agent, session ?? null]

export function useLive<T>(session: string | undefined, select: (turn: LiveTurn) => T): T {
  const { id } = useAgent()
  return useQuery({ queryKey: liveKey(id, session), enabled: false, initialData: idle, select }).data
}

/** Keeps the live turn of a chat up to date. A turn whose view was closed keeps its last state in the query cache. */
export function useFollowedTurn(session: string | undefined): void {
  const { id: agent } = useAgent()
  useEffect(() => {
    if (session === undefined) return undefined
    const controller = new AbortController()
    void followTurn({ agent, session }, controller.signal)
    return () => controller.abort()
  }, [agent, session])
}

async function followTurn(input: { agent: string; session: string }, signal: AbortSignal): Promise<void> {
  let isFirst = true
  while (!signal.aborted) {
    try {
      for await (const event of await client.chat.watch(input, { signal })) {
        // A `partial` event after a reconnect: events may be missing, so the chat is refetched.
        if (event.type === 'changed' || (event.type === 'partial' && !isFirst))
          void queryClient.invalidateQueries({ queryKey: api.chats.get.key({ input }) })
        isFirst = false
        if (event.type === 'message') addToCache(input, event)
        const key = liveKey(input.agent, input.session)
        queryClient.setQueryData<LiveTurn>(key, (turn = idle) => reduceChatEvent(turn, event))
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, reconnectDelayMs))
  }
}

/** Adds a message to the cached chat before the refetch. Repeats a pending fetch: its answer may lack the message. */
function addToCache(input: { agent: string; session: string }, { id, message, versions }: ChatMessage): void {
  const queryKey = api.chats.get.queryKey({ input })
  const isFetching = queryClient.getQueryState(queryKey)?.fetchStatus === 'fetching'
  queryClient.setQueryData(queryKey, (old) => {
    if (!old || old.messages.some((stored) => stored.id === id)) return old
    return { ...old, messages: [...old.messages, { id, message, versions }], over: false }
  })
  if (isFetching) void queryClient.invalidateQueries({ queryKey })
}
