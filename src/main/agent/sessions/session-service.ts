/**
 * Ends sessions: when the reset rule or the user has ended one, saves its notes and its summary. Checks once a minute,
 * and at the start for sessions that ended meanwhile. Works on one session at a time, the oldest first, in one process.
 * If the model cannot be reached, it tries again later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { isTransient } from '#llm'
import { readIfExists, writeDurably, type AgentConfig, type Clock } from '#platform'
import { endedEntry, summaryEntry } from './session-events.ts'
import { isOver, wasEndedByHand } from './session-end.ts'
import type { Sessions } from './sessions.ts'
import type { Transcript } from './transcript.ts'

export interface SessionServiceOptions {
  readonly sessions: Sessions
  readonly config: AgentConfig
  readonly now: Clock
  /** Absolute path of the file with the time from which sessions are ended. */
  readonly stateFile: string
  readonly isBusy: (session: string) => boolean
  /** Saves notes and the summary of a session. @throws AppError of the model */
  readonly end: (session: string, transcript: Transcript, signal: AbortSignal) => Promise<unknown>
  readonly onFault: (error: unknown) => void
}

const checkEveryMs = 60_000
const firstCheckMs = 5000
/** Wait after a model could not be reached; doubles with each further failure. */
const [minRetryMs, maxRetryMs] = [10 * 60_000, 4 * 60 * 60_000]
/** Time for the session in work when the app quits. */
const closeMs = 2000
/** The first start ends only sessions of these days; a summary of each earlier one would cost the user tokens. */
const firstDays = 7

const stateSchema = z.object({ since: z.number() })

export class SessionService {
  readonly #options: SessionServiceOptions
  readonly #closing = new AbortController()
  /** Time of the last message, by session, for sessions with nothing to do. */
  readonly #done = new Map<string, number>()
  #timers: NodeJS.Timeout[] = []
  #running: Promise<void> = Promise.resolve()
  /** Time of the next attempt, ms since the epoch, and the failed ones, by the id of a model that failed. */
  readonly #retries = new Map<string, { readonly at: number; readonly failures: number }>()
  #lastSettings: AgentConfig['current'] | undefined

  constructor(options: SessionServiceOptions) {
    this.#options = options
  }

  start(): void {
    const check = () => void this.check()
    this.#timers = [setTimeout(check, firstCheckMs), setInterval(check, checkEveryMs)]
    for (const timer of this.#timers) timer.unref()
  }

  /** Ends a session; does nothing if it has no messages. @throws AppError `unknown_session` */
  async end(session: string): Promise<void> {
    const transcript = await this.#options.sessions.get(session)
    if (transcript.messages().length === 0 || wasEndedByHand(transcript)) return
    await transcript.appendCustom(endedEntry, {})
    this.#done.delete(session)
    void this.check()
  }

  /** Works on the sessions that have ended. */
  check(): Promise<void> {
    this.#running = this.#running.then(() => this.#endSessions()).catch(this.#options.onFault)
    return this.#running
  }

  /** Resolves after the current checks. */
  get running(): Promise<void> {
    return this.#running
  }

  /** Stops the checks. Gives the session in work a short time. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.race([this.#running, sleep(closeMs, undefined, { ref: false })])
    this.#closing.abort()
    await this.#running
  }

  async #endSessions(): Promise<void> {
    const { config } = this.#options
    if (!config.current.session.memoryHook.enabled) return
    // New settings may reach a model that could not be reached.
    if (config.current !== this.#lastSettings) this.#retries.clear()
    this.#lastSettings = config.current
    for (const session of await this.#endedSessions()) if (!this.#closing.signal.aborted) await this.#endOne(session)
  }

  /** Returns the sessions with something to do, the one with the oldest last message first. */
  async #endedSessions(): Promise<string[]> {
    const { sessions } = this.#options
    const open = (await sessions.list()).filter(({ id, updatedAt }) => this.#done.get(id) !== updatedAt)
    const ended: string[] = []
    for (const { id, updatedAt } of open.sort((one, other) => one.updatedAt - other.updatedAt)) {
      const transcript = await orUndefined(sessions.get(id))
      if (transcript && this.#hasNothingToDo(transcript)) this.#done.set(id, updatedAt)
      else if (transcript && this.#hasEnded(id, transcript)) ended.push(id)
    }
    return ended
  }

  #hasNothingToDo(transcript: Transcript): boolean {
    const messages = transcript.messages()
    const hasUserText = messages.some(({ message }) => message.role === 'user')
    const summary = transcript.lastCustom(summaryEntry)
    const isSummarized = isRecord(summary) && summary['through'] === messages.at(-1)?.id
    return transcript.isWithoutMemory || !hasUserText || isSummarized
  }

  #hasEnded(session: string, transcript: Transcript): boolean {
    const { config, now, isBusy } = this.#options
    return !isBusy(session) && (wasEndedByHand(transcript) || isOver(transcript, now(), config.current.session.reset))
  }

  async #endOne(session: string): Promise<void> {
    const { sessions, now, end, onFault } = this.#options
    // The user may have changed or deleted the session meanwhile.
    const transcript = await orUndefined(sessions.get(session))
    if (!transcript || this.#hasNothingToDo(transcript) || !this.#hasEnded(session, transcript)) return
    const model = transcript.modelId ?? ''
    const updatedAt = transcript.messages().at(-1)?.message.timestamp ?? 0
    const isOld = updatedAt < (await this.#since()) && !wasEndedByHand(transcript)
    if (!isOld && now().getTime() < (this.#retries.get(model)?.at ?? 0)) return
    try {
      if (!isOld) await end(session, transcript, this.#closing.signal)
      this.#retries.delete(model)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      if (error instanceof AppError && isTransient(error)) {
        const { failures = 0 } = this.#retries.get(model) ?? {}
        const waitMs = Math.min(maxRetryMs, minRetryMs * 2 ** failures)
        this.#retries.set(model, { at: now().getTime() + waitMs, failures: failures + 1 })
        return
      }
      // The session may have been deleted. The others must not wait for it.
      if (await orUndefined(sessions.get(session))) onFault(error)
    }
    this.#done.set(session, updatedAt)
  }

  /** Returns the time from which sessions are ended, ms since the epoch: some days before the first start. */
  async #since(): Promise<number> {
    const { stateFile, now } = this.#options
    const stored = stateSchema.safeParse(parseJson((await readIfExists(stateFile)) ?? '')).data
    if (stored) return stored.since
    const since = now().getTime() - firstDays * 24 * 60 * 60_000
    await writeDurably(stateFile, JSON.stringify({ since }))
    return since
  }
}
