import OpenAI from 'openai'
import { AppError, type ErrorCode } from '#shared/util/errors.ts'
import { maxVectorBytes } from '#shared/util/limits.ts'
import { boundedFetch, redact, toPlainLine, redirectError, redirectTarget, parseRetryAfter } from '#platform'
import { toUnitVector, type EmbeddingProvider } from './embedding-provider.ts'

/** Dimensions of known models: platform.openai.com/docs/guides/embeddings, November 2026. */
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
  readonly address?: string | undefined
  readonly batchSize: number
}

/** Timeout of one request, ms. There is no retry here: see `ProviderHealth`. */
const timeoutMs = 60_000

export function createOpenAiEmbeddings(options: OpenAiEmbeddingOptions): EmbeddingProvider {
  const client = new OpenAI({
    apiKey: options.apiKey,
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
    // A redirect would pass the texts and the key to another server.
    fetchOptions: { redirect: 'manual' },
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: boundedFetch(
      globalThis.fetch,
      () => ({ whole: maxVectorBytes }),
      () => fail(options, 'a response that is too large'),
    ),
  })
  const knownLength = options.provider === 'openai-compatible' ? 0 : (knownDimensions[options.model] ?? 0)
  let lastLength = 0
  return {
    provider: options.provider,
    model: options.model,
    address: options.address,
    batchSize: options.batchSize,
    get dimensions() {
      return knownLength || lastLength
    },
    async embed(texts, signal) {
      if (texts.length === 0) return []
      const answer = await request(client, options, texts, signal)
      const parsedVectors = texts.map((_text, index) => {
        const item = answer.find((candidate) => candidate.index === index) ?? answer[index]
        return Array.isArray(item?.embedding) ? toUnitVector(item.embedding) : undefined
      })
      const usableVectors = parsedVectors.filter((vector) => vector !== undefined)
      const [first] = usableVectors
      if (!first)
        fail(
          options,
          texts.length === 1 ? 'no usable vector for a text' : `no usable vector for any of ${texts.length} texts`,
        )
      // Not compared with earlier answers, which may be wrong: the caller compares the length with the index.
      const expected = knownLength || mostFrequent(usableVectors.map(({ length }) => length))
      if (usableVectors.every(({ length }) => length !== expected))
        fail(options, `a vector of ${first.length} dimensions where ${expected} were expected`)
      lastLength = expected
      return parsedVectors.map((vector) => (vector?.length === expected ? vector : undefined))
    },
  }
}

function mostFrequent(lengths: readonly number[]): number {
  const counts = [...Map.groupBy(lengths, (length) => length)].sort(([, one], [, other]) => other.length - one.length)
  return counts[0]?.[0] ?? 0
}

async function request(
  client: OpenAI,
  options: OpenAiEmbeddingOptions,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Partial<OpenAI.Embedding>[]> {
  // The client's own timeout ends with the first bytes of the response.
  const timeoutSignal = AbortSignal.timeout(timeoutMs)
  try {
    const answer: unknown = await client.embeddings.create(
      { model: options.model, input: texts.map(truncate), encoding_format: 'float' },
      { signal: signal ? AbortSignal.any([signal, timeoutSignal]) : timeoutSignal },
    )
    return itemsOf(answer) ?? fail(options, `an answer without vectors${quoteText(answer, options.apiKey)}`)
  } catch (error) {
    signal?.throwIfAborted()
    throw embeddingFailure(error, options)
  }
}

function itemsOf(answer: unknown): Partial<OpenAI.Embedding>[] | undefined {
  if (typeof answer !== 'object' || answer === null || !('data' in answer) || !Array.isArray(answer.data))
    return undefined
  const items: unknown[] = answer.data
  return items.every((item) => typeof item === 'object' && item !== null) ? items : undefined
}

/** A response that is not JSON, such as an error page, helps to identify the server. */
function quoteText(answer: unknown, apiKey: string): string {
  return typeof answer === 'string' && answer !== '' ? `: ${cleanText(answer, apiKey)}` : ''
}

/**
 * Maximum number of UTF-16 units that fit into the 8,191 tokens of OpenAI's models in any script. Chunks are far shorter,
 * except for an uncuttable token or extreme settings.
 */
const maxCharacters = 8000

function truncate(text: string): string {
  return text.length <= maxCharacters ? text : text.slice(0, maxCharacters).toWellFormed()
}

function fail({ provider, model }: OpenAiEmbeddingOptions, problem: string): never {
  throw new AppError('provider_error', `${provider}/${model} answered with ${problem}`, { provider, reason: problem })
}

interface ErrorContext {
  readonly provider: string
  /** Must be removed from every message. */
  readonly apiKey: string
}

function embeddingFailure(error: unknown, { provider, apiKey }: ErrorContext): AppError {
  if (error instanceof AppError) return error
  const detail = cleanText(messageOf(error), apiKey)
  const toError = (code: ErrorCode, summary: string, data: Record<string, number> = {}) =>
    new AppError(
      code,
      detail === '' ? summary : `${summary}: ${detail}`,
      { provider, reason: detail, ...data },
      { cause: error },
    )
  if (isTimeout(error)) return toError('provider_timeout', `${provider} did not answer the embedding request in time`)
  if (error instanceof OpenAI.APIConnectionError)
    return toError('provider_unavailable', `${provider} cannot be reached for embeddings`)
  if (error instanceof OpenAI.APIError) {
    const status = error.status ?? 0
    const target = redirectTarget(error.status, error.headers)
    if (target !== undefined) return redirectError(provider, target, error)
    const retryAfterMs = parseRetryAfter(error.headers)
    const data = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
    if (status === 401 || status === 403)
      return toError('provider_auth', `${provider} refused the key for embeddings`, data)
    if (status === 429)
      return toError('provider_rate_limited', `${provider} limits the rate of embedding requests`, data)
    if (status >= 500) return toError('provider_unavailable', `${provider} has a server error (${status})`, data)
    return toError('provider_error', `${provider} refused the embedding request`, data)
  }
  if (error instanceof SyntaxError) return toError('provider_error', `${provider} returned invalid JSON`)
  if (error instanceof TypeError && /terminated|fetch failed|network|socket|aborted/i.test(error.message))
    return toError('provider_cut', `${provider} closed the connection in the middle of the response`)
  return toError('provider_error', `${provider} returned an unusable response`)
}

function isTimeout(error: unknown): boolean {
  return (
    error instanceof OpenAI.APIConnectionTimeoutError ||
    (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) ||
    error instanceof OpenAI.APIUserAbortError
  )
}

function messageOf(error: unknown): string {
  if (error instanceof OpenAI.APIConnectionError) return rootCauseMessage(error)
  if (error instanceof OpenAI.APIUserAbortError || !(error instanceof Error)) return ''
  if (!(error instanceof OpenAI.APIError)) return rootCauseMessage(error)
  // The client prefixes the message with the status.
  return error.message.replace(/^\d{3} /, '').replace(/^status code \(no body\)$/, '')
}

function rootCauseMessage(error: Error): string {
  let inner: Error = error
  while (inner.cause instanceof Error) inner = inner.cause
  const first = inner instanceof AggregateError && inner.errors[0] instanceof Error ? inner.errors[0] : inner
  return first.message === '' && 'code' in first ? String(first.code) : first.message
}

function cleanText(text: string, apiKey: string): string {
  return toPlainLine(redact(apiKey.length < 4 ? text : text.replaceAll(apiKey, '[redacted]')))
}
