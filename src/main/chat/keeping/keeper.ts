/**
 * Keeps a conversation within its model's window without losing anything (M29 to M32). Before each request it looks how
 * full the window is; then it prunes, flushes, compacts, in that order, as far as is due. Each step is an entry of the
 * transcript, written when it is done, so that a crash in between repeats a step and never skips one.
 */
import type { ContextReport } from '../../../shared/contract/index.ts'
import { AppError } from '../../../shared/errors.ts'
import { addUsage, messageText, noUsage, type FileChange, type Message, type Usage } from '../../../shared/messages.ts'
import {
  assertFlushed,
  calibration,
  findCutPoint,
  keepingState,
  keptTokens,
  messageTokens,
  planPruning,
  renderInParts,
  type Assembly,
  type Budget,
  type KeepingState,
} from '../../context/index.ts'
import type { ChatModel } from '../../models/index.ts'
import { noticeEntry, type KeptContent, type Transcript } from '../../sessions/index.ts'
import type { AgentSettings } from '../../settings/index.ts'
import { dailyLogPath, localDate } from '../../workspace/index.ts'
import type { ToolContext } from '../tools/index.ts'
import { flush } from './flush.ts'
import type { Prompts } from '../prompts.ts'
import { summarize } from './summarize.ts'

export interface KeeperOptions {
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly budget: Budget
  readonly settings: Pick<AgentSettings, 'compaction' | 'contextPruning'>
  readonly prompts: () => Promise<Prompts>
  readonly assemble: () => Promise<Assembly>
  /** The last report that the provider has answered. */
  readonly lastReport: () => ContextReport | undefined
  readonly tools: ToolContext
  readonly now: () => Date
  /** What may take a while has begun. */
  readonly onStart: (what: 'flush' | 'compaction') => void
}

/** What a request about part of a conversation holds besides it. */
const partShare = 0.7

