/**
 * Keeps a chat within its model's context window. Before each request it measures the context and runs the
 * steps that are due, in this order: prune, flush, compact. Each step appends a transcript entry when it is done, so a
 * crash repeats a step but never skips one. After a failure the next turn calls no model for these steps; if the request
 * then outgrows the window, it is sent without the oldest messages. With `compaction.enabled: false`, such a request fails.
 */
import type { CompactionStep } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { messageText } from '#shared/chat/messages.ts'
import {
  isCoolingDown,
  compactionInput,
  compactionState,
  cutIndexFor,
  nextDueStep,
  fixedTokens,
  type CompactionInput,
  applyPruning,
  isTrimmed,
  trimText,
} from './compaction-state.ts'
import { lastReportOf } from '../context/context-timeline.ts'
import { messageTokens, totalTokens } from '../context/message-text.ts'
import { hardTokenLimit, maxSummaryTokens, type ContextSettings } from '../context/context-budget.ts'
import { minOutput } from '../context/assemble.ts'
import type { AssembledRequest } from '../chat/model-request.ts'
import { compactionFailureEntry } from '../sessions/session-events.ts'
import { digestText } from '../sessions/digest.ts'
import type { CompactionEntry } from '../sessions/transcript-entries.ts'
import { uniqueSources } from '#shared/markdown/provenance.ts'
import { sourcesOfMessages } from '../chat/provenance-tracking.ts'
import { takeNotes, type Measurement, type NoteTakerOptions } from './take-notes.ts'
import { retryOnOverflow } from '../context/context-window-estimates.ts'
import { summarize } from './summarize.ts'

interface ContextManagerOptions extends NoteTakerOptions {
  readonly settings: () => ContextSettings
  readonly assemble: () => Promise<AssembledRequest>
  readonly onStart: (step: 'flush' | 'compaction') => Promise<void>
}

/** Estimates may be this much too high. */
const estimateTolerance = 1.25

type MeasuredContext = CompactionInput & Measurement
/** In provider tokens. */
type CompactionSizes = Readonly<Record<'before' | 'after', number>>

export class ContextManager {
  readonly #options: ContextManagerOptions
  /** True after `compact`: a recent failure does not prevent another attempt. */
  #isForced = false

  constructor(options: ContextManagerOptions) {
    this.#options = options
  }

