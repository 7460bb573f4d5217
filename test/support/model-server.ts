/**
 * A loopback server with the providers' wire formats: Anthropic Messages and OpenAI Chat Completions as server-sent
 * events, OpenAI embeddings, and model lists. Tests script its answers. Its embeddings are deterministic (hashed
 * words), so that texts with the same words are similar.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from './listen.ts'

export type ScriptedAnswer =
  | {
      readonly text: string
      readonly thinking?: string
      readonly delayMs?: number
      /** The answer ends only after this. */
      readonly until?: Promise<void>
      readonly cutAfter?: number
      /** Stop reason: `refusal` or `length`; default: end of turn. */
      readonly stop?: 'refusal' | 'length'
      /** Sends encrypted thinking only. */
      readonly redacted?: boolean
      /** Sends an error event after this many events. */
      readonly errorAfter?: number
      /** Sends nothing more after this many events, and keeps the connection open. */
      readonly stallAfter?: number
      /** Omits usage, as some local servers do. */
      readonly noUsage?: boolean
    }
  | {
      readonly calls: readonly { readonly name: string; readonly arguments: object }[]
      readonly text?: string
      /** The length limit cuts off the last call. */
      readonly stop?: 'length'
      readonly noIds?: boolean
      /** Sends the whole call in one event, without an index. */
      readonly oneLump?: boolean
      /** Arguments verbatim, instead of `arguments` as JSON. */
      readonly rawArguments?: string
    }
  /** Events verbatim: objects as JSON, strings unchanged. */
  | { readonly raw: readonly (object | string)[] }
  | { readonly status: number; readonly message: string; readonly headers?: Record<string, string> }