export class Keeper {
  readonly #options: KeeperOptions

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  /** Makes the next request fit. @throws AppError only when the disk does not take what must not be lost */
  async prepare(): Promise<void> {
    const { budget, settings } = this.#options
    let { tokens } = await this.#measure()
    if (await this.#prune(tokens)) ({ tokens } = await this.#measure())
    if (tokens > budget.flushAt && settings.compaction.memoryFlush.enabled && !this.#state().hasFlushedInCycle) {
      await this.#flushUpTo(this.#state().live.length)
    }
    if (tokens <= budget.compactAt) return
    await this.compact(undefined)
    if ((await this.#measure()).tokens > budget.compactAt) await this.#squeeze()
  }

  /** The provider found the request too long, whatever was estimated. @returns false when nothing more can be cut */
  async makeRoom(): Promise<boolean> {
    const isCompacted = await this.#compactTo(Math.floor(this.#keepTokens() / 2), undefined)
    return (await this.#squeeze()) || isCompacted
  }

  /** @returns false when there is nothing to summarise, or it failed; the history is whole then */
  async compact(focus: string | undefined): Promise<boolean> {
    return this.#compactTo(this.#keepTokens(), focus)
  }

  /** Saves durable notes from what no flush has read yet. */
  async flushRest(): Promise<void> {
    if (this.#options.settings.compaction.memoryFlush.enabled) await this.#flushUpTo(this.#state().live.length)
  }

  #state(): KeepingState {
    return keepingState(this.#options.transcript.branch())
  }

  #keepTokens(): number {
    const { budget, settings } = this.#options
    return keptTokens(budget, settings.compaction.keepRecentTokens)
  }

  async #measure(): Promise<{ tokens: number; assembly: Assembly }> {
    const assembly = await this.#options.assemble()
    const last = this.#options.lastReport()
    const factor = last ? calibration(last.estimatedTokens, last.reportedTokens) : 1
    return { tokens: Math.ceil(assembly.report.estimatedTokens * factor), assembly }
  }

  async #prune(tokens: number): Promise<boolean> {
    const { settings, budget, now } = this.#options
    const { live, pruned } = this.#state()
    const lastAnswer = live.findLast(({ message }) => message.role === 'assistant')
    const plan = planPruning({
      messages: live.map(({ message }) => message),
      decided: pruned,
      tokens,
      contextWindow: budget.contextWindow,
      idleMs: lastAnswer ? now().getTime() - lastAnswer.message.timestamp : Infinity,
      settings: settings.contextPruning,
    })
    if (!plan) return false
    await this.#keep({ type: 'prune', ...plan, trimmed: [...plan.trimmed], cleared: [...plan.cleared] })
    return true
  }

  /**
   * What is left is too long by itself: a tool's result that fills the window. It is read by a flush, then sent cut to
   * head and tail; the transcript has all of it. @returns false when there is no such result
   */
  async #squeeze(): Promise<boolean> {
    const { softTrim } = this.#options.settings.contextPruning
    const { live, pruned } = this.#state()
    const large = live.flatMap(({ message }) => {
      const isLarge = message.role === 'toolResult' && messageText(message).length > softTrim.maxChars
      return isLarge && !pruned.trimmed.has(message.toolCallId) ? [message] : []
    })
    if (large.length === 0) return false
    await this.flushRest()
    await this.#keep({
      type: 'prune',
      trimmed: large.map(({ toolCallId }) => toolCallId),
      cleared: [],
      charactersBefore: large.reduce((sum, message) => sum + messageText(message).length, 0),
      charactersAfter: large.length * (softTrim.headChars + softTrim.tailChars),
    })
    return true
  }

  async #compactTo(keepTokens: number, focus: string | undefined): Promise<boolean> {
    const { model, prompts, tools, budget, settings } = this.#options
    const { live } = this.#state()
    const messages = live.map(({ message }) => message)
    const cut = findCutPoint(messages, messages.map(messageTokens), keepTokens)
    const first = live[cut]
    if (cut === 0 || !first) return false
    if (settings.compaction.memoryFlush.enabled) {
      if (this.#state().flushed < cut) await this.#flushUpTo(cut)
      assertFlushed(this.#state(), cut)
    }
    const { tokens: tokensBefore } = await this.#measure()
    this.#options.onStart('compaction')
    try {
      const { text, usage } = await summarize({
        model,
        prompt: (await prompts()).compaction,
        earlier: this.#state().summary,
        messages: messages.slice(0, cut),
        kept: messages.slice(cut),
        focus,
        partTokens: this.#partTokens(),
        signal: tools.signal,
      })
      const kept = messages.slice(cut).reduce((sum, message) => sum + messageTokens(message), 0)
      const tokensAfter =
        Math.max(0, tokensBefore - messages.reduce((sum, message) => sum + messageTokens(message), 0)) +
        kept +
        messageTokens({ role: 'user', content: text, timestamp: 0 })
      await this.#keep({
        type: 'compaction',
        summary: text,
        firstKeptEntryId: first.id,
        tokensBefore,
        tokensAfter: Math.min(tokensAfter, budget.contextWindow),
        usage,
      })
      return true
    } catch (error) {
      if (!(error instanceof AppError) || tools.signal.aborted) throw error
      await this.#notice('compactionFailed', error)
      return false
    }
  }

  /**
   * Has the first `count` live messages read for durable notes. A flush that fails is tried once more; then what no
   * flush has read is written down word for word, so that nothing is lost.
   */
  async #flushUpTo(count: number): Promise<void> {
    const { live, flushed } = this.#state()
    const through = live[count - 1]
    if (!through || flushed >= count) return
    this.#options.onStart('flush')
    const unread = live.slice(flushed, count).map(({ message }) => message)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { changes, usage } = await this.#flushOnce(unread)
        const status = changes.length > 0 ? 'wrote' : 'nothing'
        return await this.#keep({ type: 'flush', status, throughEntryId: through.id, changes: [...changes], usage })
      } catch (error) {
        if (!(error instanceof AppError) || this.#options.tools.signal.aborted) throw error
        if (attempt < 2) continue
        const change = await this.#rescue(unread)
        return this.#keep({
          type: 'flush',
          status: 'rescued',
          throughEntryId: through.id,
          changes: [change],
          message: error.message,
        })
      }
    }
  }

  /** Over the conversation as it is while that fits; else over what is unread, in parts that do. */
  async #flushOnce(unread: readonly Message[]): Promise<{ changes: readonly FileChange[]; usage: Usage }> {
    const { model, tools, budget, now } = this.#options
    const prompts = await this.#options.prompts()
    const prompt = prompts.flush({ todaysLog: dailyLogPath(localDate(now())) })
    const { tokens, assembly } = await this.#measure()
    if (tokens + messageTokens({ role: 'user', content: prompt, timestamp: 0 }) <= budget.compactAt) {
      const { system, messages } = assembly.request
      try {
        return await flush(model, [...system, prompts.flushSystem], messages, prompt, tools)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'context_overflow') throw error
      }
    }
    const parts = renderInParts(unread, this.#partTokens())
    const changes: FileChange[] = []
    let usage = noUsage
    for (const [index, part] of parts.entries()) {
      const content = `Part ${index + 1} of ${parts.length} of the conversation:\n\n<conversation>\n${part}\n</conversation>`
      const outcome = await flush(
        model,
        [prompts.flushSystem],
        [{ role: 'user', content, timestamp: 0 }],
        prompt,
        tools,
      )
      changes.push(...outcome.changes)
      usage = addUsage(usage, outcome.usage)
    }
    return { changes, usage }
  }

  async #rescue(messages: readonly Message[]): Promise<FileChange> {
    const { tools, now } = this.#options
    const date = localDate(now())
    const text = renderInParts(messages, Number.MAX_SAFE_INTEGER).join('\n\n')
    const write = await tools.workspace.edit(
      `memory/${date}-unflushed.md`,
      { ...tools.origin, cause: 'flush' },
      (before) =>
        before === undefined ? `# ${date}: kept word for word\n\n${text}\n` : `${before.trimEnd()}\n\n${text}\n`,
    )
    return tools.workspace.describe(write)
  }

  #partTokens(): number {
    const { contextWindow, reserveTokens } = this.#options.budget
    return Math.max(500, Math.floor((contextWindow - reserveTokens) * partShare))
  }

  async #keep(entry: KeptContent): Promise<void> {
    await this.#options.transcript.appendKept(entry)
  }

  async #notice(kind: 'compactionFailed', error: AppError): Promise<void> {
    await this.#options.transcript.appendCustom(noticeEntry, {
      kind,
      code: error.code,
      message: error.message,
      data: error.data,
    })
  }
}
