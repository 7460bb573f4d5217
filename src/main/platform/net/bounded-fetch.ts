/**
 * A `fetch` with size limits. Counts bytes after decompression, forwards event streams in whole lines, and applies
 * backpressure. Redirects are not followed, so nothing is sent to another host.
 */
import { maxErrorBytes } from '#shared/util/limits.ts'
import { JsonDepthCounter } from './json-depth.ts'

export type Fetch = typeof globalThis.fetch

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
 * @param tooLargeError creates the error for a body or an event larger than `limit` bytes
 */
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

function mimeTypeOf({ headers }: Response): string {
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
    /** Returns the unterminated last line. */
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
