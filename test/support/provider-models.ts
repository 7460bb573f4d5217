import { modelLimits } from '../../src/main/llm/catalog/catalog.ts'
import type { ProviderOptions } from '../../src/main/llm/middleware/provider-fetch.ts'
import type { ChatModel } from '../../src/main/llm/model.ts'
import { streamAnthropic } from '../../src/main/llm/providers/anthropic/anthropic.ts'
import type { OpenAiProvider } from '../../src/main/llm/providers/openai/openai-client.ts'
import { streamOpenAi } from '../../src/main/llm/providers/openai/openai.ts'

type Options = Partial<ProviderOptions> & Pick<ProviderOptions, 'baseUrl'>

function complete(options: Options): ProviderOptions {
  return { apiKey: 'k', timeoutMs: 5000, fetch, ...options }
}

/** A model without retries, limits and usage tracking. */
export function createAnthropicModel(model: string, options: Options): ChatModel {
  return modelOf('anthropic', model, (request, signal) => streamAnthropic(model, complete(options), request, signal))
}

export function createOpenAiModel(provider: OpenAiProvider, model: string, options: Options): ChatModel {
  return modelOf(provider, model, (request, signal) =>
    streamOpenAi(provider, model, complete(options), request, signal),
  )
}

function modelOf(provider: string, model: string, stream: ChatModel['stream']): ChatModel {
  const id = `${provider}/${model}`
  return { id, provider, model, ...modelLimits(id), isLocal: true, stream }
}
