/**
 * Keeps a conversation within its model's context window. Before each request it measures the context and runs the
 * steps that are due, in this order: prune, flush, compact. Each step appends a transcript entry when it is done, so a
 * crash repeats a step but never skips one. After a failure the next turn asks no model; if the request then outgrows
 * the window, the oldest messages are dropped.
 */
import type { ContextReport, CompactionStep } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { assertFlushed, isCoolingDown, compactionState, type CompactionState } from './compaction-state.ts'
import {
  cutIndexOf,
  nextDueStep,
  calibrationFactor,
  fixedTokens,
  keepTokensOf,
  requestTokens,
  type CompactionInput,
} from './due-steps.ts'
import { messageTokens } from '../context/message-tokens.ts'
import { hardTokenLimit, maxSummaryTokens } from '../context/context-budget.ts'
import type { Assembly } from '../context/assemble.ts'
import { softTrim, type PrunePlan } from './prune.ts'
import { withheldMessages, type Look } from '#llm'
import { compactionFailureEvent } from '../sessions/session-events.ts'
import type { CompactionContent } from '../sessions/transcript-entries.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { sourceName, type Source } from '#shared/markdown/provenance.ts'
import { sourcesOfMessages } from '../chat/provenance-tracking.ts'
import { NoteWriter, type NoteWriterOptions } from './write-notes.ts'
import { retryOnOverflow } from './overflow.ts'
import { summarize } from './summarize.ts'

export interface ContextManagerOptions extends NoteWriterOptions {
  readonly transcript: Transcript
  /** True to save notes before messages are summarised. */
  readonly flushes: boolean
  readonly assemble: () => Promise<Assembly>
  readonly lastReport: () => ContextReport | undefined
  /** Returns true in a chat without memory: it is summarised, but nothing is flushed. */
  readonly isWithoutMemory: () => boolean
  readonly onStart: (what: 'flush' | 'compaction') => void
  readonly look: Look
  /** Stops the run of deferred notes before the turn writes notes. */
  readonly stopDeferredNotes: () => Promise<void>
}

interface Measured extends CompactionInput {
  readonly state: CompactionState
  readonly assembly: Assembly
  /** Size of the request in the provider's tokens. */
  readonly tokens: number
  /** Provider tokens for each estimated token. */
  readonly factor: number
}

export class ContextManager {
  readonly #options: ContextManagerOptions
  readonly #notes: NoteWriter
  /** True after `compact`: a recent failure does not prevent another attempt. */
  #isForced = false

  constructor(options: ContextManagerOptions) {
    this.#options = options
    this.#notes = new NoteWriter(options)
  }

