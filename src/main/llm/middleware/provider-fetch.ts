import { type Fetch, boundedFetch, type Clock, type KeyRing } from '#platform'
import {
  maxEventBytes,
  maxListBytes,
  maxStreamBytes,
  maxCapturedRequest,
  maxCapturedImage,
} from '#shared/util/limits.ts'
import type { WireRequest } from '#shared/contract/index.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { createFailure, nonAnswerKind } from './provider-failures.ts'
import { asObject, asArray } from './lenient-json.ts'

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

/** Shows whether the end marker has arrived, which the client libraries do not expose. */
export interface StreamWatch {
  /** True once the server has sent `[DONE]`. */
  isDone: boolean
}

/** Returns the options for both official clients. Their own retries are off: `withRetries` repeats requests visibly. */
export function clientOptions(
  provider: string,
  { apiKey, baseUrl, timeoutMs, headers, fetch, onSent }: ProviderOptions,
  watch?: StreamWatch,
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
      watch,
    ),
    // A redirect would send the chat and the key to another server.
    fetchOptions: { redirect: 'manual' as const },
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off' as const,
  }
}

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

/**
 * Redacts a request for storage and display: headers by name, secrets by value anywhere. Shortens images and cuts long
 * bodies in the middle; `leftOut` counts the characters left out.
 */
export function redactRequest(
  { method, url, headers, body }: WireRequest,
  secrets: RequestSecrets,
  keys: Pick<KeyRing, 'scrub'>,
): WireRequest {
  const redact = (text: string) => keys.scrub(text, secrets.values)
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

/** Turns a JSON answer to a POST request into an event stream, other text into an error. Unwraps an error in a list. */
function streamingFetch(inner: Fetch, watch: StreamWatch | undefined): Fetch {
  return async (input, init) => {
    const response = await inner(input, init)
    if (!response.body) return response
    if (!response.ok) {
      const text = await response.text()
      const body = parseJson(text)
      return withBody(response, Array.isArray(body) ? JSON.stringify(body[0] ?? {}) : text)
    }
    if (init?.method?.toUpperCase() !== 'POST') return response
    return withBody(response, response.body.pipeThrough(toEventStream(watch)))
  }
}

function withBody({ status, statusText, headers, url }: Response, body: string | ReadableStream): Response {
  const response = new Response(body, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: url })
  return response
}

const endMarker = /^data:[ \t]*\[DONE\]/m

/** Lines of an event stream begin with a field name or a colon, JSON objects with a brace. */
function toEventStream(watch: StreamWatch | undefined): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let kind: ReturnType<typeof kindOf>
  let text = ''
  return new TransformStream(
    {
      transform(chunk, controller) {
        kind ??= kindOf(chunk)
        if (kind === 'events' || kind === undefined) {
          // `boundedFetch` yields whole lines.
          if (watch) watch.isDone ||= endMarker.test(new TextDecoder().decode(chunk))
          controller.enqueue(chunk)
        } else if (kind === 'object' || text.length < maxErrorCharacters)
          text += decoder.decode(chunk, { stream: true })
      },
      flush(controller) {
        if (kind !== 'object' && kind !== 'text') return
        const answer = kind === 'object' ? parseJson(text + decoder.decode()) : undefined
        const events = isRecord(answer) ? eventsOf(answer) : errorEvent(text)
        if (watch) watch.isDone ||= endMarker.test(events)
        controller.enqueue(new TextEncoder().encode(events))
      },
    },
    { highWaterMark: 1 },
    { highWaterMark: 0 },
  )
}

const maxErrorCharacters = 10_000
const headBytes = 400
const blankPattern = /^[\s\uFEFF]*$/
const eventStreamPattern = /^[\s\uFEFF]*(?:data|event|id|retry)?[ \t]*:/
/** Matches a stream whose first event is text instead of JSON. */
const textEventPattern =
  /^[\s\uFEFF]*(?:(?:event|id|retry)?:[^\r\n]*[\r\n]+)*data:[ \t]*(?!(?:null|true|false)\s)[^\s{["\d-]/

/** Returns undefined while only white space has arrived. */
function kindOf(chunk: Uint8Array): 'events' | 'object' | 'text' | undefined {
  const head = new TextDecoder().decode(chunk.subarray(0, headBytes))
  if (blankPattern.test(head)) return undefined
  if (/^[\s\uFEFF]*\{/.test(head)) return 'object'
  return eventStreamPattern.test(head) && !textEventPattern.test(head) ? 'events' : 'text'
}

function errorEvent(text: string): string {
  const message = text
    .slice(0, maxErrorCharacters)
    .replace(/^data:[ \t]*/gm, '')
    .trim()
  return formatEvent({ type: 'error', error: { type: nonAnswerKind, message } })
}

function eventsOf(answer: Fields): string {
  const events = streamEventsOf(answer)
  return events.map((event) => (typeof event === 'string' ? `data: ${event}\n\n` : formatEvent(event))).join('')
}

type Fields = Readonly<Record<string, unknown>>

function formatEvent(event: Fields): string {
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''
  return `${name}data: ${JSON.stringify(event)}\n\n`
}

function streamEventsOf(answer: Fields): (Fields | string)[] {
  const { type, object, output, status } = answer
  // `MessagesAnswer` accepts a `message_start` with the whole content.
  if (type === 'message') return [{ type: 'message_start', message: answer }, { type: 'message_stop' }]
  if (object === 'response' || Array.isArray(output))
    return [{ type: status === 'failed' ? 'response.failed' : 'response.completed', response: answer }]
  const choices = asArray(answer['choices']).map(asObject)
  // Without choices the answer is an error.
  if (choices.length === 0) return [{ type: 'error', error: answer['error'] ?? answer }]
  const pieces = choices.map(({ message, ...choice }) => ({ ...choice, delta: choice['delta'] ?? message }))
  return [{ ...answer, choices: pieces }, '[DONE]']
}
