import { modelLimits } from '../../src/main/llm/catalog/catalog.ts'
import type { ProviderOptions } from '../../src/main/llm/middleware/provider-fetch.ts'
import type { ChatModel } from '../../src/main/llm/model.ts'
import { streamAnthropic } from '../../src/main/llm/providers/anthropic/anthropic.ts'
import type { OpenAiProvider } from '../../src/main/llm/providers/openai/openai-client.ts'
import { streamOpenAi } from '../../src/main/llm/providers/openai/openai.ts'

/** A model without retries, limits and usage tracking. */
export function createAnthropicModel(model: string, options: ProviderOptions): ChatModel {
  return modelOf('anthropic', model, (request, signal) => streamAnthropic(model, options, request, signal))
}

export function createOpenAiModel(provider: OpenAiProvider, model: string, options: ProviderOptions): ChatModel {
  return modelOf(provider, model, (request, signal) => streamOpenAi(provider, model, options, request, signal))
}

function modelOf(provider: string, model: string, stream: ChatModel['stream']): ChatModel {
  const id = `${provider}/${model}`
  return { id, provider, model, ...modelLimits(id), isLocal: true, stream }
}
