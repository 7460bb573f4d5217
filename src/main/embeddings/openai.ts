/** Embeddings from OpenAI and from everything that speaks its `/embeddings` request (Ollama, LM Studio, Voyage, …). */
import OpenAI from 'openai'
import { AppError } from '../../shared/errors.ts'
import { mostVectorBytes } from '../../shared/limits.ts'
import { boundedFetch } from '../network/index.ts'
import { redirectTarget, redirected } from '../redirects.ts'
import { toUnitVector, type EmbeddingProvider } from './provider.ts'

/** Vector lengths of OpenAI's own models, platform.openai.com/docs/guides/embeddings, November 2026. */
const knownDimensions: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
  'gemini-embedding-001': 3072,
}

export interface OpenAiEmbeddingOptions {
  readonly provider: 'openai' | 'gemini' | 'openai-compatible'
  readonly model: string
  readonly apiKey: string
  readonly baseUrl: string | undefined
  /** Asks the model for shorter vectors; only models that can do so accept it. */
  readonly dimensions: number | undefined
  readonly batchSize: number
}

const timeoutMs = 60_000
const retries = 4

export function createOpenAiEmbeddings(options: OpenAiEmbeddingOptions): EmbeddingProvider {
  const client = new OpenAI({
    apiKey: options.apiKey,
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
    // A redirection would take the texts and the key along.
    fetchOptions: { redirect: 'manual' },
    maxRetries: retries,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: boundedFetch(
      globalThis.fetch,
      () => ({ whole: mostVectorBytes }),
      () => broken(options, 'far more than its vectors'),
    ),
  })
  let dimensions =
    options.dimensions ?? (options.provider === 'openai-compatible' ? 0 : (knownDimensions[options.model] ?? 0))
  return {
    provider: options.provider,
    model: options.model,
    batchSize: options.batchSize,
    get dimensions() {
      return dimensions
    },
    async embed(texts, signal) {
      const answer = await request(client, options, texts, signal)
      const vectors = texts.map((_text, index) => {
        const item = answer.find((candidate) => candidate.index === index) ?? answer[index]
        const vector = item && toUnitVector(item.embedding)
        if (!vector) throw broken(options, `no usable vector for text ${index + 1} of ${texts.length}`)
        dimensions ||= vector.length
        if (vector.length !== dimensions)
          throw broken(options, `a vector of ${vector.length} dimensions where ${dimensions} were expected`)
        return vector
      })
      return vectors
    },
  }
}

async function request(
  client: OpenAI,
  options: OpenAiEmbeddingOptions,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<OpenAI.Embedding[]> {
  try {
    const answer = await client.embeddings.create(
      {
        model: options.model,
        input: texts.map(fitting),
        encoding_format: 'float',
        ...(options.dimensions === undefined ? {} : { dimensions: options.dimensions }),
      },
      signal ? { signal } : {},
    )
    if (!Array.isArray(answer.data)) throw broken(options, 'an answer without vectors')
    return answer.data
  } catch (error) {
    throw explain(error, options)
  }
}

/**
 * As much of a text as every model takes: 8,191 tokens of OpenAI's are at least so many characters in any script. A
 * chunk is far shorter; only a single token that could not be cut, or absurd settings, come near.
 */
const mostCharacters = 8000

function fitting(text: string): string {
  return text.length <= mostCharacters ? text : text.slice(0, mostCharacters).toWellFormed()
}

function explain(error: unknown, { provider }: OpenAiEmbeddingOptions): unknown {
  if (error instanceof OpenAI.APIUserAbortError || error instanceof AppError) return error
  if (error instanceof OpenAI.APIConnectionError) {
    return new AppError(
      'provider_unavailable',
      `${provider} cannot be reached for embeddings`,
      { provider },
      { cause: error },
    )
  }
  if (!(error instanceof OpenAI.APIError)) return error
  const target = redirectTarget(error.status, error.headers)
  if (target !== undefined) return redirected(provider, target, error)
  const data = { provider, status: error.status ?? 0 }
  if (error.status === 401 || error.status === 403) {
    return new AppError('provider_auth', `${provider} refused the key for embeddings`, data, { cause: error })
  }
  if (error.status === 429) {
    return new AppError('provider_rate_limited', `${provider} limits the rate of embeddings`, data, { cause: error })
  }
  if ((error.status ?? 0) >= 500) {
    return new AppError('provider_unavailable', `${provider} is out of order (${error.status})`, data, { cause: error })
  }
  const reason = error.message.slice(0, 300).toWellFormed()
  return new AppError('provider_error', `${provider} refused the embedding request: ${reason}`, data, {
    cause: error,
  })
}

function broken({ provider, model }: OpenAiEmbeddingOptions, what: string): AppError {
  return new AppError('provider_error', `${provider}/${model} answered with ${what}`, { provider })
}