  /**
   * Makes the next request fit.
   * @throws AppError if a transcript entry or verbatim note cannot be written; the abort error of the signal
   */
  async prepare(): Promise<void> {
    const tried = new Set<CompactionStep>()
    let measured = await this.#measure()
    for (let step = nextDueStep(measured, tried); step; step = nextDueStep(measured, tried)) {
      tried.add(step.kind)
      if (step.kind === 'prune') await this.#prune(step.plan)
      else if (step.kind === 'flush') await this.#flushUpTo(measured.state.live.length)
      else await this.#compactAt(step.cut, undefined)
      measured = await this.#measure()
    }
    const tokenLimit = this.#isCoolingDown() ? hardTokenLimit(measured.report) : measured.report.compactAt
    if (measured.tokens <= tokenLimit || !this.#fixedPartFits(measured)) return
    if (await this.#trimLargeResults()) measured = await this.#measure()
    if (this.#isCoolingDown() && measured.tokens > tokenLimit) await this.#dropOldest(cutIndexOf(measured))
  }

  /**
   * Shrinks the conversation after the provider refused a request as too long.
   * @returns false if nothing more can be cut
   */
  async makeRoom(): Promise<boolean> {
    const measured = await this.#measure()
    if (!this.#fixedPartFits(measured)) return false
    const cut = cutIndexOf(measured, Math.floor(keepTokensOf(measured) / 2))
    const isCut = (await this.#compactAt(cut, undefined)) || (await this.#dropOldest(cut))
    return (await this.#trimLargeResults()) || isCut
  }

  /**
   * Summarises older messages at the user's request, despite a recent failure.
   * @param focus topic that the summary should stress; undefined for none
   * @returns false if there is nothing to summarise or it failed
   */
  async compact(focus: string | undefined): Promise<boolean> {
    this.#isForced = true
    return this.#compactAt(cutIndexOf(await this.#measure()), focus)
  }

  /** Saves notes from all live messages that no flush has read, or those messages verbatim while cooling down. */
  async flushRemaining(): Promise<void> {
    if (this.#flushes()) await this.#flushUpTo(this.#state().live.length)
  }

  #flushes(): boolean {
    return this.#options.flushes && !this.#options.isWithoutMemory()
  }

  #state(): CompactionState {
    return compactionState(this.#options.transcript.branch())
  }

  #isCoolingDown(): boolean {
    return !this.#isForced && isCoolingDown(this.#state())
  }

  async #measure(): Promise<Measured> {
    const { assemble, lastReport, now } = this.#options
    const assembly = await assemble()
    const { report } = assembly
    const last = lastReport()
    const input = { state: this.#state(), report, last, flushes: this.#flushes(), now: now().getTime() }
    return { ...input, assembly, tokens: requestTokens(input), factor: calibrationFactor(last) }
  }

  /** Returns false if prompt, tools and files alone fill the window. */
  #fixedPartFits({ report, factor }: Measured): boolean {
    return fixedTokens(report) * factor < report.contextWindow
  }

  async #prune(plan: PrunePlan): Promise<void> {
    await this.#record({ type: 'prune', ...plan, trimmed: [...plan.trimmed], cleared: [...plan.cleared] })
  }

  /**
   * Flushes, then trims large tool results to head and tail; the transcript keeps the full text.
   * @returns false if there is no such result
   */
  async #trimLargeResults(): Promise<boolean> {
    const { live, pruned } = this.#state()
    const large = live.flatMap(({ message }) => {
      const isLarge = message.role === 'toolResult' && messageText(message).length > softTrim.maxChars
      return isLarge && !pruned.trimmed.has(message.toolCallId) ? [message] : []
    })
    if (large.length === 0) return false
    await this.flushRemaining()
    await this.#prune({
      trimmed: large.map(({ toolCallId }) => toolCallId),
      cleared: [],
      charactersBefore: large.reduce((sum, message) => sum + messageText(message).length, 0),
      charactersAfter: large.length * (softTrim.headChars + softTrim.tailChars),
    })
    return true
  }

