import OpenAI from 'openai'
import { parseJson } from '#shared/util/json.ts'
import { maxId, maxModels } from '#shared/util/limits.ts'
import type { Fetch } from '#platform'
import {
  createFailure,
  isInvalidJsonEvent,
  isInvalidResponse,
  isLostConnection,
  providerFailure,
  parseProviderError,
} from '../../middleware/provider-failures.ts'
import type { ListedModel } from '../../model.ts'
import { asObject, asIdText } from '../../middleware/lenient-json.ts'
import { clientOptions, type ProviderOptions } from '../../middleware/provider-fetch.ts'

export type OpenAiProvider = 'openai' | 'openai-compatible'

/** Creates a client. @param watch shows if the end marker arrived, which the client library does not expose */
export function openAiClient(provider: OpenAiProvider, options: ProviderOptions, watch?: StreamWatch): OpenAI {
  const clientSettings = clientOptions(provider, options)
  return new OpenAI({ ...clientSettings, fetch: watchStream(clientSettings.fetch, watch) })
}

export interface StreamWatch {
  /** True once the server has sent `[DONE]`. */
  isDone: boolean
}

const endMarker = /^data:[ \t]*\[DONE\]/m

/** Unwraps an error in a list, and detects the end marker; `boundedFetch` yields whole lines. */
function watchStream(inner: Fetch, watch: StreamWatch | undefined): Fetch {
  return async (input, init) => {
    const response = await inner(input, init)
    if (!response.body) return response
    if (!response.ok) {
      const text = await response.text()
      const body = parseJson(text)
      return withBody(response, Array.isArray(body) ? JSON.stringify(body[0] ?? {}) : text)
    }
    if (!watch) return response
    const decoder = new TextDecoder()
    const endDetector = new TransformStream<Uint8Array, Uint8Array>(
      {
        transform(chunk, controller) {
          watch.isDone ||= endMarker.test(decoder.decode(chunk, { stream: true }))
          controller.enqueue(chunk)
        },
      },
      { highWaterMark: 1 },
      { highWaterMark: 0 },
    )
    return withBody(response, response.body.pipeThrough(endDetector))
  }
}

function withBody({ status, statusText, headers, url }: Response, body: string | ReadableStream): Response {
  const response = new Response(body, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: url })
  return response
}

/** Lists a server's models by name. @throws AppError `provider_…`, or the abort error */
export async function listOpenAiModels(
  provider: OpenAiProvider,
  options: ProviderOptions,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const models: ListedModel[] = []
  try {
    for await (const model of openAiClient(provider, options).models.list({ signal })) {
      const listed = toListedModel(model)
      if (listed.name !== '') models.push(listed)
      if (models.length >= maxModels) break
    }
    return models.sort((one, other) => one.name.localeCompare(other.name))
  } catch (error) {
    throw toProviderError(error, provider)
  }
}

interface WireModel {
  readonly id?: unknown
  readonly context_length?: unknown
  readonly max_context_length?: unknown
  readonly max_model_len?: unknown
  readonly top_provider?: { readonly max_completion_tokens?: unknown }
  readonly architecture?: { readonly input_modalities?: unknown }
  readonly pricing?: { readonly prompt?: unknown; readonly completion?: unknown }
}

function toListedModel(value: unknown): ListedModel {
  const model = asObject(value) as WireModel
  const modalities = model.architecture?.input_modalities
  const input = Number(model.pricing?.prompt ?? Number.NaN) * 1_000_000
  const output = Number(model.pricing?.completion ?? Number.NaN) * 1_000_000
  return {
    name: asIdText(model.id).slice(0, maxId),
    contextWindow: positiveInteger(model.context_length ?? model.max_context_length ?? model.max_model_len),
    maxOutput: positiveInteger(model.top_provider?.max_completion_tokens),
    images: Array.isArray(modalities) ? modalities.includes('image') : undefined,
    prices: input >= 0 && output >= 0 ? { input, output } : undefined,
  }
}

function positiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

export function toProviderError(error: unknown, provider: string, hasBegun = false): unknown {
  if (error instanceof OpenAI.APIUserAbortError) return error
  if (isLostConnection(error) || isInvalidJsonEvent(error)) return createFailure('provider_cut', provider, error)
  if (isInvalidResponse(error)) return createFailure('provider_garbled', provider, error)
  if (!(error instanceof OpenAI.APIError)) return error
  return providerFailure({
    provider,
    ...parseProviderError(error.error, error.status, error.message),
    hasBegun,
    isTimeout: error instanceof OpenAI.APIConnectionTimeoutError,
    headers: error.headers,
    cause: error,
  })
}

/** Converts an error event of a stream, which the client library ignores. */
export function toStreamError(provider: string, error: unknown): Error {
  return providerFailure({
    provider,
    ...parseProviderError(error, undefined, 'no reason given'),
    hasBegun: true,
    isTimeout: false,
    headers: undefined,
    cause: undefined,
  })
}