/** Returns a long text for a slow answer. The app stops an answer that repeats itself. */
export function numberedWords(words: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${words} ${at}.`).join(' ')
}

export interface ModelServer {
  /** Without a path. Anthropic's client adds `/v1`; OpenAI's expects it in the base URL. */
  readonly url: string
  readonly openAiUrl: string
  /** Bodies of the requests, oldest first. */
  readonly requests: {
    readonly path: string
    readonly body: Record<string, unknown>
    /** Path and query, and the raw body. */
    readonly address: string
    readonly text: string
    readonly headers: IncomingMessage['headers']
  }[]
  /** Requests that the client aborted before the answer was complete. */
  readonly aborted: { count: number }
  /** Requests longer than `window`. */
  readonly refused: { count: number }
  /** Answers in order. The last one is repeated. */
  script: ScriptedAnswer[]
  /** Overrides the script if set. */
  respond: ((body: Record<string, unknown>) => ScriptedAnswer) | undefined
  /** Refuses requests of more tokens. Usage is counted the same way. */
  window: number | undefined
  /** Message of that refusal. */
  refusal: (size: number, window: number) => string
  /** Counts the tokens of a text, for `window` and usage. */
  countTokens: (text: string) => number
  /** Serves OpenAI's Responses API too. If false, Chat Completions only. */
  hasResponses: boolean
  /** Options refused as unknown. */
  unknownOptions: string[]
  /** Answer to requests for a title, fixed or made from the request. They do not consume the script. */
  title: string | ((request: string) => string)
  /** Title requests, verbatim. */
  readonly titleRequests: string[]
  /** Model list. */
  models: object[]
  /** Requests of the model list so far. */
  lists: number
  /** Delay of the model list, ms. */
  listDelayMs: number
  /** Key that the model list asks for. */
  key: string | undefined
  /** Tokens of all requests so far. */
  tokens: number
  embeddings: EmbeddingScript
}

export interface EmbeddingScript {
  readonly dimensions: number
  /** Refuses batches that contain this word. */
  readonly refuse?: string
  /** Faulty answers: only the first vector, a vector with a null. */
  readonly half?: boolean
  readonly nan?: boolean
  readonly delayMs?: number
}

export async function startModelServer(...script: ScriptedAnswer[]): Promise<ModelServer> {
  const requests: ModelServer['requests'] = []
  const titleRequests: string[] = []
  const aborted = { count: 0 }
  const refused = { count: 0 }
  const state: Omit<ModelServer, 'url' | 'openAiUrl' | 'requests' | 'titleRequests' | 'aborted' | 'refused'> = {
    hasResponses: false,
    unknownOptions: [],
    title: 'A title of the model',
    models: [{ id: 'test-model', type: 'model', display_name: 'Test', created_at: '2026-01-01T00:00:00Z' }],
    lists: 0,
    listDelayMs: 0,
    key: undefined,
    respond: undefined,
    window: undefined,
    refusal: (size, window) => `prompt is too long: ${size} tokens > ${window} maximum`,
    countTokens: (text) => Math.ceil(text.length / charactersPerToken),
    tokens: 0,
    script,
    embeddings: { dimensions: 64 },
  }
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) aborted.count += 1
    })
    void answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    )
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (request.method === 'GET' && path.endsWith('/models')) {
      state.lists += 1
      await sleep(state.listDelayMs)
      const isAdmitted = state.key === undefined || JSON.stringify(request.headers).includes(state.key)
      if (!isAdmitted)
        return json(response, 401, { error: { type: 'authentication_error', message: 'invalid x-api-key' } })
      return json(response, 200, {
        object: 'list',
        data: state.models,
        has_more: false,
        first_id: null,
        last_id: null,
      })
    }
    const text = await readText(request)
    const body = JSON.parse(text || '{}') as Record<string, unknown>
    const isResponses = path.endsWith('/responses')
    if (isResponses && !state.hasResponses) return json(response, 404, { error: { message: 'no such page' } })
    if (JSON.stringify(body).includes('You title conversations.')) {
      titleRequests.push(text)
      const titled = { text: typeof state.title === 'string' ? state.title : state.title(text) }
      return stream(response, eventsOf(path, titled), titled, path)
    }
    requests.push({ path, body, address: request.url ?? '', text, headers: request.headers })
    const unknown = state.unknownOptions.find((option) => option in body)
    if (unknown) return json(response, 400, { error: { message: `unknown field: ${unknown}` } })
    if (path.endsWith('/embeddings')) return embed(response, body, state.embeddings)
    const { system, messages, tools } = body
    const size = state.countTokens(JSON.stringify([system, messages, tools]))
    if (state.window !== undefined && size > state.window) {
      refused.count += 1
      return json(response, 400, {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: state.refusal(size, state.window),
        },
      })
    }
    state.tokens += size
    const next = state.respond ? state.respond(body) : state.script.length > 1 ? state.script.shift() : state.script[0]
    if (!next) return json(response, 500, { error: { message: 'nothing scripted' } })
    if ('status' in next) {
      const error = path.endsWith('/messages')
        ? { type: 'error', error: { type: 'error', message: next.message } }
        : { error: { message: next.message } }
      return json(response, next.status, error, next.headers)
    }
    if ('raw' in next) return sendRaw(response, next.raw)
    await stream(response, eventsOf(path, next, state.window === undefined ? undefined : size), next, path)
  }

  const url = await listen(server)
  return Object.assign(state, { url, openAiUrl: `${url}/v1`, requests, titleRequests, aborted, refused })
}

/** Estimate for the texts of the tests. */
const charactersPerToken = 4.2

type Answer = Exclude<ScriptedAnswer, { status: number } | { raw: readonly unknown[] }>
type Spoken = Extract<Answer, { delayMs?: number }>

function spokenPart(answer: Answer): Partial<Spoken> {
  return 'calls' in answer ? {} : answer
}

/** Returns true for a call that was not cut off. */
function isCall(answer: Answer): boolean {
  return 'calls' in answer && answer.calls.length > 0 && answer.stop === undefined
}

function eventsOf(path: string, answer: Answer, inputTokens?: number): string[] {
  if (path.endsWith('/messages')) return anthropicEvents(answer, inputTokens)
  return path.endsWith('/responses') ? responsesEvents(answer) : openAiEvents(answer, inputTokens)
}

/** Returns the arguments of a scripted call as sent over the wire. */
function argumentsOf(answer: Answer, call: { readonly arguments: object }): string {
  return 'calls' in answer && answer.rawArguments !== undefined ? answer.rawArguments : JSON.stringify(call.arguments)
}

/** Returns the stream's events as documented by docs.anthropic.com, with a ping and an unknown event. */
function anthropicEvents(answer: Answer, inputTokens: number | undefined): string[] {
  const events: object[] = [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'test-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage:
          inputTokens === undefined
            ? { input_tokens: 100, cache_read_input_tokens: 40, cache_creation_input_tokens: 10, output_tokens: 1 }
            : { input_tokens: inputTokens, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    { type: 'event_of_the_future', data: 1 },
  ]
  let index = 0
  const block = (start: object, deltas: object[]) => {
    events.push({ type: 'content_block_start', index, content_block: start })
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta })
    events.push({ type: 'content_block_stop', index })
    index += 1
  }
  if (spokenPart(answer).redacted) block({ type: 'redacted_thinking', data: 'sealed' }, [])
  if ('thinking' in answer && answer.thinking) {
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...pieces(answer.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: 'signed' },
    ])
  }
  if (answer.text)
    block(
      { type: 'text', text: '' },
      pieces(answer.text).map((text) => ({ type: 'text_delta', text })),
    )
  const calls = 'calls' in answer ? answer.calls : []
  for (const [position, call] of calls.entries()) {
    block(
      { type: 'tool_use', id: `toolu_${position}`, name: call.name, input: {} },
      pieces(argumentsOf(answer, call)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    )
  }
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason: isCall(answer) ? 'tool_use' : anthropicStop(answer.stop), stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: 'message_stop' },
  )
  return events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function anthropicStop(stop: Spoken['stop']): string {
  if (stop === undefined) return 'end_turn'
  return stop === 'refusal' ? 'refusal' : 'max_tokens'
}

/** Returns the events of the Responses API as documented by platform.openai.com. */
function responsesEvents(answer: Answer): string[] {
  const { stop } = answer
  const response = (status: string, extra: object = {}) => ({
    id: 'resp_1',
    object: 'response',
    status,
    output: [],
    ...extra,
  })
  const events: object[] = [
    { type: 'response.created', response: response('in_progress') },
    { type: 'response.event_of_the_future', data: 1 },
  ]
  let output_index = 0
  const item = (type: string, done: object, deltas: object[]) => {
    const added = { id: `item_${output_index}`, type }
    events.push({ type: 'response.output_item.added', output_index, item: added })
    for (const delta of deltas) events.push({ output_index, item_id: added.id, ...delta })
    events.push({ type: 'response.output_item.done', output_index, item: { ...added, ...done } })
    output_index += 1
  }
  if ('thinking' in answer && answer.thinking) {
    const summary = [{ type: 'summary_text', text: answer.thinking }]
    item(
      'reasoning',
      { summary, encrypted_content: 'sealed' },
      pieces(answer.thinking).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        summary_index: 0,
        delta,
      })),
    )
  }
  if (answer.text) {
    const type = stop === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta'
    item(
      'message',
      { role: 'assistant', content: [{ type: 'output_text', text: answer.text, annotations: [] }] },
      pieces(answer.text).map((delta) => ({ type, content_index: 0, delta })),
    )
  }
  const calls = 'calls' in answer ? answer.calls : []
  for (const [index, call] of calls.entries()) {
    const text = argumentsOf(answer, call)
    item(
      'function_call',
      {
        call_id: `call_${index}`,
        name: call.name,
        arguments: text,
        ...(stop === 'length' && { status: 'incomplete' }),
      },
      pieces(text).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
    )
  }
  const usage = {
    input_tokens: 150,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 170,
  }
  events.push(
    stop === 'length'
      ? {
          type: 'response.incomplete',
          response: response('incomplete', { incomplete_details: { reason: 'max_output_tokens' }, usage }),
        }
      : { type: 'response.completed', response: response('completed', { usage }) },
  )
  return events.map((event, sequence_number) => {
    const { type } = event as { type: string }
    return `event: ${type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`
  })
}

function openAiEvents(answer: Answer, inputTokens = 150): string[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const chunks: object[] = [chunk({ role: 'assistant', content: '' })]
  if ('thinking' in answer && answer.thinking)
    chunks.push(...pieces(answer.thinking).map((reasoning_content) => chunk({ reasoning_content })))
  if (answer.text) chunks.push(...pieces(answer.text).map((content) => chunk({ content })))
  const calls = 'calls' in answer ? answer.calls : []
  for (const [index, call] of calls.entries()) {
    const id = 'noIds' in answer && answer.noIds ? {} : { id: `call_${index}` }
    const text = argumentsOf(answer, call)
    if ('oneLump' in answer && answer.oneLump) {
      chunks.push(chunk({ tool_calls: [{ ...id, type: 'function', function: { name: call.name, arguments: text } }] }))
      continue
    }
    chunks.push(
      chunk({ tool_calls: [{ index, ...id, type: 'function', function: { name: call.name, arguments: '' } }] }),
    )
    chunks.push(...pieces(text).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })))
  }
  const { noUsage } = spokenPart(answer)
  const { stop } = answer
  const finish = stop === 'refusal' ? 'content_filter' : (stop ?? 'stop')
  chunks.push(chunk({}, isCall(answer) ? 'tool_calls' : finish))
  if (!noUsage) {
    chunks.push({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'test-model',
      choices: [],
      usage: {
        prompt_tokens: inputTokens,
        completion_tokens: 20,
        total_tokens: inputTokens + 20,
        prompt_tokens_details: { cached_tokens: 40 },
      },
    })
  }
  return [...chunks.map((part) => `data: ${JSON.stringify(part)}\n\n`), 'data: [DONE]\n\n']
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? []
}

/** Sends events, with the delays and faults of the answer. */
async function stream(
  response: ServerResponse,
  events: readonly string[],
  answer: Answer,
  path: string,
): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const part = spokenPart(answer)
  const { delayMs = 0, cutAfter = Infinity, errorAfter = Infinity, stallAfter = Infinity } = part
  for (const [index, event] of events.entries()) {
    if (index >= cutAfter) {
      // Lets the data arrive before the connection is dropped.
      await sleep(30)
      return void response.destroy()
    }
    if (index >= stallAfter) return
    if (index >= errorAfter) return void response.end(errorEvent(path))
    if (index === events.length - 1) await part.until
    response.write(event)
    if (delayMs > 0) await sleep(delayMs)
    if (response.destroyed) return
  }
  response.end()
}

function sendRaw(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for (const event of events) {
    const name = typeof event === 'object' && 'type' in event ? `event: ${String(event.type)}\n` : ''
    response.write(typeof event === 'string' ? event : `${name}data: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

/** Returns the protocol's error event for a failure within an answer. */
function errorEvent(path: string): string {
  if (path.endsWith('/messages')) {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    return `event: error\ndata: ${JSON.stringify(error)}\n\n`
  }
  const error = { message: 'Overloaded', code: 'overloaded_error', type: 'overloaded_error' }
  return path.endsWith('/responses')
    ? `event: error\ndata: ${JSON.stringify({ ...error, type: 'error', param: null, sequence_number: 9 })}\n\n`
    : `data: ${JSON.stringify({ error })}\n\n`
}

async function embed(response: ServerResponse, body: Record<string, unknown>, script: EmbeddingScript): Promise<void> {
  const { dimensions, refuse, half, nan, delayMs = 0 } = script
  const texts = body['input'] as string[]
  if (refuse && texts.some((text) => text.includes(refuse)))
    return json(response, 400, { error: { message: `cannot embed ${refuse}` } })
  if (delayMs > 0) await sleep(delayMs)
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: nan ? [...hashedWords(text, dimensions - 1), null] : hashedWords(text, dimensions),
  }))
  json(response, 200, {
    object: 'list',
    model: body['model'],
    data: half ? data.slice(0, 1) : data,
    usage: { prompt_tokens: 1, total_tokens: 1 },
  })
}

/** Returns a vector in which each word adds to a few dimensions chosen by its hash. */
export function hashedWords(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01)
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const hash = createHash('sha256')
      .update(word.replace(/(s|ed|ing)$/, ''))
      .digest()
    for (let at = 0; at < 4; at += 1) {
      const place = hash.readUInt16LE(at * 2) % dimensions
      vector[place] = (vector[place] ?? 0) + ((hash[at + 16] ?? 0) % 2 === 0 ? 1 : -1)
    }
  }
  return vector
}

function json(response: ServerResponse, status: number, value: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
