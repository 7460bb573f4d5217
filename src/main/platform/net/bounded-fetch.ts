/**
 * A `fetch` whose answers cannot be of any size. What arrives is counted after decompression; a stream of events goes on
 * in whole lines, so that whoever reads it never has to piece one together, and no faster than it is read. A request's
 * body does not follow a redirect to somebody else.
 */
import { maxErrorBytes } from '#shared/util/limits.ts'
import { Nesting } from './json-depth.ts'

export type Fetch = typeof fetch

/** In bytes. */
export interface BodyLimits {
  /** One event of a stream; undefined for bodies that are read as a whole. */
  readonly event?: number | undefined
  /** All of a body; undefined for streams that stay open. */
  readonly whole?: number | undefined
}

/**
 * @param limitsOf asked for each answer, by the request's method and the answer's type
 * @param tooMuch the failure of a body that goes past `limit` bytes
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
      : beginning(response.body, maxErrorBytes)
    const { status, statusText, headers } = response
    // What is told of the bytes on the wire no longer holds.
    const told = new Headers(headers)
    told.delete('content-encoding')
    told.delete('content-length')
    const bounded = new Response(body, { status, statusText, headers: told })
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
  const nesting = new Nesting()
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

/** Gives whole lines on, and counts the bytes of each event: they end with an empty line. */
class Lines {
  readonly #most: number
  readonly #tooMuch: (limit: number) => Error
  #held: Uint8Array[] = []
  #eventBytes = 0
  #isLineEmpty = true
  #wasReturn = false
  readonly #nesting = new Nesting()

  constructor(most: number, tooMuch: (limit: number) => Error) {
    this.#most = most
    this.#tooMuch = tooMuch
  }

  /** @returns all that ends with a line's end now */
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
      this.#held.push(chunk)
      return new Uint8Array()
    }
    const ready = Buffer.concat([...this.#held, chunk.subarray(0, end)])
    // A copy: the rest would keep the whole chunk.
    this.#held = end < chunk.length ? [chunk.slice(end)] : []
    return ready
  }

  /** What the last line has without an end; nothing when it is asked for again. */
  rest(): Uint8Array {
    const rest = Buffer.concat(this.#held)
    this.#held = []
    return rest
  }
}

/** The first bytes; what comes after them is not waited for. */
function beginning(source: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let left = most
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = left > 0 ? await reader.read() : { value: undefined, done: true }
        const taken = value?.subarray(0, left)
        left -= taken?.length ?? 0
        if (taken && taken.length > 0) controller.enqueue(taken)
        if (!done && left > 0) return
        await reader.cancel().catch(() => undefined)
        controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
