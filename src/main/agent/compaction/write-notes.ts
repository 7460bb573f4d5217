/**
 * Saves durable notes before part of a conversation is summarised: from the whole conversation if it fits, otherwise in
 * parts. If two attempts fail, the text is saved verbatim; after a transient failure at once, as it was already retried.
 */
import { AppError } from '#shared/util/errors.ts'
import { addUsage, noUsage, type Message } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { messageTokens } from '../context/message-tokens.ts'
import { renderInParts } from '../context/render-messages.ts'
import { withoutContinue } from '../context/request-history.ts'
import type { Assembly } from '../context/assemble.ts'
import { maxPartTokens, type Budget } from '../context/context-budget.ts'
import { windowProfile } from '../context/window-profile.ts'
import { isTransient, type ChatModel, type ToolDefinition } from '#llm'
import { dailyLogPath, localDate } from '#workspace'
import type { Prompts } from '../chat/prompts.ts'
import { sessionsPrefix } from '#search'
import { messagesBehind } from '../sessions/digest.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { definitionsOf, offeredTools } from '../tools/built-in-tools.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { sourceMark, type Source } from '#shared/markdown/provenance.ts'
import { sourcesOfMessages } from '../chat/provenance-tracking.ts'
import { compactionState } from './compaction-state.ts'
import { flush, type FlushOutcome, type FlushRequest } from './flush.ts'
import { retryOnOverflow } from './overflow.ts'
import { appendVerbatimEntry } from './verbatim-fallback.ts'

export type SavedNotes = ({ readonly status: 'wrote' | 'nothing' } & FlushOutcome) | VerbatimOutcome

interface VerbatimOutcome extends Omit<FlushOutcome, 'usage'> {
  readonly status: 'rescued'
  /** Error message of the model; absent if no model was called. */
  readonly message?: string
}

export interface Measurement {
  readonly assembly: Assembly
  /** Size of the request in provider tokens. */
  readonly tokens: number
  /** Provider tokens for each estimated token. */
  readonly factor: number
}

export interface NoteWriterOptions {
  readonly transcript: Transcript
  readonly model: ChatModel
  /** Read again for each request, as a refusal may lower the window estimate. */
  readonly budget: () => Budget
  readonly prompts: () => Promise<Prompts>
  readonly toolContext: ToolContext
  /** Tools of the chat's requests. */
  readonly tools: readonly Tool[]
}

const maxAttempts = 2

export class NoteWriter {
  readonly #options: NoteWriterOptions

  constructor(options: NoteWriterOptions) {
    this.#options = options
  }

  /**
   * Saves notes, or the text verbatim if the model fails.
   * @param unreadMessages messages that no flush has read
   * @param measure returns the size of the request that would be sent now
   * @throws AppError if the verbatim text cannot be written; the abort error of the signal
   */
  async save(unreadMessages: readonly Message[], measure: () => Promise<Measurement>): Promise<SavedNotes> {
    const { model, toolContext } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      try {
        const outcome = await retryOnOverflow(model, () => this.#writeNotes(unreadMessages, measure))
        return { status: outcome.changes.length > 0 ? 'wrote' : 'nothing', ...outcome }
      } catch (error) {
        if (!(error instanceof AppError) || toolContext.signal.aborted) throw error
        if (attempt < maxAttempts && !isTransient(error)) continue
        return { ...(await this.saveVerbatim(unreadMessages)), message: error.message }
      }
    }
  }

  /** Saves messages verbatim without calling a model. @throws AppError if the file cannot be written */
  async saveVerbatim(unreadMessages: readonly Message[]): Promise<VerbatimOutcome> {
    const { toolContext, model } = this.#options
    const { now } = toolContext
    const sources = sourcesOfMessages(unreadMessages, [])
    const conversationText = renderInParts(unreadMessages, Number.MAX_SAFE_INTEGER).join('\n\n')
    const text =
      sources.length === 0 ? conversationText : `${conversationText}\n\n${sourceMark(sources, localDate(now()))}`
    const origin = { ...toolContext.origin, cause: 'flush' as const }
    const { seesPrivate } = toolContext.accessPolicy
    const change = await appendVerbatimEntry(toolContext.workspace, origin, text, now(), seesPrivate, model.isLocal)
    return { status: 'rescued', changes: [change], lines: [] }
  }

