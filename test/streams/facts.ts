/**
 * Reads the expected facts directly from a recording's events, independent of the app's code, so that the two can be
 * compared. It handles well-formed answers only; a handwritten table covers the others.
 */
import { createHash } from 'node:crypto'
import { parseJson } from '../../src/shared/util/json.ts'
import { asList, asRecord, asText, dataOf, type Recording, type Wire } from './recording.ts'

type Sent = Record<string, unknown>

export interface Facts {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
  /** The app's stop reason (`stop`, `length`, `toolUse`), or the code of a failure. */
  readonly finish: string
  /** Tokens: uncached input, output including thinking, cache reads and writes. */
  readonly usage: readonly [input: number, output: number, cacheRead: number, cacheWrite: number]
}

export function readFacts({ wire, events }: Pick<Recording, 'wire' | 'events'>): Facts {
  const { sent } = dataOf(events)
  return readers[wire](sent)
}

const readers: Record<Wire, (sent: Sent[]) => Facts> = {
  anthropic: readMessages,
  chat: readChat,
  responses: readResponses,
}

const count = (value: unknown) => (typeof value === 'number' ? value : 0)

/** Returns the parsed JSON, or the text if it was cut off. */
function parsed(json: string): unknown {
  return json === '' ? {} : (parseJson(json) ?? json)
}

function readMessages(sent: Sent[]): Facts {
  let text = ''
  let thinking = ''
  let stop = ''
  let id: unknown
  const usage: Sent = {}
  const calls = new Map<unknown, { name: string; input: unknown; json: string }>()
  const read = (block: Sent, index: unknown) => {
    text += block['type'] === 'text' ? asText(block['text']) : ''
    thinking += block['type'] === 'thinking' ? asText(block['thinking']) : ''
    if (block['type'] === 'tool_use') calls.set(index, { name: asText(block['name']), input: block['input'], json: '' })
  }
  for (const event of sent) {
    const delta = asRecord(event['delta'])
    if (event['type'] === 'message_start') {
      const message = asRecord(event['message'])
      // Ignore a second message within this one.
      if (id !== undefined && message['id'] !== id) break
      id = message['id']
      Object.assign(usage, asRecord(message['usage']))
      stop = asText(message['stop_reason'])
      for (const [index, block] of asList(message['content']).entries()) read(asRecord(block), `start ${index}`)
    } else if (event['type'] === 'content_block_start') read(asRecord(event['content_block']), event['index'])
    else if (event['type'] === 'message_delta') {
      stop = asText(delta['stop_reason']) || stop
      for (const [name, value] of Object.entries(asRecord(event['usage']))) if (value !== null) usage[name] = value
    } else if (event['type'] === 'content_block_delta') {
      text += asText(delta['text'])
      thinking += asText(delta['thinking'])
      const call = calls.get(event['index'])
      if (call) call.json += asText(delta['partial_json'])
    }
  }
  const finishes: Record<string, string> = { tool_use: 'toolUse', max_tokens: 'length', refusal: 'provider_refused' }
  return {
    text,
    thinking,
    calls: [...calls.values()].map(({ name, input, json }) => ({
      name,
      arguments: json === '' ? input : parsed(json),
    })),
    finish: finishes[stop] ?? 'stop',
    usage: [
      count(usage['input_tokens']),
      count(usage['output_tokens']),
      count(usage['cache_read_input_tokens']),
      count(usage['cache_creation_input_tokens']),
    ],
  }
}

