import OpenAI from 'openai'
import { AppError, type ErrorCode } from '#shared/util/errors.ts'
import { redact, plainWords, redirected, redirectTarget, retryAfterOf } from '#platform'

interface Asked {
  readonly provider: string
  /** Never repeated, whoever quotes it. */
  readonly apiKey: string
}

/** @returns always an AppError: whatever a server answers, it is the server's failure */
export function embeddingFailure(error: unknown, { provider, apiKey }: Asked): AppError {
  if (error instanceof AppError) return error
  const words = cleanWords(wordsOf(error), apiKey)
  const make = (code: ErrorCode, what: string, data: Record<string, number> = {}) =>
    new AppError(
      code,
      words === '' ? what : `${what}: ${words}`,
      { provider, reason: words, ...data },
      { cause: error },
    )
  if (isTimeout(error)) return make('provider_timeout', `${provider} did not answer the embedding request in time`)
  if (error instanceof OpenAI.APIConnectionError)
    return make('provider_unavailable', `${provider} cannot be reached for embeddings`)
  if (error instanceof OpenAI.APIError) {
    const status = error.status ?? 0
    const target = redirectTarget(error.status, error.headers)
    if (target !== undefined) return redirected(provider, target, error)
    const retryAfterMs = retryAfterOf(error.headers)
    const data = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
    if (status === 401 || status === 403)
      return make('provider_auth', `${provider} refused the key for embeddings`, data)
    if (status === 429) return make('provider_rate_limited', `${provider} limits the rate of embeddings`, data)
    if (status >= 500) return make('provider_unavailable', `${provider} is out of order (${status})`, data)
    return make('provider_error', `${provider} refused the embedding request`, data)
  }
  if (error instanceof SyntaxError) return make('provider_error', `${provider} answered with what is no JSON`)
  if (error instanceof TypeError && /terminated|fetch failed|network|socket|aborted/i.test(error.message))
    return make('provider_cut', `${provider} broke off in the middle of the answer`)
  return make('provider_error', `${provider} answered with what cannot be used`)
}

function isTimeout(error: unknown): boolean {
  return (
    error instanceof OpenAI.APIConnectionTimeoutError ||
    (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) ||
    error instanceof OpenAI.APIUserAbortError
  )
}

/** The message of the body; what lies at the bottom of a connection that failed; else the error's own. */
function wordsOf(error: unknown): string {
  if (error instanceof OpenAI.APIConnectionError) return deepest(error)
  if (error instanceof OpenAI.APIUserAbortError || !(error instanceof Error)) return ''
  if (!(error instanceof OpenAI.APIError)) return deepest(error)
  // The client puts the status before what the body says.
  return error.message.replace(/^\d{3} /, '').replace(/^status code \(no body\)$/, '')
}

function deepest(error: Error): string {
  let inner: Error = error
  while (inner.cause instanceof Error) inner = inner.cause
  const first = inner instanceof AggregateError && inner.errors[0] instanceof Error ? inner.errors[0] : inner
  return first.message === '' && 'code' in first ? String(first.code) : first.message
}

/** The words of a server, without secrets. */
export function cleanWords(words: string, apiKey: string): string {
  return plainWords(redact(apiKey.length < 4 ? words : words.replaceAll(apiKey, '[redacted]')))
}
