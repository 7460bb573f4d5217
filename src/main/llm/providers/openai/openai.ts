import OpenAI from 'openai'
import { isLocalEndpoint } from '#shared/util/locality.ts'
import { modelLimits, type ModelLimits } from '../../catalog/catalog.ts'
import type { ChatModel, ModelRequest } from '../../model.ts'
import { streamChat } from './openai-chat.ts'
import { openAiClient, type OpenAiProvider, type StreamWatch } from './openai-client.ts'
import { streamResponses } from './openai-responses.ts'
import type { ProviderOptions } from '../../middleware/provider-fetch.ts'

const baseUrlsWithoutResponses = new Set<string>()

/** @param model name without provider */
export function createOpenAiModel(
  provider: OpenAiProvider,
  model: string,
  options: ProviderOptions,
  limits: ModelLimits = modelLimits(`${provider}/${model}`),
): ChatModel {
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...limits,
    isLocal: isLocalEndpoint('auto', options.baseUrl, undefined),
    async *stream(request: ModelRequest, signal: AbortSignal) {
      const watch: StreamWatch = { isDone: false }
      const client = openAiClient(provider, options, watch)
      if (provider === 'openai' && !baseUrlsWithoutResponses.has(client.baseURL)) {
        try {
          return yield* streamResponses(client, model, request, signal, options.now)
        } catch (error) {
          if (!isMissingEndpoint(error)) throw error
          baseUrlsWithoutResponses.add(client.baseURL)
        }
      }
      yield* streamChat({ provider, model, client, watch }, request, signal, options.now)
    },
  }
}

/** Returns true if the endpoint is missing. A 404 for a missing model differs by the word `model` in its message. */
function isMissingEndpoint(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  if (!(cause instanceof OpenAI.APIError)) return false
  return cause.status === 405 || (cause.status === 404 && !/model/i.test(cause.message))
}
