/**
 * A `fetch` with size limits. Counts bytes after decompression, forwards event streams in whole lines, and applies
 * backpressure. Only GET requests follow redirects, so a request body is not sent to another host.
 */
import { maxErrorBytes } from '#shared/util/limits.ts'
import { JsonDepthCounter } from './json-depth.ts'

export type Fetch = typeof fetch

/** Limits in bytes. */
export interface BodyLimits {
  /** Limit of one event of a stream; undefined for bodies read as a whole. */
  readonly event?: number | undefined
  /** Limit of the whole body; undefined for streams that stay open. */
  readonly whole?: number | undefined
}

/**
 * Wraps a fetch function. Error responses are cut to `maxErrorBytes`.
 * @param limitsOf returns the limits by request method and response MIME type
 * @param tooMuch creates the error for a body larger than `limit` bytes
 */
export function boundedFetch(
  inner: Fetch,
  limitsOf: (method: string, type: string) => BodyLimits,
  tooMuch: (limit: number) => Error,
): Fetch {
  return async (input, init) => {
    const method = (init?.method ?? 'GET').toUpperCase()
    const response = await inner(input, {
      ...init,
      redirect: method === 'GET' ? (init?.redirect ?? 'follow') : 'manual',
    })
    if (!response.body) return response
    const body = response.ok
      ? limited(response.body, limitsOf(method, typeOf(response)), tooMuch)
      : truncated(response.body, maxErrorBytes)
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

function typeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function limited(
  source: ReadableStream<Uint8Array>,
  { event, whole }: BodyLimits,
  tooMuch: (limit: number) => Error,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  const lines = event === undefined ? undefined : new Lines(event, tooMuch)
  const nesting = new JsonDepthCounter()
  let bytes = 0
  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return lines?.rest()
      bytes += value.length
      if (whole !== undefined && bytes > whole) throw tooMuch(whole)
      if (!lines && !value.every((byte) => nesting.add(byte))) throw tooMuch(bytes)
      const ready = lines ? lines.add(value) : value
      if (ready.length > 0) return ready
    }
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const chunk = await next()
          if (chunk && chunk.length > 0) controller.enqueue(chunk)
          else controller.close()
        } catch (error) {
          controller.error(error)
          await reader.cancel(error).catch(() => undefined)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

const lineFeed = 10
const carriageReturn = 13

class Lines {
  readonly #most: number
  readonly #tooMuch: (limit: number) => Error
  #pending: Uint8Array[] = []
  #eventBytes = 0
  #isLineEmpty = true
  #wasReturn = false
  readonly #nesting = new JsonDepthCounter()

  constructor(maxBytes: number, tooMuch: (limit: number) => Error) {
    this.#most = maxBytes
    this.#tooMuch = tooMuch
  }

  /** Returns the complete lines so far; empty if there are none. */
  add(chunk: Uint8Array): Uint8Array {
    let end = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]
      const isSecondHalf = byte === lineFeed && this.#wasReturn
      this.#wasReturn = byte === carriageReturn
      if (byte === lineFeed || byte === carriageReturn) {
        this.#nesting.endLine()
        if (this.#isLineEmpty && !isSecondHalf) {
          this.#eventBytes = 0
          this.#nesting.reset()
        }
        this.#isLineEmpty = true
        end = at + 1
      } else {
        this.#isLineEmpty = false
        this.#eventBytes += 1
        if (!this.#nesting.add(byte ?? 0)) throw this.#tooMuch(this.#most)
      }
    }
    if (this.#eventBytes > this.#most) throw this.#tooMuch(this.#most)
    if (end === 0) {
      this.#pending.push(chunk)
      return new Uint8Array()
    }
    const ready = Buffer.concat([...this.#pending, chunk.subarray(0, end)])
    // Copies the rest, so that the whole chunk can be freed.
    this.#pending = end < chunk.length ? [chunk.slice(end)] : []
    return ready
  }

  /** Returns the unterminated last line; empty on a second call. */
  rest(): Uint8Array {
    const rest = Buffer.concat(this.#pending)
    this.#pending = []
    return rest
  }
}

function truncated(source: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let bytesLeft = maxBytes
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = bytesLeft > 0 ? await reader.read() : { value: undefined, done: true }
        const taken = value?.subarray(0, bytesLeft)
        bytesLeft -= taken?.length ?? 0
        if (taken && taken.length > 0) controller.enqueue(taken)
        if (!done && bytesLeft > 0) return
        await reader.cancel().catch(() => undefined)
        controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
