import OpenAI from 'openai'
import { noUsage, type AssistantMessage, type StopReason, type Usage } from '#shared/chat/messages.ts'
import { isRecord } from '#shared/util/json.ts'
import type { Clock } from '#platform'
import { maxToolCalls } from '#shared/util/limits.ts'
import {
  callExtras,
  contentPieces,
  contentFormat,
  tagsFormat,
  ReasoningDraft,
  ThinkTags,
  tidyAnswer,
  type ThinkPiece,
} from './chat-reasoning.ts'
import { openStream } from './chat-request.ts'
import { createFailure, readStream, toStreamError } from '../../middleware/provider-failures.ts'
import { AnswerDraft, isCompleteJsonObject, type ModelEvent, type ModelRequest } from '../../model.ts'
import type { StreamWatch } from '../../middleware/provider-fetch.ts'
import type { OpenAiProvider } from './openai-client.ts'
import {
  asArguments,
  asObject,
  asIndex,
  asArray,
  asIdText,
  asText,
  asTokenCount,
} from '../../middleware/lenient-json.ts'

interface ToolCallDraft {
  id: string
  name: string
  /** Opaque data that the server expects back with the call. */
  signature?: string
  json: string
}

/**
 * Streams an answer. @param model name without provider @param watch tells whether the server has sent `[DONE]`
 * @throws AppError `provider_cut` if the stream ends early, and as `readStream`
 */
export async function* streamChat(
  { provider, model, client, watch }: { provider: OpenAiProvider; model: string; client: OpenAI; watch: StreamWatch },
  request: ModelRequest,
  signal: AbortSignal,
  now?: Clock,
): AsyncGenerator<ModelEvent> {
  const answer = new ChatAnswer(provider, model, now)
  const open = (isStreamed: boolean) => openStream(client, provider, model, request, signal, isStreamed)
  yield* readStream(OpenAI, provider, answer, () => open(true), signal)
  // llama-cpp-python answers a request that is too long with an empty stream, and says so only to an unstreamed one.
  if (!answer.hasBegun && !watch.isDone) yield* readStream(OpenAI, provider, answer, () => open(false), signal)
  const isWhole = answer.hasEnded || (watch.isDone && answer.isComplete)
  if (!isWhole) throw createFailure('provider_cut', provider)
  yield { type: 'done', message: answer.finish() }
}

class ChatAnswer {
  readonly #provider: OpenAiProvider
  readonly #draft: AnswerDraft
  readonly #calls: ToolCallDraft[] = []
  readonly #byIndex = new Map<number, ToolCallDraft>()
  readonly #tags = new ThinkTags()
  readonly #reasoning = new ReasoningDraft()
  #usage: Usage = noUsage
  #finishReason: string | undefined
  #hasDelta = false
  hasBegun = false

  constructor(provider: OpenAiProvider, model: string, now: Clock | undefined) {
    this.#provider = provider
    this.#draft = new AnswerDraft({ provider, model }, now)
  }

  get hasEnded(): boolean {
    return this.#finishReason !== undefined
  }

  /** Returns true if what has arrived forms a whole answer; for servers that send no finish reason. */
  get isComplete(): boolean {
    return this.#hasDelta && this.#calls.every((call) => call.name !== '' && isCompleteJsonObject(call.json))
  }

