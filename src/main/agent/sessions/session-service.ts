/**
 * Ends sessions: when the reset rule or the user has ended one, saves its notes and its summary. Takes the missing notes
 * of sessions whose flush has failed, also of ended ones. Checks once a minute, and at the start for what happened
 * meanwhile. Works on one session at a time, the oldest first. After a failure, it tries again later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { isRecord } from '#shared/util/json.ts'
import { isTransient } from '#llm'
import { KeyedQueue, Outbound, parseStored, readIfExists, writeDurably } from '#platform'
import type { AgentConfig, AgentSettings } from '#platform'
import type { ChatOptions } from '../chat/chat-options.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { endedEntry, summaryEntry } from './session-events.ts'
import type { Transcript } from './transcript.ts'

interface SessionServiceOptions extends Pick<ChatOptions, 'sessions' | 'config' | 'now' | 'onFault'> {
  /** File with the time from which sessions are ended. */
  readonly endingsFile: string
  readonly isBusy: (session: string) => boolean
  /** Saves notes and the summary of a session. @throws AppError of the model */
  readonly end: SessionTask
  /** Takes the missing notes of a session. @throws AppError if its model is missing */
  readonly takeNotes: SessionTask
}

type SessionTask = (transcript: Transcript, signal: AbortSignal) => Promise<unknown>

const checkEveryMs = 60_000
const firstCheckMs = 5000
/** Time without a message after which the missing notes of an open session are taken. */
const idleMs = 10 * 60_000
/** Wait after a model could not be reached, or notes could not be taken; doubles with each further failure. */
const [minRetryMs, maxRetryMs] = [10 * 60_000, 4 * 60 * 60_000]
/** Time for the session in work when the app quits. */
const closeMs = 2000
/** The first start ends only sessions of these days; a summary of each earlier one would cost the user tokens. */
const firstDays = 7

const stateSchema = z.object({ since: z.number() })

export class SessionService {
  readonly #options: SessionServiceOptions
  readonly #closing = new AbortController()
  /** Times of the last message of finished sessions: a session is checked again after its next message. */
  readonly #finishedAt = new Map<string, number>()
  #timers: NodeJS.Timeout[] = []
  readonly #queue = new KeyedQueue()
  /** Time of the next attempt, ms since the epoch, and the failed ones, by the model or session that failed. */
  readonly #retries = new Map<string, { readonly at: number; readonly failures: number }>()
  #lastSettings: AgentConfig['current'] | undefined
  #current: { readonly session: string; readonly stop: AbortController } | undefined

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
    this.#finishedAt.delete(session)
    void this.check()
  }

  async check(): Promise<void> {
    await this.#queue.run('', () => this.#workOnAll()).catch(this.#options.onFault)
  }

  /** Returns false if some notes are still missing. @throws AppError `unknown_session`, or if its model is missing */
  async takeNotes(session: string): Promise<boolean> {
    const transcript = await this.#options.sessions.get(session)
    await this.#queue.run('', () => this.#run(transcript, this.#options.takeNotes))
    return !lacksNotes(transcript)
  }

  /** Stops the work on a session, as a turn begins. It is done later. */
  stop(session: string): void {
    if (this.#current?.session === session) this.#current.stop.abort()
  }

  settle(): Promise<void> {
    return this.#queue.settle()
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.race([this.settle(), sleep(closeMs, undefined, { ref: false })])
    this.#closing.abort()
    await this.settle()
  }

  async #workOnAll(): Promise<void> {
    const { sessions, config } = this.#options
    // New settings may reach a model that could not be reached.
    if (config.current !== this.#lastSettings) this.#retries.clear()
    this.#lastSettings = config.current
    const { enabled } = config.current.session.memoryHook
    const open = (await sessions.list()).filter(
      ({ id, updatedAt, areNotesMissing }) => (enabled || areNotesMissing) && this.#finishedAt.get(id) !== updatedAt,
    )
    for (const { id, updatedAt } of open.sort((one, other) => one.updatedAt - other.updatedAt)) {
      const transcript = this.#closing.signal.aborted ? undefined : await orUndefined(sessions.get(id))
      if (!transcript) continue
      const task = this.#taskFor(transcript)
      if (isFinished(transcript)) this.#finishedAt.set(id, updatedAt)
      else if (task) await this.#workOn(transcript, task)
    }
  }

  #taskFor(transcript: Transcript): SessionTask | undefined {
    const { config, now, isBusy, end, takeNotes } = this.#options
    const { session: settings, compaction } = config.current
    if (isFinished(transcript) || isBusy(transcript.id)) return undefined
    const hasEnded = wasEndedByHand(transcript) || isOver(transcript, now(), settings.reset)
    if (hasEnded && settings.memoryHook.enabled && !isSummarized(transcript)) return end
    const isIdle = hasEnded || now().getTime() - lastMessageAt(transcript) >= idleMs
    return isIdle && compaction.memoryFlush.enabled && lacksNotes(transcript) ? takeNotes : undefined
  }

  async #workOn(transcript: Transcript, task: SessionTask): Promise<void> {
    const { sessions, onFault } = this.#options
    const session = transcript.id
    const model = transcript.modelId ?? ''
    const updatedAt = lastMessageAt(transcript)
    const isOld = updatedAt < (await this.#since()) && !wasEndedByHand(transcript)
    if (isOld) return void this.#finishedAt.set(session, updatedAt)
    if (this.#isWaiting(model) || this.#isWaiting(session)) return
    try {
      if (!(await this.#run(transcript, task))) return
      this.#retries.delete(model)
      if (lacksNotes(transcript)) return this.#retryLater(session)
      this.#retries.delete(session)
    } catch (error) {
      if (error instanceof AppError && isTransient(error)) return this.#retryLater(model)
      if (error instanceof AppError && lacksNotes(transcript)) return this.#retryLater(session)
      // The session may have been deleted. The others must not wait for it.
      if (await orUndefined(sessions.get(session))) onFault(error)
    }
    this.#finishedAt.set(session, updatedAt)
  }

  /** @returns false if it was stopped */
  async #run(transcript: Transcript, task: SessionTask): Promise<boolean> {
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#closing.signal, stop.signal])
    this.#current = { session: transcript.id, stop }
    try {
      await Outbound.chat.run(transcript.id, () => task(transcript, signal))
      return true
    } catch (error) {
      if (signal.aborted) return false
      throw error
    } finally {
      this.#current = undefined
    }
  }

  #isWaiting(key: string): boolean {
    return this.#options.now().getTime() < (this.#retries.get(key)?.at ?? 0)
  }

  #retryLater(key: string): void {
    const { failures = 0 } = this.#retries.get(key) ?? {}
    const waitMs = Math.min(maxRetryMs, minRetryMs * 2 ** failures)
    this.#retries.set(key, { at: this.#options.now().getTime() + waitMs, failures: failures + 1 })
  }

  /** Returns the time from which sessions are ended, ms since the epoch: some days before the first start. */
  async #since(): Promise<number> {
    const { endingsFile, now } = this.#options
    const stored = parseStored(stateSchema, (await readIfExists(endingsFile)) ?? '')
    if (stored) return stored.since
    const since = now().getTime() - firstDays * 24 * 60 * 60_000
    await writeDurably(endingsFile, JSON.stringify({ since }))
    return since
  }
}

