/**
 * Compares texts without holding anybody up: short ones at once, where they are; long ones in a thread that is started
 * when it is needed and goes when nobody has needed it for a while. What the work costs is bounded (see compare.ts).
 */
import type { RouterClient } from '@orpc/server'
import type { FileChange } from '#shared/util/file-change.ts'
import { fromOrpcError } from '../workers/worker-errors.ts'
import { startThread, type Thread } from '../workers/worker-client.ts'
import { changesOf, type LineEdit } from './compare-lines.ts'
import type { Described, DiffRouter, Merged } from './diff.worker.ts'
import { mergeBoth, mergeTexts } from './merge-texts.ts'
import { describeChange, takeBack } from './patch.ts'

/** Characters of both texts that are compared in place: some ms at worst (test/stress/diff.ts). */
const maxInPlace = 16_000
const usualIdleMs = 10_000

type DiffClient = RouterClient<DiffRouter>

export interface DifferOptions {
  /** The thread's entry; without one everything is done in place. */
  readonly entry?: URL | undefined
  /** A thread that nobody needs for so long gives its memory back, ms. */
  readonly idleMs?: number
}

export class Differ {
  readonly #options: DifferOptions
  #thread: Thread<DiffClient> | undefined
  /** Asked and not answered. */
  #open = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: DifferOptions = {}) {
    this.#options = options
  }

  /** False while nobody needs the thread. */
  get isAwake(): boolean {
    return this.#thread !== undefined
  }

  /**
   * What was changed. It never fails, for what is described is done: where the thread is lost, or the wait is given up,
   * everything between the first and the last change counts as changed.
   */
  async describe(change: Described, signal?: AbortSignal): Promise<FileChange> {
    const { path, before, after, isKept } = change
    if (this.#isShort(before, after)) return describeChange(path, before, after, { isKept })
    try {
      return await this.#ask((client) => client.describe(change), signal)
    } catch {
      return describeChange(path, before, after, { isKept, steps: 0 })
    }
  }

  /**
   * A text without a change; undefined when the change's lines do not stand any more.
   * @throws the signal's reason
   */
  async takeBack(text: string, patch: string, signal?: AbortSignal): Promise<string | undefined> {
    if (this.#isShort(text, patch)) return takeBack(text, patch)
    return this.#ask((client) => client.takeBack({ text, patch }), signal)
  }

  /**
   * Two changes of one text as one; undefined when they touch and it is not both sides' lines that are wanted.
   * @throws the signal's reason
   */
  async merge(texts: Merged, signal?: AbortSignal): Promise<string | undefined> {
    const { base, mine, theirs, keepsBoth } = texts
    if (this.#isShort(base, mine, theirs)) return (keepsBoth ? mergeBoth : mergeTexts)(base, mine, theirs)
    return this.#ask((client) => client.merge(texts), signal)
  }

  /** Which lines of a text became which of another one; lines are what stands between `\n`. @throws the signal's reason */
  async changes(before: string, after: string, signal?: AbortSignal): Promise<readonly LineEdit[]> {
    if (this.#isShort(before, after)) return changesOf(before, after)
    return this.#ask((client) => client.changes({ before, after }), signal)
  }

  /** What is being compared is described roughly, or fails. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }

  #isShort(...texts: readonly string[]): boolean {
    return this.#options.entry === undefined || texts.reduce((sum, text) => sum + text.length, 0) <= maxInPlace
  }

  async #ask<T>(work: (client: DiffClient) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    const thread = this.#wake()
    this.#open += 1
    clearTimeout(this.#idle)
    const given = Promise.withResolvers<never>()
    const giveUp = () => given.reject(signal?.reason)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return await Promise.race([work(thread.client), given.promise])
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      signal?.removeEventListener('abort', giveUp)
      this.#open -= 1
      // Nobody else waits for it: what was given up need not be finished.
      if (this.#open === 0 && signal?.aborted) this.#end(thread)
      else if (this.#open === 0) this.#restSoon(thread)
    }
  }

  #wake(): Thread<DiffClient> {
    const { entry } = this.#options
    if (this.#thread) return this.#thread
    if (!entry) throw new Error('there is no thread to compare texts in')
    const thread = startThread<DiffClient>(entry)
    thread.onExit(() => {
      if (this.#thread === thread) this.#thread = undefined
    })
    this.#thread = thread
    return thread
  }

  #restSoon(thread: Thread<DiffClient>): void {
    this.#idle = setTimeout(() => {
      if (this.#open === 0) this.#end(thread)
    }, this.#options.idleMs ?? usualIdleMs)
    this.#idle.unref()
  }

  #end(thread: Thread<DiffClient>): void {
    if (this.#thread === thread) this.#thread = undefined
    void thread.terminate()
  }
}
