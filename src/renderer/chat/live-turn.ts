import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { ChatEvent, SessionMessage } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { reduceChatEvent, idle, type LiveTurn } from './turns.ts'

/** Delay before the stream of events is opened again, in ms. */
const reconnectDelayMs = 500

/** Last states of turns whose view was closed while they ran, shown until the runtime sends the current state. */
const lastStates = new Map<string, LiveTurn>()

export class LiveTurnFollower {
  readonly #input: { readonly agent: string; readonly session: string }
  readonly #key: string
  #turn: LiveTurn
  #animationFrame = 0
  readonly #listeners = new Set<() => void>()

  constructor(agent: string, session: string) {
    this.#input = { agent, session }
    this.#key = JSON.stringify([agent, session])
    this.#turn = lastStates.get(this.#key) ?? idle
  }

  get turn(): LiveTurn {
    return this.#turn
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async follow(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#saveState(), { once: true })
    let isFirst = true
    while (!signal.aborted) {
      try {
        for await (const event of await client.chat.watch(this.#input, { signal })) {
          // A `partial` event after a reconnect: events may be missing, so the conversation is refetched.
          if (event.type === 'changed' || (event.type === 'partial' && !isFirst))
            void queryClient.invalidateQueries({ queryKey: api.sessions.get.key({ input: this.#input }) })
          isFirst = false
          this.#apply(event)
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, reconnectDelayMs))
    }
  }

  #saveState(): void {
    cancelAnimationFrame(this.#animationFrame)
    if (this.#turn.isRunning) lastStates.set(this.#key, this.#turn)
    else lastStates.delete(this.#key)
  }

  #apply(event: ChatEvent): void {
    if (event.type === 'message') addToCache(this.#input, event)
    this.#turn = reduceChatEvent(this.#turn, event)
    this.#animationFrame ||= requestAnimationFrame(() => {
      this.#animationFrame = 0
      for (const listener of this.#listeners) listener()
    })
  }
}

export function useLiveTurnFollower(agent: string, session: string | undefined): LiveTurnFollower {
  const follower = useMemo(() => new LiveTurnFollower(agent, session ?? ''), [agent, session])
  useEffect(() => {
    if (session === undefined) return undefined
    const controller = new AbortController()
    void follower.follow(controller.signal)
    return () => controller.abort()
  }, [follower, session])
  return follower
}

/** Returns a part of the live turn and rerenders when it changes. `select` must return a stable value. */
export function useLive<T>(follower: LiveTurnFollower, select: (turn: LiveTurn) => T): T {
  return useSyncExternalStore(follower.subscribe, () => select(follower.turn))
}

/** Adds a message to the cached conversation before the refetch. Repeats a pending fetch, which may lack it. */
function addToCache(input: { agent: string; session: string }, { id, message, versions }: SessionMessage): void {
  const queryKey = api.sessions.get.queryKey({ input })
  const isFetching = queryClient.getQueryState(queryKey)?.fetchStatus === 'fetching'
  queryClient.setQueryData(queryKey, (old) => {
    if (!old || old.messages.some((stored) => stored.id === id)) return old
    return { ...old, messages: [...old.messages, { id, message, versions }], over: false }
  })
  if (isFetching) void queryClient.invalidateQueries({ queryKey })
}