  *addEvent(chunk: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    this.hasBegun = true
    const usage = usageOf(chunk)
    if (usage) yield { type: 'usage', usage }
    this.#usage = usage ?? this.#usage
    const choice = asObject(asArray(chunk['choices'])[0])
    yield* this.#addDelta(asObject(choice['delta']))
    const finishReason = asIdText(choice['finish_reason'])
    // vLLM sends an error as a chunk, OpenRouter within a choice.
    const error = isErrorChunk(chunk) ? chunk : choice['error']
    if (error) throw toStreamError(this.#provider, error)
    if (errorReason.test(finishReason)) throw createFailure('provider_cut', this.#provider)
    // DeepSeek sends this reason.
    if (finishReason === 'insufficient_system_resource') throw createFailure('provider_overloaded', this.#provider)
    // A refusal outranks the finish reason that follows it.
    if (finishReason !== '' && this.#finishReason !== 'content_filter') this.#finishReason = finishReason
  }

  *flush(): Generator<ModelEvent> {
    yield* this.#emit(this.#tags.end())
  }

  finish(): AssistantMessage {
    const isLengthLimited = lengthReason.test(this.#finishReason ?? '')
    tidyAnswer(this.#draft.content)
    for (const call of this.#calls)
      if (isLengthLimited && !isCompleteJsonObject(call.json)) this.#draft.recordCutCall(call.name)
      else this.#draft.addCall(call.id, call.name, call.json, call.signature)
    this.#reasoning.attachSignature(this.#draft.content)
    // GLM says `sensitive`.
    if (this.#finishReason === 'content_filter' || this.#finishReason === 'sensitive')
      return this.#draft.finish('error', this.#usage, createFailure('provider_refused', this.#provider))
    const hasCalls = this.#draft.content.some((part) => part.type === 'toolCall')
    const stopReason: StopReason = isLengthLimited ? 'length' : 'stop'
    return this.#draft.finish(hasCalls ? 'toolUse' : stopReason, this.#usage)
  }

  *#addDelta(delta: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    this.#hasDelta ||= Object.keys(delta).length > 0
    yield* this.#emit([{ type: 'thinking', delta: this.#reasoning.addDelta(delta) }])
    for (const piece of contentPieces(delta['content'])) {
      if (piece.type === 'text') yield* this.#emitText(piece.delta)
      else {
        this.#reasoning.setFormat(contentFormat)
        yield* this.#emit([piece])
      }
    }
    const refusal = asText(delta['refusal'])
    yield* this.#emitText(refusal)
    if (refusal !== '') this.#finishReason = 'content_filter'
    for (const call of asArray(delta['tool_calls'])) {
      this.#addCallDelta(asObject(call))
      yield { type: 'calling' }
    }
  }

  *#emitText(text: string): Generator<ModelEvent> {
    const pieces = this.#tags.push(text)
    if (this.#tags.isTagged && pieces.some((piece) => piece.type === 'thinking')) this.#reasoning.setFormat(tagsFormat)
    yield* this.#emit(pieces)
  }

  *#emit(pieces: readonly ThinkPiece[]): Generator<ModelEvent> {
    for (const { type, delta } of pieces) {
      if (delta === '') continue
      if (type === 'text') this.#draft.addText(delta)
      else this.#draft.addThinking(delta)
      yield { type, delta }
    }
  }

  #addCallDelta(delta: Readonly<Record<string, unknown>>): void {
    const { name: sentName, arguments: sentArguments } = asObject(delta['function'])
    const name = asIdText(sentName)
    const id = asIdText(delta['id'])
    const call = this.#callFor(asIndex(delta['index']), id, name)
    if (!call) return
    call.id ||= id
    call.name ||= name
    const extra = Object.fromEntries(callExtras.filter((field) => delta[field]).map((field) => [field, delta[field]]))
    if (Object.keys(extra).length > 0) call.signature = JSON.stringify(extra)
    call.json += asArguments(sentArguments)
  }

  /**
   * Returns the draft that a delta belongs to; undefined beyond the limit. Without an index, a name or a new id starts
   * a call, and other deltas belong to the last one. If a server repeats an index, the id decides.
   */
  #callFor(index: number | undefined, id: string, name: string): ToolCallDraft | undefined {
    const withSameId = id === '' ? undefined : this.#calls.findLast((call) => call.id === id)
    const last = this.#calls.at(-1)
    const existing = index === undefined ? (withSameId ?? (name === '' ? last : undefined)) : this.#byIndex.get(index)
    const isIndexReused = existing !== undefined && name !== '' && id !== '' && existing.id !== '' && existing.id !== id
    if (existing && !isIndexReused) return existing
    // Keeps one call too many, so that the agent loop can report `tool_calls_too_many`.
    if (this.#calls.length > maxToolCalls) return undefined
    const call: ToolCallDraft = { id: '', name: '', json: '' }
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }
}

function isErrorChunk(chunk: Readonly<Record<string, unknown>>): boolean {
  if (chunk['object'] === 'error') return true
  return chunk['choices'] === undefined && (chunk['detail'] !== undefined || typeof chunk['message'] === 'string')
}

const errorReason = /^(?:(?:network|model|server|engine)_)?error$/
const lengthReason = /^(?:length|max_tokens|model_length|MAX_TOKENS)$/

/** Returns undefined if the chunk has no usage; `noUsage` if the server reports only zeros. */
function usageOf(chunk: Readonly<Record<string, unknown>>): Usage | undefined {
  // Kimi reports usage within the choice, Groq in a separate field.
  const usages = [chunk['usage'], asObject(asArray(chunk['choices'])[0])['usage'], asObject(chunk['x_groq'])['usage']]
  const wire = usages.find(isRecord)
  if (!wire) return undefined
  const prompt = asTokenCount(wire['prompt_tokens']) ?? 0
  const completion = asTokenCount(wire['completion_tokens']) ?? 0
  if (prompt === 0 && completion === 0) return noUsage
  const promptDetails = asObject(wire['prompt_tokens_details'])
  const cached =
    asTokenCount(promptDetails['cached_tokens']) ??
    asTokenCount(wire['prompt_cache_hit_tokens']) ??
    asTokenCount(wire['cached_tokens']) ??
    0
  const written = asTokenCount(promptDetails['cache_write_tokens']) ?? 0
  const total = asTokenCount(wire['total_tokens']) ?? 0
  const reasoning = asTokenCount(asObject(wire['completion_tokens_details'])['reasoning_tokens']) ?? 0
  const missing = Math.max(0, total - prompt - completion)
  // Some servers leave the cached tokens out of `prompt_tokens`, others the thinking out of `completion_tokens`. Then
  // `total_tokens` is larger than both.
  const promptExcludesCache = cached > prompt && missing >= cached
  const unaccounted = missing - (promptExcludesCache ? cached : 0)
  // A server leaves out all thinking or none. If fewer tokens are missing than it reports, they are no thinking.
  const output = completion + (reasoning > 0 && unaccounted < reasoning ? 0 : unaccounted)
  const cacheRead = promptExcludesCache ? cached : Math.min(prompt, cached)
  const cacheWrite = promptExcludesCache ? 0 : Math.min(prompt - cacheRead, written)
  const input = promptExcludesCache ? prompt : prompt - cacheRead - cacheWrite
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite }
}
