/**
 * Servers and proxies that do not stream answer with one JSON object, whatever type they give it. It goes on as the
 * stream that says the same, so that each provider's own reader takes it; so does a failure that came with status 200.
 */
import { isRecord, parseJson } from '../../shared/json.ts'
import type { Fetch } from '../network/index.ts'
import { fieldsOf, listOf } from './wire.ts'

/** A `fetch` whose answers to what is posted are streams of events. */
export function streamingFetch(inner: Fetch): Fetch {
  return async (input, init) => {
    const response = await inner(input, init)
    if (!response.ok || !response.body || init?.method?.toUpperCase() !== 'POST') return response
    const { status, statusText, headers, url } = response
    const streamed = new Response(response.body.pipeThrough(asEvents()), { status, statusText, headers })
    Object.defineProperty(streamed, 'url', { value: url })
    return streamed
  }
}

/** Every line of a stream of events begins with the name of a field or a colon; an object is known by its first letter. */
function asEvents(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let isWhole: boolean | undefined
  let text = ''
  return new TransformStream(
    {
      transform(chunk, controller) {
        isWhole ??= beginsObject(chunk)
        if (isWhole) text += decoder.decode(chunk, { stream: true })
        else controller.enqueue(chunk)
      },
      flush(controller) {
        if (isWhole) controller.enqueue(new TextEncoder().encode(eventsOf(text + decoder.decode())))
      },
    },
    { highWaterMark: 1 },
    { highWaterMark: 0 },
  )
}

const opening = 0x7b

/** @returns undefined while nothing but space came */
function beginsObject(chunk: Uint8Array): boolean | undefined {
  const first = chunk.find((byte) => !isSpace(byte))
  return first === undefined ? undefined : first === opening
}

/** White space, and the bytes of the mark that some put before a text. */
const spaces: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf])
const isSpace = (byte: number) => spaces.has(byte)

/** @returns what is no answer as it came: its reader finds that it breaks off */
function eventsOf(text: string): string {
  const sent = parseJson(text)
  if (!isRecord(sent)) return text
  const events = isMessage(sent) ? messageEvents(sent) : isResponse(sent) ? responseEvents(sent) : chatEvents(sent)
  return events.map((event) => (typeof event === 'string' ? `data: ${event}\n\n` : written(event))).join('')
}

type Fields = Readonly<Record<string, unknown>>

function written(event: Fields): string {
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''
  return `${name}data: ${JSON.stringify(event)}\n\n`
}

const isMessage = ({ type }: Fields) => type === 'message'
const isResponse = ({ object, output }: Fields) => object === 'response' || Array.isArray(output)

/** Anthropic's; a message that begins with all of its content is read as the whole that it is. */
const messageEvents = (message: Fields) => [{ type: 'message_start', message }, { type: 'message_stop' }]

const responseEvents = (response: Fields) => [
  { type: response['status'] === 'failed' ? 'response.failed' : 'response.completed', response },
]

/** A choice of a whole answer has a message where one of a stream has a piece. Without choices it is a failure. */
function chatEvents(answer: Fields): (Fields | string)[] {
  const choices = listOf(answer['choices']).map(fieldsOf)
  if (choices.length === 0) return [{ type: 'error', error: answer['error'] ?? answer }]
  const pieces = choices.map(({ message, ...choice }) => ({ ...choice, delta: choice['delta'] ?? message }))
  return [{ ...answer, choices: pieces }, '[DONE]']
}
