/**
 * Saves durable notes before part of a conversation is summarised: from the whole conversation if it fits, otherwise in
 * parts. If two attempts fail, the text is saved verbatim; after a transient failure at once, as it was already retried.
 */
import { AppError } from '#shared/util/errors.ts'
import { addUsage, noUsage, type Message } from '#shared/chat/messages.ts'
import { sourceMark, sourcesIn, type Source } from '#shared/markdown/provenance.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { isTransient } from '#llm'
import { localDate } from '#workspace'
import { sourcesOfMessages } from '../chat/provenance-tracking.ts'
import type { Assembly } from '../context/assemble.ts'
import { maxPartTokens } from '../context/context-budget.ts'
import { lastReportOf } from '../context/context-timeline.ts'
import { calibrationFactor, messageTokens } from '../context/message-tokens.ts'
import { renderInParts, splitText } from '../context/render-messages.ts'
import { endsWithContinue } from '../context/request-history.ts'
import type { FlushEntry } from '../sessions/transcript-entries.ts'
import type { CompactionInput } from './due-steps.ts'
import { flush, flushPrompt, offeredBy, type FlushOutcome, type NoteWriterOptions } from './flush.ts'
import { retryOnOverflow } from './overflow.ts'
import { appendVerbatimEntry, type VerbatimEntry } from './verbatim-fallback.ts'

/** `message`: error of the model. */
export type SavedNotes = Pick<FlushEntry, 'status' | 'changes' | 'lines' | 'usage' | 'message'>

export type Measurement = Pick<CompactionInput, 'tokens' | 'factor'> & { readonly assembly: Assembly }

const maxAttempts = 2

/**
 * Saves notes, or the text verbatim if the model fails.
 * @param unreadMessages messages that no flush has read
 * @param measure returns the size of the request that would be sent now
 * @throws AppError if the verbatim text cannot be written; the abort error of the signal
 */
export async function saveNotes(
  options: NoteWriterOptions,
  unreadMessages: readonly Message[],
  measure: () => Promise<Measurement>,
): Promise<SavedNotes> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const outcome = await retryOnOverflow(options.model, () => writeNotes(options, unreadMessages, measure))
      return { status: outcome.changes.length > 0 ? 'wrote' : 'nothing', ...outcome }
    } catch (error) {
      if (!(error instanceof AppError) || options.toolContext.signal.aborted) throw error
      if (attempt < maxAttempts && !isTransient(error)) continue
      return { ...(await saveVerbatim(options, unreadMessages)), message: error.message }
    }
  }
}

/** Saves messages verbatim without calling a model. @throws AppError if the file cannot be written */
export async function saveVerbatim(
  { toolContext, model }: NoteWriterOptions,
  unreadMessages: readonly Message[],
): Promise<SavedNotes> {
  const at = toolContext.now()
  const sources = sourcesOfMessages(unreadMessages, [])
  const conversationText = renderInParts(unreadMessages, Number.MAX_SAFE_INTEGER).join('\n\n')
  const text = sources.length === 0 ? conversationText : `${conversationText}\n\n${sourceMark(sources, localDate(at))}`
  const origin = { ...toolContext.origin, cause: 'flush' as const }
  const { seesPrivate } = toolContext.accessPolicy
  const change = await appendVerbatimEntry(toolContext.workspace, origin, text, at, seesPrivate, model.isLocal)
  return { status: 'rescued', changes: [change], lines: [] }
}

/** Saves notes from text that was saved verbatim. @throws AppError if the model fails */
export async function distilNotes(options: NoteWriterOptions, { text, path }: VerbatimEntry): Promise<FlushOutcome> {
  const factor = calibrationFactor(lastReportOf(options.transcript))
  const parts = splitText(text, await partTokens(options, factor))
  return flushParts(options, parts, sourcesIn(text), path)
}

async function writeNotes(
  options: NoteWriterOptions,
  unreadMessages: readonly Message[],
  measure: () => Promise<Measurement>,
): Promise<FlushOutcome> {
  const { contextWindow, reserveTokens } = options.budget()
  const { tokens, assembly, factor } = await measure()
  const promptTokens = messageTokens({ role: 'user', content: await flushPrompt(options), timestamp: 0 })
  if (tokens + promptTokens <= contextWindow - reserveTokens) {
    const { system, messages, tools } = assembly.request
    const conversation = endsWithContinue(messages) ? messages.slice(0, -1) : messages
    return flush(options, conversation, { system, offered: tools })
  }
  const parts = renderInParts(unreadMessages, await partTokens(options, factor))
  return flushParts(options, parts, sourcesOfMessages(unreadMessages, []))
}

/** Saves notes from parts of a conversation. @param file path of the file with the text; default: the transcript */
async function flushParts(
  options: NoteWriterOptions,
  parts: readonly string[],
  sources: readonly Source[],
  file?: string,
): Promise<FlushOutcome> {
  const sum: FlushOutcome = { changes: [], lines: [], usage: noUsage }
  for (const [index, part] of parts.entries()) {
    const title = file === undefined ? `Part ${index + 1} of ${parts.length} of the` : 'Part of an earlier'
    const content = `${title} conversation:\n\n<conversation>\n${part}\n</conversation>`
    // With sources, the text does not count as typed by the user.
    const message = {
      role: 'user' as const,
      content,
      timestamp: 0,
      ...(sources.length > 0 ? { sources: [...sources] } : {}),
    }
    const { changes, lines, usage } = await flush(options, [message], { file })
    sum.changes.push(...changes)
    sum.lines.push(...lines)
    sum.usage = addUsage(sum.usage, usage)
  }
  return sum
}

/** Returns the limit of a part in estimated tokens. @param factor provider tokens for each estimated token */
async function partTokens(options: NoteWriterOptions, factor: number): Promise<number> {
  const tools = JSON.stringify(offeredBy(options))
  return maxPartTokens(options.budget(), estimateTokens(tools + (await flushPrompt(options))), factor)
}