  /**
   * Saves notes from one part of a conversation, given as text.
   * @param file path of the file with the text; undefined for a part of this conversation
   * @throws AppError if the model fails
   */
  async saveFromPart(part: string, title: string, sources: readonly Source[], file?: string): Promise<FlushOutcome> {
    const content = `${title}:\n\n<conversation>\n${part}\n</conversation>`
    const toolContext = { ...this.#options.toolContext, sources }
    const offered = this.#offeredTools()
    return this.#flush(
      { system: [], offered, conversation: [{ role: 'user', content, timestamp: 0 }] },
      toolContext,
      file,
    )
  }

  #offeredTools(): readonly ToolDefinition[] {
    const { tools, model } = this.#options
    return definitionsOf(offeredTools(tools, model))
  }

  async #flush(
    request: Pick<FlushRequest, 'system' | 'offered' | 'conversation'>,
    toolContext: ToolContext,
    file?: string,
  ): Promise<FlushOutcome> {
    const { model, budget, transcript, tools } = this.#options
    const messages = file === undefined ? compactionState(transcript.branch()).liveMessages : []
    const lines = await transcript.linesOf(messages.map(({ id }) => id))
    const path = file ?? `${sessionsPrefix}${toolContext.session}.jsonl`
    const prompts = await this.#options.prompts()
    const at = toolContext.now()
    return flush({
      model,
      ...request,
      tools,
      prompt: flushPrompt(prompts, toolContext, at, model),
      toolContext,
      maxOutput: budget().reserveTokens,
      at,
      messages,
      placeOf: (note) => {
        const line = lines.get(messagesBehind(note, messages)[0] ?? '')
        return line === undefined ? path : `${path}:${line}`
      },
    })
  }

  /** Returns the limit of a part in estimated tokens. @param factor provider tokens for each estimated token */
  async maxPartTokens(factor: number): Promise<number> {
    const { budget, toolContext, model } = this.#options
    const prompts = await this.#options.prompts()
    const fixedTokens = estimateTokens(
      JSON.stringify(this.#offeredTools()) + flushPrompt(prompts, toolContext, toolContext.now(), model),
    )
    return maxPartTokens(budget(), fixedTokens, factor)
  }

  async #writeNotes(unreadMessages: readonly Message[], measure: () => Promise<Measurement>): Promise<FlushOutcome> {
    const { toolContext, budget, model } = this.#options
    const prompts = await this.#options.prompts()
    const prompt = flushPrompt(prompts, toolContext, toolContext.now(), model)
    const { tokens, assembly, factor } = await measure()
    const { contextWindow, reserveTokens } = budget()
    const promptTokens = messageTokens({ role: 'user', content: prompt, timestamp: 0 })
    if (tokens + promptTokens <= contextWindow - reserveTokens) {
      const { system, messages, tools } = assembly.request
      return this.#flush({ system, offered: tools, conversation: withoutContinue(messages) }, toolContext)
    }
    const sources = sourcesOfMessages(unreadMessages, [])
    const parts = renderInParts(unreadMessages, await this.maxPartTokens(factor))
    let result: FlushOutcome = { changes: [], lines: [], usage: noUsage }
    for (const [index, part] of parts.entries()) {
      const title = `Part ${index + 1} of ${parts.length} of the conversation`
      const { changes, lines, usage } = await this.saveFromPart(part, title, sources)
      result = {
        changes: [...result.changes, ...changes],
        lines: [...result.lines, ...lines],
        usage: addUsage(result.usage, usage),
      }
    }
    return result
  }
}

function flushPrompt(prompts: Prompts, { workspace }: ToolContext, at: Date, model: ChatModel): string {
  const isShort = windowProfile(model.contextWindow).isSmall || model.takesTools?.() === false
  if (isShort) return prompts.flushSmall
  return `${prompts.flushSystem}\n\n${prompts.flush({ todaysLog: dailyLogPath(localDate(at), workspace.layout) })}`
}