  /**
   * @throws AppError `window_too_small`, `message_too_long`, `chat_too_long`; if a transcript entry cannot be written; the
   * abort error of the signal
   */
  async prepare(): Promise<AssembledRequest> {
    const tried = new Set<CompactionStep>()
    let context = await this.#measure()
    this.#assertMessageFits(context)
    for (let step = nextDueStep(context, tried); step; step = nextDueStep(context, tried)) {
      tried.add(step.kind)
      if (step.kind === 'prune') {
        const { savedTokens: _savedTokens, ...plan } = step.plan
        await this.#options.transcript.append({ type: 'prune', ...plan })
      } else if (step.kind === 'flush') await this.takeNotes()
      else await this.#compactAt(step.cut, undefined)
      context = await this.#measure()
    }
    if (!this.#fixedPartFits(context)) {
      const advice =
        'raise it: num_ctx (Ollama), -c (llama-server), --n_ctx (llama-cpp-python), Context Length (LM Studio)'
      const tokens = Math.ceil(fixedTokens(context.report) * context.factor)
      throw this.#tooLong('window_too_small', 'prompt, tools and files need', tokens, context, `; ${advice}`)
    }
    if (!context.settings.compaction.enabled) this.#assertChatFits(context)
    else {
      const tokenLimit = this.#isCoolingDown() ? hardTokenLimit(context.report) : context.report.compactAt
      if (context.tokens > tokenLimit && (await this.#trimLargeResults())) context = await this.#measure()
      const isTooLong = context.tokens > tokenLimit && this.#isCoolingDown()
      if (isTooLong && (await this.#dropOldest(cutIndexFor(context)))) context = await this.#measure()
    }
    return context.assembly
  }

  /** After a refusal for the length of a request. @returns false if nothing more can be cut */
  async makeRoom(): Promise<boolean> {
    const context = await this.#measure()
    if (!context.settings.compaction.enabled || !this.#fixedPartFits(context)) return false
    const cut = cutIndexFor(context, 0.5)
    const hasShrunk = (await this.#compactAt(cut, undefined)) !== undefined || (await this.#dropOldest(cut))
    return (await this.#trimLargeResults()) || hasShrunk
  }

  /**
   * Compacts at the user's request, despite a recent failure.
   * @param focus topic that the summary should stress
   * @returns provider tokens; they are equal if there is nothing to summarise or it failed
   */
  async compact(focus: string | undefined): Promise<CompactionSizes> {
    this.#isForced = true
    const context = await this.#measure()
    const unchanged = { before: context.tokens, after: context.tokens }
    const sizes = (await this.#compactAt(cutIndexFor(context), focus)) ?? unchanged
    if (sizes.after <= context.report.compactAt || !(await this.#trimLargeResults())) return sizes
    return { ...sizes, after: (await this.#measure()).tokens }
  }

  async takeNotes(): Promise<void> {
    await this.#takeNotesThrough(this.#options.transcript.messages().at(-1)?.id)
  }

  #shouldFlush(): boolean {
    return this.#options.settings().compaction.memoryFlush.enabled && !this.#options.transcript.isWithoutMemory
  }

  #state() {
    return compactionState(this.#options.transcript.branch())
  }

  #isCoolingDown(): boolean {
    return !this.#isForced && isCoolingDown(this.#state())
  }

  async #measure(): Promise<MeasuredContext> {
    const { assemble, settings, toolContext, transcript } = this.#options
    const assembly = await assemble()
    const now = toolContext.now().getTime()
    return { assembly, ...compactionInput(transcript, assembly.report, lastReportOf(transcript), settings(), now) }
  }

  #fixedPartFits({ report, factor }: MeasuredContext): boolean {
    return fixedTokens(report) * factor < report.contextWindow
  }

  /** Notes and summaries of earlier messages make no room for a message that is longer than the window. */
  #assertMessageFits({ report, factor }: MeasuredContext): void {
    const tokens = Math.ceil(totalTokens(report.items.filter(({ layer }) => layer === 'message')) * factor)
    if (tokens <= report.contextWindow * estimateTolerance) return
    throw this.#tooLong('message_too_long', 'the message needs', tokens, { report })
  }

  #assertChatFits({ report, tokens }: MeasuredContext): void {
    if (tokens + minOutput <= report.contextWindow) return
    const advice = ', and compaction.enabled is false; shorten the chat with /compact'
    throw this.#tooLong('chat_too_long', 'the chat needs', tokens, { report }, advice)
  }

  #tooLong(
    code: 'window_too_small' | 'message_too_long' | 'chat_too_long',
    what: string,
    tokens: number,
    { report: { contextWindow: window } }: Pick<MeasuredContext, 'report'>,
    advice = '',
  ): AppError {
    const { id: model } = this.#options.model
    const message = `${what} ${tokens} tokens, but ${model} has a window of ${window}${advice}`
    return new AppError(code, message, { model, tokens, window })
  }

  /** Flushes before. The transcript keeps the full text. @returns false if there is no such result */
  async #trimLargeResults(): Promise<boolean> {
    const { liveMessages, pruned } = this.#state()
    const { contextPruning } = this.#options.settings()
    const results = liveMessages.map(({ message }) => message).filter((message) => message.role === 'toolResult')
    const large = results.filter(
      (result) => !pruned.trimmed.has(result.toolCallId) && isTrimmed(messageText(result), contextPruning),
    )
    if (large.length === 0) return false
    if (this.#shouldFlush() && !this.#isCoolingDown()) await this.takeNotes()
    const texts = large.map(messageText)
    await this.#options.transcript.append({
      type: 'prune',
      trimmed: large.map(({ toolCallId }) => toolCallId),
      cleared: [],
      charactersBefore: texts.join('').length,
      charactersAfter: texts.map((text) => trimText(text, contextPruning)).join('').length,
    })
    return true
  }

  async #compactAt(cut: number, focus: string | undefined): Promise<CompactionSizes | undefined> {
    const { model, prompts, toolContext } = this.#options
    const { liveMessages } = this.#state()
    if (cut === 0 || this.#isCoolingDown()) return undefined
    if (this.#shouldFlush() && !(await this.#takeNotesThrough(liveMessages[cut - 1]?.id))) return undefined
    await this.#options.onStart('compaction')
    try {
      const { lines, usage } = await retryOnOverflow(model, async () => {
        const { report, factor } = await this.#measure()
        return summarize({
          model,
          prompt: (await prompts()).compaction,
          digest: this.#state().digest,
          messages: liveMessages.slice(0, cut),
          keptMessages: liveMessages.slice(cut),
          branch: this.#options.transcript.messages(),
          focus,
          budget: this.#options.budget(),
          maxTokens: Math.floor(maxSummaryTokens(report.compactAt) / Math.max(1, factor)),
          factor,
          signal: toolContext.signal,
        })
      })
      return await this.#recordCompaction(cut, { summary: digestText(lines), lines: [...lines], usage })
    } catch (error) {
      if (!(error instanceof AppError) || toolContext.signal.aborted) throw error
      const { code, message, data } = error
      const failure = { kind: 'compactionFailed', code, message, data }
      await this.#options.transcript.appendCustom(compactionFailureEntry, failure)
      return undefined
    }
  }

  /** Leaves the first `cut` live messages out of requests. @returns false if there is nothing to drop */
  async #dropOldest(cut: number): Promise<boolean> {
    if (cut === 0) return false
    const { summary = '', digest } = this.#state()
    const text = `${summary.replace(droppedMessagesNote, '').trimEnd()}\n\n${droppedMessagesNote}`.trimStart()
    await this.#recordCompaction(cut, { summary: text, lines: [...digest], leftOut: true })
    return true
  }

  async #recordCompaction(cut: number, compaction: Pick<CompactionEntry, 'summary' | 'lines' | 'usage' | 'leftOut'>) {
    const { tokens: before, factor, state, settings } = await this.#measure()
    const { liveMessages, pruned } = state
    const messages = liveMessages.slice(0, cut).map(({ message }) => message)
    const dropped = applyPruning(messages, pruned, settings.contextPruning)
    const summaryTokens = (text = '') => messageTokens({ role: 'user', content: text, timestamp: 0 })
    const droppedTokens = dropped.reduce((sum, message) => sum + messageTokens(message), summaryTokens(state.summary))
    const sources = uniqueSources([...sourcesOfMessages(dropped, []), ...state.summarySources])
    const after = Math.max(0, before + Math.round((summaryTokens(compaction.summary) - droppedTokens) * factor))
    await this.#options.transcript.append({
      type: 'compaction',
      ...compaction,
      firstKeptEntryId: liveMessages[cut]?.id ?? '',
      tokensBefore: before,
      tokensAfter: after,
      ...(sources.length === 0 ? {} : { sources }),
    })
    return { before, after }
  }

  /** @returns false if it failed */
  async #takeNotesThrough(message: string | undefined): Promise<boolean> {
    const isTaken = () => !this.#state().untaken.some(({ id }) => id === message)
    if (message === undefined || isTaken()) return true
    await this.#options.onStart('flush')
    await takeNotes(this.#options, message, () => this.#measure())
    return isTaken()
  }
}

/** Replaces the summary in requests. Do not change it: stored summaries end with it and would then contain it twice. */
const droppedMessagesNote =
  '[Here older messages were left out, because no summary of them could be made. The transcript has them: search it with memory_search.]'