  async #compactAt(cut: number, focus: string | undefined): Promise<boolean> {
    const { model, prompts, tools } = this.#options
    const { live } = this.#state()
    const first = live[cut]
    if (cut === 0 || !first || this.#isCoolingDown()) return false
    if (this.#flushes()) {
      if (this.#state().flushed < cut) await this.#flushUpTo(cut)
      assertFlushed(this.#state(), cut)
    }
    // The flush may have failed just now.
    if (this.#isCoolingDown()) return false
    const messages = live.map(({ message }) => message)
    const redacted = await this.#redact(messages)
    const { tokens: tokensBefore } = await this.#measure()
    this.#options.onStart('compaction')
    await this.#options.stopDeferredNotes()
    try {
      const { text, usage, isLocal } = await retryOnOverflow(model, async () => {
        const { report, factor } = await this.#measure()
        return summarize({
          model,
          prompt: (await prompts()).compaction,
          earlier: model.isLocal || !this.#state().isSummaryLocal ? this.#state().summary : undefined,
          isLocal: model.isLocal && (this.#state().isSummaryLocal || messages.some(({ local }) => local)),
          messages: redacted.slice(0, cut),
          kept: redacted.slice(cut),
          focus,
          budget: this.#options.budget(),
          maxTokens: Math.floor(maxSummaryTokens(report.compactAt) / Math.max(1, factor)),
          factor,
          signal: tools.signal,
        })
      })
      await this.#record({
        type: 'compaction',
        summary: text,
        firstKeptEntryId: first.id,
        tokensBefore,
        tokensAfter: tokensAfter(tokensBefore, messages, cut, text),
        usage,
        ...(isLocal ? { local: true } : {}),
        ...sourcesOf(this.#state(), messages.slice(0, cut)),
      })
      return true
    } catch (error) {
      if (!(error instanceof AppError) || tools.signal.aborted) throw error
      await this.#appendNotice('compactionFailed', error)
      return false
    }
  }

  /**
   * Drops the first `cut` live messages without a summary. Saves those verbatim that no flush has read.
   * @returns false if there is nothing to drop
   */
  async #dropOldest(cut: number): Promise<boolean> {
    const { live, summary, isSummaryLocal, flushed } = this.#state()
    const first = live[cut]
    if (cut === 0 || !first) return false
    if (flushed < cut && !this.#options.isWithoutMemory()) await this.#saveVerbatimUpTo(cut)
    const { tokens: tokensBefore } = await this.#measure()
    const messages = live.map(({ message }) => message)
    const earlier = summary?.endsWith(droppedMessagesNote)
      ? summary.slice(0, -droppedMessagesNote.length)
      : (summary ?? '')
    const text = `${earlier.trimEnd()}\n\n${droppedMessagesNote}`.trimStart()
    await this.#record({
      type: 'compaction',
      summary: text,
      firstKeptEntryId: first.id,
      tokensBefore,
      tokensAfter: tokensAfter(tokensBefore, messages, cut, text),
      leftOut: true,
      ...(isSummaryLocal ? { local: true } : {}),
      ...sourcesOf(this.#state(), messages.slice(0, cut)),
    })
    return true
  }

  async #saveVerbatimUpTo(count: number): Promise<void> {
    const { live, flushed } = this.#state()
    const lastMessage = live[count - 1]
    if (!lastMessage || flushed >= count) return
    const { changes, ...saved } = await this.#notes.saveVerbatim(
      live.slice(flushed, count).map(({ message }) => message),
    )
    await this.#record({ type: 'flush', ...saved, throughEntryId: lastMessage.id, changes: [...changes] })
  }

  async #flushUpTo(count: number): Promise<void> {
    if (this.#isCoolingDown()) return this.#saveVerbatimUpTo(count)
    const { live, flushed } = this.#state()
    const lastMessage = live[count - 1]
    if (!lastMessage || flushed >= count) return
    this.#options.onStart('flush')
    await this.#options.stopDeferredNotes()
    const unread = live.slice(flushed, count).map(({ message }) => message)
    const { changes, ...saved } = await this.#notes.save(unread, () => this.#measure())
    await this.#record({ type: 'flush', ...saved, throughEntryId: lastMessage.id, changes: [...changes] })
  }

  async #redact(messages: readonly Message[]): Promise<readonly Message[]> {
    const { model, look } = this.#options
    return model.isLocal ? messages : withheldMessages(messages, await look())
  }

  async #record(entry: CompactionContent): Promise<void> {
    await this.#options.transcript.appendCompaction(entry)
  }

  async #appendNotice(kind: 'compactionFailed', error: AppError): Promise<void> {
    await this.#options.transcript.appendCustom(compactionFailureEvent, {
      kind,
      code: error.code,
      message: error.message,
      data: error.data,
    })
  }
}

function sourcesOf({ summarySources }: CompactionState, messages: readonly Message[]): { readonly sources?: Source[] } {
  const sources = [...sourcesOfMessages(messages, []), ...summarySources]
  const each = [...new Map(sources.map((source) => [sourceName(source), source])).values()]
  return each.length === 0 ? {} : { sources: each }
}

/** Sent to the model instead of a summary. Stored summaries end with it: changing the text would repeat it in old chats. */
const droppedMessagesNote =
  '[Here older messages were left out, because no summary of them could be made. What they said is in memory: search it.]'

function tokensAfter(before: number, messages: readonly Message[], cut: number, summary: string): number {
  const sizes = messages.map(messageTokens)
  const dropped = sizes.slice(0, cut).reduce((sum, size) => sum + size, 0)
  return Math.max(0, before - dropped) + messageTokens({ role: 'user', content: summary, timestamp: 0 })
}