function lastMessageAt(transcript: Transcript): number {
  return transcript.messages().at(-1)?.message.timestamp ?? 0
}

function isSummarized(transcript: Transcript): boolean {
  const summary = transcript.lastCustom(summaryEntry)
  return isRecord(summary) && summary['through'] === transcript.messages().at(-1)?.id
}

function lacksNotes(transcript: Transcript): boolean {
  return !transcript.isWithoutMemory && compactionState(transcript.branch()).isBehind
}

function isFinished(transcript: Transcript): boolean {
  const hasUserText = transcript.messages().some(({ message }) => message.role === 'user')
  return transcript.isWithoutMemory || !hasUserText || (isSummarized(transcript) && !lacksNotes(transcript))
}

type ResetRule = AgentSettings['session']['reset']

/** Returns true if the rule has ended the session: the next message starts a new one. */
export function isOver(transcript: Transcript, now: Date, rule: ResetRule): boolean {
  const last = transcript.messages().findLast(({ message }) => message.role === 'user')
  return last !== undefined && isSessionOver(new Date(last.message.timestamp), now, rule)
}

function wasEndedByHand(transcript: Transcript): boolean {
  const last = transcript.branch().findLast((entry) => {
    const isEnd = entry.type === 'custom' && entry.customType === endedEntry
    return isEnd || (entry.type === 'message' && entry.message.role === 'user')
  })
  return last?.type === 'custom'
}

/**
 * Returns true if a reset boundary lies between the last activity and now; false if the clock was set back. The daily
 * one is the time at which the local clock shows `atHour`, also on days of 23 and 25 hours; an hour that daylight saving
 * time skips counts as the next one.
 */
export function isSessionOver(lastActivity: Date, now: Date, rule: ResetRule): boolean {
  if (now <= lastActivity) return false
  const boundary = (day: number) => new Date(now.getFullYear(), now.getMonth(), day, rule.atHour)
  const today = boundary(now.getDate())
  const last = today <= now ? today : boundary(now.getDate() - 1)
  if (rule.mode.includes('daily') && lastActivity < last) return true
  return rule.mode.includes('idle') && now.getTime() - lastActivity.getTime() >= rule.idleMinutes * 60_000
}
