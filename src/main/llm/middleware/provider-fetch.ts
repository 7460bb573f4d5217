import { type Fetch, boundedFetch, type Clock } from '#platform'
import {
  maxEventBytes,
  maxListBytes,
  maxStreamBytes,
  maxCapturedRequest,
  maxCapturedImage,
} from '#shared/util/limits.ts'
import { createFailure } from './provider-failures.ts'
import { streamingFetch } from '../providers/openai/non-streaming-fallback.ts'
import type { WireRequest } from '#shared/contract/index.ts'

export interface ProviderOptions {
  readonly apiKey: string
  readonly baseUrl: string | undefined
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sends the requests: see `Outbound`. */
  readonly fetch: Fetch
  readonly onSent?: (sent: WireRequest) => void
  readonly now?: Clock | undefined
}

/** Returns the options for both official clients. Their own retries are off: `withRetries` repeats requests visibly. */
export function clientOptions(
  provider: string,
  { apiKey, baseUrl, timeoutMs, headers, fetch, onSent }: ProviderOptions,
) {
  return {
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    // Lists use GET; answers use POST and stream.
    fetch: streamingFetch(
      boundedFetch(
        onSent ? capturingFetch(fetch, onSent) : fetch,
        (method) => (method === 'GET' ? { whole: maxListBytes } : { event: maxEventBytes, whole: maxStreamBytes }),
        () => createFailure('provider_too_much', provider),
      ),
    ),
    // A redirect would send the conversation and the key to another server.
    fetchOptions: { redirect: 'manual' as const },
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off' as const,
  }
}

/** Wraps a `fetch` to report each request before it is sent. */
function capturingFetch(inner: Fetch, onSent: (sent: WireRequest) => void): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const body = typeof init?.body === 'string' ? init.body : ''
    onSent({ method: init?.method ?? 'GET', url, headers: [...new Headers(init?.headers)], body, leftOut: 0 })
    return inner(input, init)
  }
}

export interface RequestSecrets {
  /** Names of headers whose values come from the environment. */
  readonly headers: readonly string[]
  readonly values: readonly string[]
}

const redacted = '[redacted]'
const secretName = /auth|cookie|credential|key|passw|secret|session|signature|token/i
const secretValue = /^(basic|bearer|token)\s/i
/** In characters; shorter values would match ordinary text. */
const minSecretLength = 6

/**
 * Redacts a request for storage and display: headers by name, secrets by value anywhere. Shortens images and cuts long
 * bodies in the middle; `leftOut` counts the characters left out.
 * @param scrub redacts other known secrets
 */
export function redactRequest(
  { method, url, headers, body }: WireRequest,
  secrets: RequestSecrets,
  scrub: (text: string) => string,
): WireRequest {
  const redact = (text: string) => scrub(redactValues(text, secrets.values))
  const secretHeaders = new Set(secrets.headers.map((name) => name.toLowerCase()))
  const isSecret = (name: string, value: string) =>
    secretName.test(name) || secretHeaders.has(name.toLowerCase()) || secretValue.test(value)
  const shortened = shortenImages(body)
  // Redacts before cutting, because a cut secret would not be recognised.
  const cut = withoutMiddle(redact(shortened.body))
  return {
    method,
    url: redact(redactUrl(url)),
    headers: headers.map(([name, value]) => [name, isSecret(name, value) ? redacted : redact(value)]),
    body: cut.body,
    leftOut: shortened.leftOut + cut.leftOut,
  }
}

/** Redacts values as they are and in their JSON and URL encodings. */
function redactValues(text: string, values: readonly string[]): string {
  const encodings = values
    .flatMap((value) =>
      value.length < minSecretLength ? [] : [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)],
    )
    .sort((one, other) => other.length - one.length)
  return [...new Set(encodings)].reduce((result, encoded) => result.replaceAll(encoded, redacted), text)
}

function redactUrl(original: string): string {
  const url = URL.parse(original)
  if (!url) return original
  const secretParameters = [...url.searchParams.keys()].filter((name) => secretName.test(name))
  // A URL without secrets stays unchanged; `url.href` would normalise it.
  if (secretParameters.length === 0 && url.username === '' && url.password === '') return original
  for (const name of secretParameters) url.searchParams.set(name, redacted)
  if (url.username !== '') url.username = 'redacted'
  if (url.password !== '') url.password = 'redacted'
  return url.href
}

/** Matches images in the formats of the three APIs. Quotes within texts are escaped, so texts cannot match. */
const imagePattern = /("type":"base64","data":"|"(?:url|image_url)":"data:[\w.+/-]+;base64,)([\w+/=-]+)"/g

function shortenImages(body: string): { body: string; leftOut: number } {
  let leftOut = 0
  const shortened = body.replace(imagePattern, (match, before: string, data: string) => {
    if (data.length <= maxCapturedImage) return match
    const excess = data.length - maxCapturedImage
    leftOut += excess
    return `${before}${data.slice(0, maxCapturedImage)}… [${excess} characters of base64 left out]"`
  })
  return { body: shortened, leftOut }
}

function withoutMiddle(body: string): { body: string; leftOut: number } {
  const leftOut = body.length - maxCapturedRequest
  if (leftOut <= 0) return { body, leftOut: 0 }
  const half = maxCapturedRequest / 2
  const head = body.slice(0, half).toWellFormed()
  const tail = body.slice(-half).toWellFormed()
  return { body: `${head}\n… [${leftOut} characters left out]\n${tail}`, leftOut }
}
