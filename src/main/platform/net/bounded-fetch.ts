/**
 * A `fetch` with size limits. Counts bytes after decompression, forwards event streams in whole lines, and applies
 * backpressure. Redirects are not followed, so nothing is sent to another host.
 */
import type { Dispatcher } from 'undici'
import { maxErrorBytes } from '#shared/util/limits.ts'
import { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { systemClock } from '../clock.ts'

export type Fetch = typeof globalThis.fetch

export interface BodyLimits {
  /** Limit of one event of a stream; undefined for bodies read as a whole. */
  readonly event?: number | undefined
  /** Limit of the whole body; undefined for streams that stay open. */
  readonly whole?: number | undefined
}

/** Cuts error responses to `maxErrorBytes`. @param limitsOf by request method and response MIME type */
export function boundedFetch(
  fetchFunction: Fetch,
  limitsOf: (method: string, type: string) => BodyLimits,
  tooLargeError: (limit: number) => Error,
): Fetch {
  return async (input, init) => {
    const method = (init?.method ?? 'GET').toUpperCase()
    const response = await fetchFunction(input, { ...init, redirect: 'manual' })
    if (!response.body) return response
    const body = response.ok
      ? limitStream(response.body, limitsOf(method, mimeTypeOf(response)), tooLargeError)
      : truncateStream(response.body, maxErrorBytes)
    const { status, statusText, headers } = response
    // These headers describe the compressed body.
    const remainingHeaders = new Headers(headers)
    remainingHeaders.delete('content-encoding')
    remainingHeaders.delete('content-length')
    const bounded = new Response(body, { status, statusText, headers: remainingHeaders })
    Object.defineProperty(bounded, 'url', { value: response.url })
    return bounded
  }
}

export function mimeTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function limitStream(
  source: ReadableStream<Uint8Array>,
  { event, whole }: BodyLimits,
  tooLargeError: (limit: number) => Error,
): ReadableStream<Uint8Array> {
  const lines = event === undefined ? undefined : createLineBuffer(event, tooLargeError)
  const nesting = new JsonDepthCounter()
  let bytes = 0
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(value, controller) {
        bytes += value.length
        if (whole !== undefined && bytes > whole) throw tooLargeError(whole)
        if (!lines && !value.every((byte) => nesting.add(byte))) throw tooLargeError(bytes)
        const ready = lines ? lines.add(value) : value
        if (ready.length > 0) controller.enqueue(ready)
      },
      flush(controller) {
        const remaining = lines?.remaining()
        if (remaining && remaining.length > 0) controller.enqueue(remaining)
      },
    }),
  )
}

const lineFeed = 10
const carriageReturn = 13

/** Splits an event stream after its complete lines; an empty line ends an event. */
function createLineBuffer(maxEventBytes: number, tooLargeError: (limit: number) => Error) {
  let pending: Uint8Array[] = []
  let eventBytes = 0
  let isLineEmpty = true
  let wasCarriageReturn = false
  const nesting = new JsonDepthCounter()
  return {
    /** Returns the complete lines so far; empty if there are none. */
    add(chunk: Uint8Array): Uint8Array {
      let end = 0
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at]
        const endsCrLf = byte === lineFeed && wasCarriageReturn
        wasCarriageReturn = byte === carriageReturn
        if (byte === lineFeed || byte === carriageReturn) {
          nesting.endLine()
          if (isLineEmpty && !endsCrLf) {
            eventBytes = 0
            nesting.reset()
          }
          isLineEmpty = true
          end = at + 1
        } else {
          isLineEmpty = false
          eventBytes += 1
          if (!nesting.add(byte ?? 0)) throw tooLargeError(maxEventBytes)
        }
      }
      if (eventBytes > maxEventBytes) throw tooLargeError(maxEventBytes)
      if (end === 0) {
        pending.push(chunk)
        return new Uint8Array()
      }
      const ready = Buffer.concat([...pending, chunk.subarray(0, end)])
      // Copies the rest, so that the whole chunk can be freed.
      pending = end < chunk.length ? [chunk.slice(end)] : []
      return ready
    },
    remaining: () => Buffer.concat(pending),
  }
}

function truncateStream(source: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let remainingBytes = maxBytes
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(value, controller) {
        controller.enqueue(value.subarray(0, remainingBytes))
        remainingBytes -= value.length
        if (remainingBytes <= 0) controller.terminate()
      },
    }),
  )
}

const maxTargetCharacters = 200

/** Names the target without query and fragment (possible secrets). Undefined if it is no redirect. */
export function redirectError(
  provider: string,
  status: number | undefined,
  headers: Headers | undefined,
  cause: unknown,
): AppError | undefined {
  if (status === undefined || status < 300 || status > 399) return undefined
  const url = URL.parse(headers?.get('location') ?? '')
  const target = url ? `${url.origin}${url.pathname}`.slice(0, maxTargetCharacters) : '?'
  const message = `${provider} redirects to ${target}; the request was not sent there. If that address is correct, set it as the base URL`
  return new AppError('provider_redirected', message, { provider, target }, { cause })
}

