import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { ChatEvent, SessionMessage } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { reduceChatEvent, idle, type LiveTurn } from './live-turn-state.ts'

const retryMs = 500

/** Last state of answers whose view was closed while they ran. Shown until the runtime sends the current state. */
const lastStates = new Map<string, LiveTurn>()

export class LiveTurnFollower {
  readonly #agent: string
  readonly #session: string
  #turn: LiveTurn = idle
  #frame = 0
  readonly #listeners = new Set<() => void>()

  constructor(agent: string, session: string) {
    this.#agent = agent
    this.#session = session
    this.#turn = lastStates.get(this.#name) ?? idle
  }

  get #name(): string {
    return JSON.stringify([this.#agent, this.#session])
  }

  get turn(): LiveTurn {
    return this.#turn
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async follow(signal: AbortSignal): Promise<void> {
    const input = { agent: this.#agent, session: this.#session }
    signal.addEventListener('abort', () => this.#leave(), { once: true })
    let isFirst = true
    while (!signal.aborted) {
      try {
        for await (const event of await client.chat.watch(input, { signal })) {
          // Events were missed while the connection was lost, so the conversation is refetched.
          if (event.type === 'changed' || (event.type === 'partial' && !isFirst)) this.#refresh()
          isFirst = false
          this.#apply(event)
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  #leave(): void {
    cancelAnimationFrame(this.#frame)
    if (this.#turn.running) lastStates.set(this.#name, this.#turn)
    else lastStates.delete(this.#name)
  }

  #apply(event: ChatEvent): void {
    if (event.type === 'message') addToCache(this.#agent, this.#session, event)
    this.#turn = reduceChatEvent(this.#turn, event)
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      for (const listener of this.#listeners) listener()
    })
  }

  #refresh(): void {
    const input = { agent: this.#agent, session: this.#session }
    void queryClient.invalidateQueries({ queryKey: api.sessions.get.key({ input }) })
  }
}

export function useLiveTurnFollower(agent: string, session: string | undefined): LiveTurnFollower {
  const follower = useMemo(() => new LiveTurnFollower(agent, session ?? ''), [agent, session])
  useEffect(() => {
    if (session === undefined) return undefined
    const stop = new AbortController()
    void follower.follow(stop.signal)
    return () => stop.abort()
  }, [follower, session])
  return follower
}

/** Rerenders when the selected part changes. `select` must return a stable value. */
export function useLive<T>(follower: LiveTurnFollower, select: (turn: LiveTurn) => T): T {
  return useSyncExternalStore(follower.subscribe, () => select(follower.turn))
}

/**
 * Adds a message to the cached conversation, which avoids flicker until the refetch. A pending fetch may not
 * include the message, so it is repeated.
 */
function addToCache(agent: string, session: string, { id, message, versions }: SessionMessage): void {
  const queryKey = api.sessions.get.queryKey({ input: { agent, session } })
  const isOnItsWay = queryClient.getQueryState(queryKey)?.fetchStatus === 'fetching'
  queryClient.setQueryData(queryKey, (old) => {
    if (!old || old.messages.some((known) => known.id === id)) return old
    return { ...old, messages: [...old.messages, versions ? { id, message, versions } : { id, message }], over: false }
  })
  if (isOnItsWay) void queryClient.invalidateQueries({ queryKey })
}
