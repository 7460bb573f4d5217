/** OpenAI's client, for its own service and for the many servers that speak its protocol; its errors as ours. */
import OpenAI from 'openai'
import { maxId, maxModels } from '../../shared/limits.ts'
import { failure, isGarbled, isLostConnection, providerFailure } from './failures.ts'
import { clientOptions, type ListedModel, type ProviderOptions } from './model.ts'
import { fieldsOf, nameOf } from './wire.ts'

export type OpenAiProvider = 'openai' | 'openai-compatible'

export function openAiClient(provider: OpenAiProvider, options: ProviderOptions): OpenAI {
  return new OpenAI(clientOptions(provider, options))
}

export async function listOpenAiModels(
  provider: OpenAiProvider,
  options: ProviderOptions,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const models: ListedModel[] = []
  try {
    for await (const model of openAiClient(provider, options).models.list({ signal })) {
      const known = listed(model)
      if (known.name !== '') models.push(known)
      if (models.length >= maxModels) break
    }
    return models.sort((one, other) => one.name.localeCompare(other.name))
  } catch (error) {
    throw explainOpenAi(error, provider)
  }
}

/** What routers and local servers say beyond the name; each has fields of its own. */
interface Extras {
  readonly id?: unknown
  readonly context_length?: unknown
  readonly max_context_length?: unknown
  readonly max_model_len?: unknown
  readonly top_provider?: { readonly max_completion_tokens?: unknown }
  readonly architecture?: { readonly input_modalities?: unknown }
  readonly pricing?: { readonly prompt?: unknown; readonly completion?: unknown }
}

function listed(sent: unknown): ListedModel {
  const model = fieldsOf(sent) as Extras
  const modalities = model.architecture?.input_modalities
  const input = Number(model.pricing?.prompt ?? Number.NaN) * 1_000_000
  const output = Number(model.pricing?.completion ?? Number.NaN) * 1_000_000
  return {
    name: nameOf(model.id).slice(0, maxId),
    contextWindow: positive(model.context_length ?? model.max_context_length ?? model.max_model_len),
    maxOutput: positive(model.top_provider?.max_completion_tokens),
    images: Array.isArray(modalities) ? modalities.includes('image') : undefined,
    prices: input >= 0 && output >= 0 ? { input, output } : undefined,
  }
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

export function explainOpenAi(error: unknown, provider: string, hasBegun = false): unknown {
  if (error instanceof OpenAI.APIUserAbortError) return error
  if (isLostConnection(error)) return failure('provider_cut', provider, error)
  if (isGarbled(error)) return failure('provider_garbled', provider, error)
  if (!(error instanceof OpenAI.APIError)) return error
  return providerFailure({
    provider,
    status: error.status,
    kind: error.code ?? error.type ?? '',
    message: error.message,
    hasBegun,
    isTimeout: error instanceof OpenAI.APIConnectionTimeoutError,
    headers: error.headers,
    cause: error,
  })
}
