import { AppError, rootCauseMessage, type ErrorCode, type ErrorData } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { maxVectorBytes } from '#shared/util/limits.ts'
import { mostFrequent } from '#shared/util/most-frequent.ts'
import { boundedFetch, type Fetch, redact, toPlainLine, redirectError, parseRetryAfter } from '#platform'
import { toUnitVector, type EmbeddingProvider } from './embedding-provider.ts'

/** Dimensions of known models: platform.openai.com/docs/guides/embeddings, November 2026. */
const knownDimensions: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
  'gemini-embedding-001': 3072,
}

export interface OpenAiEmbeddingOptions extends Pick<EmbeddingProvider, 'model' | 'address' | 'batchSize'> {
  readonly provider: 'openai' | 'gemini' | 'openai-compatible'
  readonly apiKey: string
  readonly baseUrl: string
  readonly fetchFor: (isPrivate: boolean) => Fetch
}

/** Timeout of one request, ms. There is no retry here: see `ProviderHealth`. */
const timeoutMs = 60_000

export function createOpenAiEmbeddings(options: OpenAiEmbeddingOptions): EmbeddingProvider {
  const { provider, model, address, batchSize } = options
  const knownLength = provider === 'openai-compatible' ? 0 : (knownDimensions[model] ?? 0)
  let lastLength = 0
  return {
    provider,
    model,
    address,
    batchSize,
    get dimensions() {
      return knownLength || lastLength
    },
    async embed(texts, signal, isPrivate = false) {
      if (texts.length === 0) return []
      const answer = await request(options, texts, options.fetchFor(isPrivate), signal)
      const parsedVectors = texts.map((_text, index) => {
        const item = answer.find((candidate) => candidate['index'] === index) ?? answer[index]
        return Array.isArray(item?.['embedding']) ? toUnitVector(item['embedding']) : undefined
      })
      const usableVectors = parsedVectors.filter((vector) => vector !== undefined)
      const [first] = usableVectors
      if (!first)
        throw wrongAnswer(
          options,
          texts.length === 1 ? 'no usable vector for a text' : `no usable vector for any of ${texts.length} texts`,
        )
      // Not compared with earlier answers, which may be wrong: the caller compares the length with the index.
      const expected = knownLength || (mostFrequent(usableVectors, ({ length }) => length)[0]?.length ?? 0)
      if (usableVectors.every(({ length }) => length !== expected))
        throw wrongAnswer(options, `a vector of ${first.length} dimensions where ${expected} were expected`)
      lastLength = expected
      return parsedVectors.map((vector) => (vector?.length === expected ? vector : undefined))
    },
  }
}

async function request(
  options: OpenAiEmbeddingOptions,
  texts: readonly string[],
  fetch: Fetch,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>[]> {
  const { provider, model, apiKey, baseUrl } = options
  const input = texts.map((text) => text.slice(0, maxCharacters).toWellFormed())
  // Does not follow redirects, which would pass the texts and the key to another server.
  const send = boundedFetch(
    fetch,
    () => ({ whole: maxVectorBytes }),
    () => wrongAnswer(options, 'a response that is too large'),
  )
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response | undefined
  try {
    response = await send(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    const text = await response.text()
    if (!response.ok) throw refusal(options, response, text)
    const answer = parseJson(text)
    const items = isRecord(answer) ? answer['data'] : undefined
    if (Array.isArray(items) && items.every(isRecord)) return items
    // A response that is not JSON, such as an error page, helps to identify the server.
    throw wrongAnswer(options, answer === undefined ? `invalid JSON: ${cleanText(text, apiKey)}` : 'no vectors')
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof AppError) throw error
    const failed = (code: ErrorCode, problem: string) => failure(options, code, problem, rootCauseMessage(error))
    if (timeout.aborted)
      throw failure(options, 'provider_timeout', `${provider} did not answer the embedding request in time`)
    if (!response) throw failed('provider_unavailable', `${provider} cannot be reached for embeddings`)
    throw failed('provider_cut', `${provider} closed the connection in the middle of the response`)
  }
}

/**
 * Maximum number of UTF-16 units that fit into the 8,191 tokens of OpenAI's models in any script. Chunks are far shorter,
 * except for an uncuttable token or extreme settings.
 */
const maxCharacters = 8000

function wrongAnswer({ provider, model }: OpenAiEmbeddingOptions, problem: string): AppError {
  return new AppError('provider_error', `${provider}/${model} answered with ${problem}`, { provider, reason: problem })
}

function failure(
  { provider, apiKey }: OpenAiEmbeddingOptions,
  code: ErrorCode,
  summary: string,
  serverMessage = '',
  data: ErrorData = {},
): AppError {
  const reason = cleanText(serverMessage, apiKey)
  return new AppError(code, reason === '' ? summary : `${summary}: ${reason}`, { provider, reason, ...data })
}

function refusal(options: OpenAiEmbeddingOptions, { status, headers }: Response, body: string): AppError {
  const { provider } = options
  const redirect = redirectError(provider, status, headers, undefined)
  if (redirect) return redirect
  const retryAfterMs = parseRetryAfter(headers)
  const data = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  const refused = (code: ErrorCode, summary: string) => failure(options, code, summary, messageOf(body), data)
  if (status === 401 || status === 403) return refused('provider_auth', `${provider} refused the key for embeddings`)
  if (status === 429) return refused('provider_rate_limited', `${provider} limits the rate of embedding requests`)
  if (status >= 500) return refused('provider_unavailable', `${provider} has a server error (${status})`)
  return refused('provider_error', `${provider} refused the embedding request`)
}

function messageOf(body: string): string {
  const answer = parseJson(body)
  const error = isRecord(answer) ? answer['error'] : undefined
  const message = isRecord(error) ? error['message'] : error
  return typeof message === 'string' ? message : body
}

function cleanText(text: string, apiKey: string): string {
  return toPlainLine(redact(apiKey.length < 4 ? text : text.replaceAll(apiKey, '[redacted]')))
}
