/** Follows the running turn of a conversation. Text arrives in small pieces; it is shown once a frame. */
import { useEffect, useRef, useState } from 'react'
import type { ChatEvent, SessionMessage } from '../../shared/contract/index.ts'
import { api, client, queryClient } from '../api/index.ts'
import { advance, idle, type LiveTurn } from './live-turn-state.ts'

/** A stream that ends early (the connection was lost) is asked for again after this, in ms. */
const retryMs = 500

export function useLiveTurn(agent: string, session: string | undefined): LiveTurn {
  const [shown, setShown] = useState(idle)
  const latest = useRef(idle)
  useEffect(() => {
    if (session === undefined) return undefined
    const stop = new AbortController()
    let frame = 0
    const update = (next: LiveTurn) => {
      latest.current = next
      frame ||= requestAnimationFrame(() => {
        frame = 0
        setShown(latest.current)
      })
    }
    void follow(agent, session, stop.signal, (event) => {
      if (event.type === 'message') keepMessage(agent, session, event)
      update(advance(latest.current, event))
    })
    return () => {
      stop.abort()
      cancelAnimationFrame(frame)
      latest.current = idle
    }
  }, [agent, session])
  return shown
}

async function follow(
  agent: string,
  session: string,
  signal: AbortSignal,
  onEvent: (event: ChatEvent) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of await client.chat.watch({ agent, session }, { signal })) onEvent(event)
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

/** Puts the message where the query will have it, so that nothing flickers until it is read again. */
function keepMessage(agent: string, session: string, { id, message }: SessionMessage): void {
  queryClient.setQueryData(api.sessions.get.queryKey({ input: { agent, session } }), (old) => {
    if (!old || old.messages.some((known) => known.id === id)) return old
    return { ...old, messages: [...old.messages, { id, message }] }
  })
}
