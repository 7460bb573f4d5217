import OpenAI from 'openai'
import { isLocalAddress } from '#shared/util/locality.ts'
import { maxId, maxModels } from '#shared/util/limits.ts'
import { toProviderError } from '../../middleware/provider-failures.ts'
import type { ListedModel } from '../../catalog/catalog.ts'
import { asObject, asIdText } from '../../middleware/lenient-json.ts'
import { clientOptions, type ProviderOptions } from '../../middleware/provider-fetch.ts'

export type OpenAiProvider = 'openai' | 'openai-compatible'

/** @throws AppError `provider_…`, or the abort error */
export async function listOpenAiModels(
  provider: OpenAiProvider,
  options: ProviderOptions,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const models: ListedModel[] = []
  const client = new OpenAI(clientOptions(provider, options))
  try {
    for await (const model of client.models.list({ signal })) {
      const listed = toListedModel(model)
      if (listed.name !== '') models.push(listed)
      if (models.length >= maxModels) break
    }
    const [only] = models
    if (only && models.length === 1 && only.contextWindow === undefined && isLocalAddress(client.baseURL))
      return [{ ...only, contextWindow: await fetchServerWindow(client, signal) }]
    return models.sort((one, other) => one.name.localeCompare(other.name))
  } catch (error) {
    throw toProviderError(OpenAI, error, provider)
  }
}

/** Returns the window of an older llama-server, which its model list lacks; undefined for other servers. */
async function fetchServerWindow(client: OpenAI, signal: AbortSignal): Promise<number | undefined> {
  const url = `${client.baseURL.replace(/\/v1\/?$/, '')}/props`
  const properties = await client.get(url, { signal }).catch(() => undefined)
  return positiveInteger(asObject(asObject(properties)['default_generation_settings'])['n_ctx'])
}

/** Fields with the window of a model. llama-server and LM Studio also name the longest that the model was made for. */
function windowOf(model: Readonly<Record<string, unknown>>): number | undefined {
  const windows = [
    asObject(model['meta'])['n_ctx'],
    model['n_ctx'],
    model['loaded_context_length'],
    model['context_length'],
    model['context_window'],
    model['max_model_len'],
    model['max_context_length'],
  ]
  return windows.map(positiveInteger).find((window) => window !== undefined)
}

function toListedModel(value: unknown): ListedModel {
  const model = asObject(value)
  const modalities = asObject(model['architecture'])['input_modalities']
  const { prompt, completion } = asObject(model['pricing'])
  const input = Number(prompt ?? Number.NaN) * 1_000_000
  const output = Number(completion ?? Number.NaN) * 1_000_000
  return {
    name: asIdText(model['id']).slice(0, maxId),
    contextWindow: windowOf(model),
    maxOutput: positiveInteger(asObject(model['top_provider'])['max_completion_tokens']),
    images: Array.isArray(modalities) ? modalities.includes('image') : undefined,
    prices: input >= 0 && output >= 0 ? { input, output } : undefined,
  }
}

function positiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}