function readResponses(sent: Sent[]): Facts {
  const pieces = { text: new Map<string, string>(), thinking: new Map<string, string>() }
  const calls: { name: string; arguments: unknown }[] = []
  let response: Sent = {}
  for (const event of sent) {
    const type = asText(event['type'])
    const kind =
      type === 'response.output_text.delta'
        ? 'text'
        : /^response\.reasoning_.*text\.delta$/.test(type)
          ? 'thinking'
          : undefined
    if (kind) {
      const key = `${String(event['output_index'])} ${kind === 'text' ? '' : String(event['summary_index'] ?? event['content_index'])}`
      pieces[kind].set(key, (pieces[kind].get(key) ?? '') + asText(event['delta']))
    }
    const item = asRecord(event['item'])
    if (type === 'response.output_item.done' && item['type'] === 'function_call')
      calls.push({ name: asText(item['name']), arguments: parsed(asText(item['arguments'])) })
    if (type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed')
      response = asRecord(event['response'])
  }
  const usage = asRecord(response['usage'])
  const cached = count(asRecord(usage['input_tokens_details'])['cached_tokens'])
  const reason = asRecord(response['incomplete_details'])['reason']
  return {
    text: [...pieces.text.values()].join('\n\n'),
    thinking: [...pieces.thinking.values()].join('\n\n'),
    calls,
    finish:
      response['status'] === 'failed'
        ? asText(asRecord(response['error'])['code'])
        : calls.length > 0
          ? 'toolUse'
          : reason === 'max_output_tokens'
            ? 'length'
            : 'stop',
    usage: [count(usage['input_tokens']) - cached, count(usage['output_tokens']), cached, 0],
  }
}

function readChat(sent: Sent[]): Facts {
  let text = ''
  let thinking = ''
  let finish = ''
  let usage: Sent = {}
  const calls = new Map<unknown, { name: string; json: string }>()
  for (const chunk of sent) {
    usage = Object.keys(asRecord(chunk['usage'])).length > 0 ? asRecord(chunk['usage']) : usage
    const choice = asRecord(asList(chunk['choices'])[0])
    const delta = asRecord(choice['delta'])
    finish = asText(choice['finish_reason']) || finish
    const details = [...asList(delta['reasoning_details']), ...asList(delta['thinking_blocks'])].map(asRecord)
    const detailed = details
      .map((one) => asText(one['text']) + asText(one['summary']) + asText(one['thinking']))
      .join('')
    thinking += asText(delta['reasoning_content']) || asText(delta['reasoning']) || detailed
    text += asText(delta['content']) + asText(delta['refusal'])
    for (const part of asList(delta['content']).map(asRecord)) {
      text += asText(part['text'])
      for (const thought of asList(part['thinking'])) thinking += asText(asRecord(thought)['text'])
    }
    for (const [index, sentCall] of asList(delta['tool_calls']).map(asRecord).entries()) {
      const called = asRecord(sentCall['function'])
      // Some servers give every call the same index; only its first piece names it.
      const key =
        asText(called['name']) === ''
          ? [...calls.keys()].at(-1)
          : `${String(sentCall['index'] ?? index)} ${asText(sentCall['id'])}`
      const call = calls.get(key) ?? { name: '', json: '' }
      calls.set(key, call)
      call.name ||= asText(called['name'])
      call.json += asText(called['arguments'])
    }
  }
  const tags = /^\s*<think>\n?([\s\S]*?)(?:<\/think>\s*([\s\S]*))?$/.exec(text)
  if (tags) {
    thinking = tags[1] ?? ''
    text = tags[2] ?? ''
  }
  const prompt = count(usage['prompt_tokens'])
  const cached = count(asRecord(usage['prompt_tokens_details'])['cached_tokens'])
  return {
    text,
    thinking,
    calls: [...calls.values()].map(({ name, json }) => ({ name, arguments: parsed(json) })),
    finish: calls.size > 0 ? 'toolUse' : finish === 'length' ? 'length' : 'stop',
    // The total includes thinking even if the output figure does not.
    usage: [
      prompt - cached,
      Math.max(count(usage['completion_tokens']), count(usage['total_tokens']) - prompt),
      cached,
      0,
    ],
  }
}

/** Facts as stored in a table: lengths and hash prefixes instead of recorded text. */
export interface Row {
  readonly wire: Wire
  readonly text: string
  readonly thinking: string
  readonly calls: readonly string[]
  readonly finish: string
  readonly usage: readonly number[]
}

export function toRow(wire: Wire, { text, thinking, calls, finish, usage }: Facts): Row {
  return {
    wire,
    text: brief(text),
    thinking: brief(thinking),
    calls: calls.map((call) => `${call.name} ${brief(JSON.stringify(call.arguments))}`),
    finish,
    usage,
  }
}

function brief(text: string): string {
  return text === '' ? '' : `${text.length} ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
}

/**
 * Parses a table of expected facts.
 * @param isPlain true if it has texts instead of hashes
 */
export function readTable(json: string, isPlain: boolean): ReadonlyMap<string, Row> {
  const sent = JSON.parse(json) as Record<string, unknown>
  return new Map(
    Object.entries(sent).map(([name, row]) => {
      if (!isPlain) return [name, row as Row]
      const { wire, ...facts } = row as Facts & { readonly wire: Wire }
      return [name, toRow(wire, facts)]
    }),
  )
}
