/**
 * A loopback server that speaks the providers' wire formats: Anthropic Messages and OpenAI Chat Completions as
 * server-sent events, OpenAI embeddings, and the lists of models. What it answers is scripted by the test; its
 * embeddings are deterministic (hashed words), so that texts with the same words are near.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export type ScriptedAnswer =
  | {
      readonly text: string
      readonly thinking?: string
      readonly delayMs?: number
      readonly cutAfter?: number
      readonly pieceBytes?: number
    }
  | {
      readonly calls: readonly { readonly name: string; readonly arguments: object }[]
      readonly text?: string
      readonly noIds?: boolean
    }
  | { readonly status: number; readonly message: string; readonly headers?: Record<string, string> }

export interface ModelServer {
  /** Without a path; Anthropic's client adds `/v1`, OpenAI's wants it in the base URL. */
  readonly url: string
  readonly openAiUrl: string
  /** Bodies of the requests so far, oldest first. */
  readonly requests: {
    readonly path: string
    readonly body: Record<string, unknown>
    readonly headers: IncomingMessage['headers']
  }[]
  /** Requests whose client went away before the answer was complete. */
  readonly aborted: { count: number }
  /** Answers in order; the last one is repeated. */
  script: ScriptedAnswer[]
  /** Decides instead of the script, where it is set. */
  respond: ((body: Record<string, unknown>) => ScriptedAnswer) | undefined
  /** Requests above this are refused as too long; usage is reported by the same count. */
  window: number | undefined
  /** Tokens of all requests so far, by the same count. */
  tokens: number
  embeddings: EmbeddingScript
}

export interface EmbeddingScript {
  readonly dimensions: number
  /** Every request fails. */
  readonly fail?: { readonly status: number }
  /** Answers to the next requests, before the first good one. */
  readonly failures?: { readonly status: number; readonly headers?: Record<string, string> }[]
  /** A batch with this word in it is refused. */
  readonly refuse?: string
  /** Only the first vector; a vector with a hole; no vectors at all. */
  readonly half?: boolean
  readonly nan?: boolean
  readonly garbage?: boolean
  readonly delayMs?: number
}

export async function startModelServer(...script: ScriptedAnswer[]): Promise<ModelServer> {
  const requests: ModelServer['requests'] = []
  const aborted = { count: 0 }
  const state: Pick<ModelServer, 'script' | 'embeddings' | 'respond' | 'window' | 'tokens'> = {
    respond: undefined,
    window: undefined,
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
      return json(response, 200, {
        object: 'list',
        data: [{ id: 'test-model', type: 'model', display_name: 'Test', created_at: '2026-01-01T00:00:00Z' }],
        has_more: false,
        first_id: null,
        last_id: null,
      })
    }
    const body = (await readBody(request)) as Record<string, unknown>
    requests.push({ path, body, headers: request.headers })
    if (path.endsWith('/embeddings')) return embed(response, body, state.embeddings)
    const size = countTokens(body)
    if (state.window !== undefined && size > state.window) {
      return json(response, 400, {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: `prompt is too long: ${size} tokens > ${state.window} maximum`,
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
    const events = path.endsWith('/messages')
      ? anthropicEvents(next, state.window === undefined ? undefined : size)
      : openAiEvents(next)
    await stream(response, events, next)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const url = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url,
    openAiUrl: `${url}/v1`,
    requests,
    aborted,
    get script() {
      return state.script
    },
    set script(value) {
      state.script = value
    },
    get respond() {
      return state.respond
    },
    set respond(value) {
      state.respond = value
    },
    get window() {
      return state.window
    },
    set window(value) {
      state.window = value
    },
    get tokens() {
      return state.tokens
    },
    set tokens(value) {
      state.tokens = value
    },
    get embeddings() {
      return state.embeddings
    },
    set embeddings(value) {
      state.embeddings = value
    },
  }
}

/** A tokenizer of our own: a token for 4.2 characters of the texts that are sent. */
function countTokens({ system, messages, tools }: Record<string, unknown>): number {
  return Math.ceil(JSON.stringify([system, messages, tools]).length / 4.2)
}

type Answer = Exclude<ScriptedAnswer, { status: number }>

/** Event by event as docs.anthropic.com describes the stream, with a ping and an event that does not exist yet. */
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
      pieces(JSON.stringify(call.arguments)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    )
  }
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: 'message_stop' },
  )
  return events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function openAiEvents(answer: Answer): string[] {
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
    chunks.push(
      chunk({ tool_calls: [{ index, ...id, type: 'function', function: { name: call.name, arguments: '' } }] }),
    )
    chunks.push(
      ...pieces(JSON.stringify(call.arguments)).map((text) =>
        chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
      ),
    )
  }
  chunks.push(chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'))
  chunks.push({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test-model',
    choices: [],
    usage: {
      prompt_tokens: 150,
      completion_tokens: 20,
      total_tokens: 170,
      prompt_tokens_details: { cached_tokens: 40 },
    },
  })
  return [...chunks.map((part) => `data: ${JSON.stringify(part)}\n\n`), 'data: [DONE]\n\n']
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? []
}

/** Sends bytes in odd pieces when asked to, also cutting through characters. */
async function stream(response: ServerResponse, events: readonly string[], answer: Answer): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const { delayMs = 0, cutAfter = Infinity, pieceBytes = Infinity } = 'calls' in answer ? {} : answer
  for (const [index, event] of events.entries()) {
    if (index >= cutAfter) return void response.destroy()
    const bytes = Buffer.from(event)
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      response.write(bytes.subarray(from, Math.min(bytes.length, from + pieceBytes)))
      if (pieceBytes < Infinity) await sleep(0)
    }
    if (delayMs > 0) await sleep(delayMs)
    if (response.destroyed) return
  }
  response.end()
}

async function embed(response: ServerResponse, body: Record<string, unknown>, script: EmbeddingScript): Promise<void> {
  const { dimensions, fail, failures, refuse, half, nan, garbage, delayMs = 0 } = script
  const failure: { status: number; headers?: Record<string, string> } | undefined = failures?.shift() ?? fail
  if (failure) return json(response, failure.status, { error: { message: 'no embeddings today' } }, failure.headers)
  const texts = body['input'] as string[]
  if (refuse && texts.some((text) => text.includes(refuse)))
    return json(response, 400, { error: { message: `cannot embed ${refuse}` } })
  if (garbage) return json(response, 200, { hello: 'world' })
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

/** Each word adds to a few dimensions that its hash picks. */
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

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
}
