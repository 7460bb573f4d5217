/**
 * Recorded answers of providers as stream events. `*.chunks.txt` (the format of vercel/ai) has the data of one event
 * per line and may contain several answers. In a folder named after its API, `*.sse` is an exact stream, and
 * `*.whole.json` the answer of a server that does not stream.
 */
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isRecord, parseJson } from '../../src/shared/util/json.ts'

export type Wire = 'anthropic' | 'chat' | 'responses'

export interface Recording {
  readonly name: string
  readonly wire: Wire
  /** Events, each with the empty line that ends it, if there is one. */
  readonly events: readonly string[]
}

const ending = /\.(chunks\.txt|sse|whole\.json)$/

/** Returns the recordings below a folder, sorted, without APIs that the app does not support. */
export async function readRecordings(folder: string): Promise<Recording[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => ending.test(file))
  const all = await Promise.all(
    files.sort().map(async (file) => {
      const path = join(folder, file)
      const text = await readFile(path, 'utf8')
      const name = relative(folder, path).replace(ending, '')
      return file.endsWith('.chunks.txt') ? fromLines(name, text) : [toTheLetter(name, basename(dirname(path)), text)]
    }),
  )
  return all.flat()
}

function toTheLetter(name: string, wire: string, text: string): Recording {
  if (wire !== 'anthropic' && wire !== 'chat' && wire !== 'responses') throw new Error(`${name} is in no API folder`)
  return { name, wire, events: text.split(/(?<=\n\n)/) }
}

function fromLines(name: string, text: string): Recording[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const wire = wireOf(lines)
  if (!wire) return []
  const answers: string[][] = []
  let hasEnded = true
  for (const line of lines) {
    const type = typeOf(line)
    if (hasEnded || type === 'response.created') answers.push([])
    hasEnded = type === 'message_stop'
    answers.at(-1)?.push(wire === 'chat' ? `data: ${line}\n\n` : `event: ${type}\ndata: ${line}\n\n`)
  }
  if (wire === 'chat') for (const events of answers) events.push('data: [DONE]\n\n')
  return answers.map((events, index) => ({ name: answers.length > 1 ? `${name}#${index + 1}` : name, wire, events }))
}

function typeOf(line: string): string {
  const { type } = asRecord(parseJson(line))
  return typeof type === 'string' ? type : ''
}

function wireOf(lines: readonly string[]): Wire | undefined {
  const types = new Set(lines.map(typeOf))
  if (types.has('message_start')) return 'anthropic'
  if (types.has('response.created')) return 'responses'
  return lines.some((line) => asRecord(parseJson(line))['object'] === 'chat.completion.chunk' || hasDelta(line))
    ? 'chat'
    : undefined
}

function hasDelta(line: string): boolean {
  const { choices } = asRecord(parseJson(line))
  return Array.isArray(choices) && choices.some((choice) => 'delta' in asRecord(choice))
}

/** Returns the data of complete events, up to the first that is not JSON. */
export function dataOf(events: readonly string[]): { sent: Record<string, unknown>[]; isDone: boolean } {
  const sent: Record<string, unknown>[] = []
  for (const event of events) {
    if (event.startsWith('{')) return { sent: asStreamed(asRecord(parseJson(event))), isDone: true }
    const lines = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
    if (lines.length === 0) continue
    const data = lines.join('\n')
    if (data === '[DONE]') return { sent, isDone: true }
    const value = parseJson(data)
    if (value === undefined) break
    if (isRecord(value)) sent.push(value)
  }
  return { sent, isDone: false }
}

/** Converts a whole answer to the events of a stream. */
function asStreamed(answer: Record<string, unknown>): Record<string, unknown>[] {
  const items = (name: string) => asList(answer[name]).map(asRecord).entries()
  if (answer['type'] === 'message')
    return [
      { type: 'message_start', message: { ...answer, content: [] } },
      ...[...items('content')].map(([index, block]) => ({ type: 'content_block_start', index, content_block: block })),
    ]
  if (answer['object'] === 'response')
    return [
      ...[...items('output')].flatMap(([place, item]) => [
        { type: 'response.output_item.added', output_index: place, item },
        { type: 'response.output_item.done', output_index: place, item },
      ]),
      { type: 'response.completed', response: answer },
    ]
  return [
    { ...answer, choices: [...items('choices')].map(([, { message, ...rest }]) => ({ ...rest, delta: message })) },
  ]
}

export function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
