import { isRecord, parseJson } from '#shared/util/json.ts'
import type { Fetch } from '#platform'
import { asObject, asArray } from '../../middleware/lenient-json.ts'
import { nonAnswerKind } from '../../middleware/provider-failures.ts'

/** Wraps a `fetch`: turns a JSON object in answer to a POST request into an event stream, other text into an error. */
export function streamingFetch(inner: Fetch): Fetch {
  return async (input, init) => {
    const response = await inner(input, init)
    if (!response.ok || !response.body || init?.method?.toUpperCase() !== 'POST') return response
    return withBody(response, response.body.pipeThrough(toEventStream()))
  }
}

export function withBody({ status, statusText, headers, url }: Response, body: string | ReadableStream): Response {
  const response = new Response(body, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: url })
  return response
}

type Kind = 'events' | 'object' | 'text'

/** Lines of an event stream begin with a field name or a colon, JSON objects with a brace. */
function toEventStream(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let kind: Kind | undefined
  let text = ''
  return new TransformStream(
    {
      transform(chunk, controller) {
        kind ??= kindOf(chunk)
        if (kind === 'events' || kind === undefined) controller.enqueue(chunk)
        else if (kind === 'object' || text.length < maxErrorCharacters) text += decoder.decode(chunk, { stream: true })
      },
      flush(controller) {
        if (kind !== 'object' && kind !== 'text') return
        const answer = kind === 'object' ? parseJson(text + decoder.decode()) : undefined
        controller.enqueue(new TextEncoder().encode(isRecord(answer) ? eventsOf(answer) : errorEvent(text)))
      },
    },
    { highWaterMark: 1 },
    { highWaterMark: 0 },
  )
}

/** Maximum characters of other text in the error event. */
const maxErrorCharacters = 10_000
/** Number of first bytes from which the kind of a body is detected. */
const headBytes = 400
const blankPattern = /^[\s\uFEFF]*$/
const eventStreamPattern = /^[\s\uFEFF]*(?:data|event|id|retry)?[ \t]*:/
/** Matches a stream whose first event is text instead of JSON. */
const textEventPattern =
  /^[\s\uFEFF]*(?:(?:event|id|retry)?:[^\r\n]*[\r\n]+)*data:[ \t]*(?!(?:null|true|false)\s)[^\s{["\d-]/

/** Returns undefined while only white space has arrived. */
function kindOf(chunk: Uint8Array): Kind | undefined {
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
