/**
 * Saves durable notes before part of a conversation is summarised: from the whole conversation if it fits, otherwise in
 * parts. If two attempts fail, the text is saved verbatim; a transient failure is final, as the model already retried.
 */
import { AppError } from '#shared/util/errors.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import { addUsage, noUsage, type Message, type Usage } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { messageTokens } from '../context/message-tokens.ts'
import { renderInParts } from '../context/render-messages.ts'
import { withoutContinue } from '../context/request-history.ts'
import type { Assembly } from '../context/assemble.ts'
import type { Budget } from '../context/context-budget.ts'
import { isTransient, withheldMessages, type Look, type ChatModel } from '#llm'
import { dailyLogPath, localDate } from '#workspace'
import type { Clock } from '#platform'
import type { Prompts } from '../chat/prompts.ts'
import { definitionsOf, builtInTools } from '../tools/built-in-tools.ts'
import type { ToolContext } from '../tools/tool.ts'
import { sourceMark, type Source } from '#shared/markdown/provenance.ts'
import { sourcesOfMessages } from '../chat/provenance-tracking.ts'
import { flush, type FlushOutcome } from './flush.ts'
import { retryOnOverflow } from './overflow.ts'
import { saveVerbatim } from './verbatim-fallback.ts'

export type SavedNotes = ({ readonly status: 'wrote' | 'nothing' } & FlushOutcome) | VerbatimOutcome

interface VerbatimOutcome {
  readonly status: 'rescued'
  readonly changes: readonly FileChange[]
  /** Error of the model; absent if no model was used. */
  readonly message?: string
}

export interface NoteWriterOptions {
  readonly model: ChatModel
  /** Read again for each request, as a refusal may lower the window estimate. */
  readonly budget: () => Budget
  readonly prompts: () => Promise<Prompts>
  readonly tools: ToolContext
  readonly now: Clock
  readonly look: Look
}

/** Share of the available tokens that a part may use; the rest absorbs estimation errors and tool results. */
const partShare = 0.85
const minPartTokens = 300
const maxAttempts = 2

export class NoteWriter {
  readonly #options: NoteWriterOptions

  constructor(options: NoteWriterOptions) {
    this.#options = options
  }

  /**
   * Saves notes, or the text verbatim if the model fails.
   * @param unread messages that no flush has read
   * @param measure returns the current request, its provider tokens, and provider tokens for each estimated one
   * @throws AppError if the verbatim text cannot be written; the abort error of the signal
   */
  async save(
    unread: readonly Message[],
    measure: () => Promise<{ assembly: Assembly; tokens: number; factor: number }>,
  ): Promise<SavedNotes> {
    const { model, tools } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      try {
        const outcome = await retryOnOverflow(model, () => this.#writeNotes(unread, measure))
        return { status: outcome.changes.length > 0 ? 'wrote' : 'nothing', ...outcome }
      } catch (error) {
        if (!(error instanceof AppError) || tools.signal.aborted) throw error
        if (attempt < maxAttempts && !isTransient(error)) continue
        return { ...(await this.saveVerbatim(unread)), message: error.message }
      }
    }
  }

  /** Saves messages verbatim without asking a model. @throws AppError if the file cannot be written */
  async saveVerbatim(unread: readonly Message[]): Promise<VerbatimOutcome> {
    const { tools, now, look } = this.#options
    const sources = sourcesOfMessages(unread, [])
    const conversationText = renderInParts(unread, Number.MAX_SAFE_INTEGER).join('\n\n')
    const text =
      sources.length === 0 ? conversationText : `${conversationText}\n\n${sourceMark(sources, localDate(now()))}`
    const origin = { ...tools.origin, cause: 'flush' as const }
    const isLocal = unread.some(({ local }) => local) || (await look()).net.holds(text)
    return { status: 'rescued', changes: [await saveVerbatim(tools.workspace, origin, text, now(), isLocal)] }
  }

  /**
   * Saves notes from one part of a conversation, given as text.
   * @param isFromLocal true if it contains text of local notes
   * @throws AppError if the model fails
   */
  async saveFromPart(
    part: string,
    name: string,
    isFromLocal: boolean,
    sources: readonly Source[],
  ): Promise<FlushOutcome> {
    const { model, now, budget } = this.#options
    const tools = { ...this.#options.tools, isOfLocal: isFromLocal, sources }
    const prompts = await this.#options.prompts()
    const at = now()
    return flush({
      model,
      system: [prompts.flushSystem],
      conversation: [{ role: 'user', content: `${name}:\n\n<conversation>\n${part}\n</conversation>`, timestamp: 0 }],
      prompt: flushPrompt(prompts, tools, at),
      tools,
      maxOutput: budget().reserveTokens,
      at,
    })
  }

  /** Returns the estimated tokens of one part. @param factor provider tokens for each estimated token */
  async partTokens(factor: number): Promise<number> {
    const { now, budget } = this.#options
    const prompts = await this.#options.prompts()
    const fixedTokens = estimateTokens(
      JSON.stringify(definitionsOf(builtInTools)) +
        prompts.flushSystem +
        flushPrompt(prompts, this.#options.tools, now()),
    )
    const { contextWindow, reserveTokens } = budget()
    const room = (contextWindow - reserveTokens) / Math.max(1, factor) - fixedTokens
    return Math.max(minPartTokens, Math.floor(room * partShare))
  }

  async #writeNotes(
    unread: readonly Message[],
    measure: () => Promise<{ assembly: Assembly; tokens: number; factor: number }>,
  ): Promise<FlushOutcome> {
    const { model, tools, budget, now } = this.#options
    const prompts = await this.#options.prompts()
    const at = now()
    const prompt = flushPrompt(prompts, tools, at)
    const { tokens, assembly, factor } = await measure()
    const { contextWindow, reserveTokens } = budget()
    const promptTokens = messageTokens({ role: 'user', content: prompt + prompts.flushSystem, timestamp: 0 })
    if (tokens + promptTokens <= contextWindow - reserveTokens) {
      const { system, messages } = assembly.request
      return flush({
        model,
        system: [...system, prompts.flushSystem],
        conversation: withoutContinue(messages),
        prompt,
        tools,
        maxOutput: reserveTokens,
        at,
      })
    }
    const redacted = model.isLocal ? unread : withheldMessages(unread, await this.#options.look())
    const isFromLocal = model.isLocal && unread.some(({ local }) => local)
    const parts = renderInParts(redacted, await this.partTokens(factor))
    const changes: FileChange[] = []
    let usage: Usage = noUsage
    for (const [index, part] of parts.entries()) {
      const outcome = await this.saveFromPart(
        part,
        `Part ${index + 1} of ${parts.length} of the conversation`,
        isFromLocal,
        sourcesOfMessages(unread, []),
      )
      changes.push(...outcome.changes)
      usage = addUsage(usage, outcome.usage)
    }
    return { changes, usage }
  }
}

function flushPrompt(prompts: Prompts, { workspace }: ToolContext, at: Date): string {
  return prompts.flush({ todaysLog: dailyLogPath(localDate(at), workspace.layout) })
}