/** Milliseconds in `retry-after-ms` or `retry-after` (seconds or a date); undefined if none is valid. */
export function parseRetryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') || Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)
  const value = headers?.get('retry-after')
  if (value === null || value === undefined || value === '') return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - systemClock().getTime()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

const maxLineCharacters = 300

/** Returns a text for an error message: at most 300 characters, without markup and enclosing quotes. */
export function toPlainLine(body: string): string {
  const parsed = body.startsWith('"') ? parseJson(body) : undefined
  const text = (typeof parsed === 'string' ? parsed : body)
    .replace(/<(style|script)\b[^]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= maxLineCharacters ? text.toWellFormed() : `${text.slice(0, maxLineCharacters).toWellFormed()}…`
}

/** Maximum nesting of a JSON response; the levels of real responses, with tool schemas, stay below 100. */
export const maxLevels = 200

const quote = 0x22
const backslash = 0x5c

class JsonDepthCounter {
  #levels = 0
  #isInString = false
  #isEscaped = false

  add(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isInString = false
      return true
    }
    if (byte === quote) this.#isInString = true
    else if (byte === 0x5b || byte === 0x7b) this.#levels += 1
    else if (byte === 0x5d || byte === 0x7d) this.#levels = Math.max(0, this.#levels - 1)
    return this.#levels <= maxLevels
  }

  /** JSON strings do not span lines. */
  endLine(): void {
    this.#isInString = false
    this.#isEscaped = false
  }

  reset(): void {
    this.endLine()
    this.#levels = 0
  }
}

export function isWithinDepthLimit(json: string): boolean {
  const nesting = new JsonDepthCounter()
  for (let at = 0; at < json.length; at += 1) if (!nesting.add(json.charCodeAt(at))) return false
  return true
}

/** Returns a `fetch` through `proxy` or the proxies of the environment; undefined if neither is set. */
export function proxyFetch(proxy: string | undefined, env: NodeJS.ProcessEnv): Fetch | undefined {
  const { httpsProxy } = environmentProxies(env)
  if (proxy === undefined && httpsProxy === '') return undefined
  const fetchThroughProxy = async (input: string, init?: object) => {
    const undici = await loadUndici()
    return undici.fetch(input, { ...init, dispatcher: dispatcherFor(undici, proxy, env) })
  }
  // Only the types differ; the dispatcher needs undici's own fetch.
  return fetchThroughProxy as unknown as Fetch
}

/** Loads it on demand: undici takes a megabyte. */
export const loadUndici = () => import('undici')

let unlimited: Dispatcher | undefined

/** The global `fetch` has limits of five minutes; a model of this machine may need longer to read a prompt. */
export const unlimitedFetch = (async (input: string, init?: object) => {
  const { Agent, fetch } = await loadUndici()
  unlimited ??= new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return fetch(input, { ...init, dispatcher: unlimited })
}) as unknown as Fetch

/** Returns the proxy's URL for requests to `url`, HTTPS if undefined; undefined for direct connections. */
export function proxyFor(url: string | undefined, proxy: string | undefined, env: NodeJS.ProcessEnv) {
  if (proxy !== undefined) return proxy
  const { protocol, hostname } = (url === undefined ? null : URL.parse(url)) ?? { protocol: 'https:', hostname: '' }
  const { httpProxy, httpsProxy, noProxy } = environmentProxies(env)
  const environmentProxy = protocol === 'http:' ? httpProxy : httpsProxy
  const directHosts = new Set(noProxy.split(/[\s,]+/).map((host) => host.replace(/:\d+$/, '')))
  const isDirect = directHosts.has('*') || directHosts.has(hostname)
  return environmentProxy && !isDirect ? environmentProxy : undefined
}

const dispatchers = new Map<string, Dispatcher>()

/** Returns the proxies of the environment; empty texts if there are none. */
export function environmentProxies(env: NodeJS.ProcessEnv) {
  const httpProxy = env['http_proxy'] || env['HTTP_PROXY'] || ''
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'] || httpProxy
  return { httpProxy, httpsProxy, noProxy: env['no_proxy'] || env['NO_PROXY'] || '' }
}

function dispatcherFor(
  { EnvHttpProxyAgent, ProxyAgent }: typeof import('undici'),
  proxy: string | undefined,
  env: NodeJS.ProcessEnv,
): Dispatcher {
  const proxies = environmentProxies(env)
  const key = JSON.stringify([proxy, proxies])
  const dispatcher =
    dispatchers.get(key) ?? (proxy === undefined ? new EnvHttpProxyAgent(proxies) : new ProxyAgent(proxy))
  dispatchers.set(key, dispatcher)
  return dispatcher
}
