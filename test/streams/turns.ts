/**
 * Runs whole turns in the app with recorded answers: the agent executes the calls, sends the results, and gets another
 * message. Checks every request after a recorded answer by the rules of its provider.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { messageText } from '../../src/shared/chat/messages.ts'
import { startLoopback, type Asked, type Loopback, type Reply } from './loopback.ts'
import type { Recording, Wire } from './recording.ts'
import { check, type Played } from './rules.ts'
import type { Cut } from './streams.ts'

const mainFolder = new URL('../../src/main/', import.meta.url)

const modelIds: Record<Wire, string> = {
  anthropic: 'anthropic/m',
  chat: 'openai-compatible/m',
  responses: 'openai/m',
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** An answer that ends a turn, in each provider's format. */
const lastWords: Record<Wire, string> = {
  anthropic:
    event({ type: 'message_start', message: { id: 'msg_end', role: 'assistant', content: [], usage: {} } }) +
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } }) +
    event({ type: 'content_block_stop', index: 0 }) +
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }) +
    event({ type: 'message_stop' }),
  chat: `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
  responses:
    event({ type: 'response.output_text.delta', output_index: 0, delta: 'Done.' }) +
    event({ type: 'response.completed', response: { status: 'completed', output: [] } }),
}

export interface TurnApp {
  readonly loopback: Loopback
  /** @returns the texts of the transcript after the turn, and the codes of its failures */
  readonly ask: (wire: Wire, session: string | undefined, replies: (asked: Asked) => Reply) => Promise<Turn>
  /** Returns a workspace file; undefined if it does not exist. */
  readonly file: (path: string) => Promise<string | undefined>
  readonly close: () => Promise<void>
}

interface Turn {
  readonly session: string
  readonly said: readonly string[]
  readonly failures: readonly string[]
  readonly results: number
}

export async function openTurnApp(): Promise<TurnApp> {
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-streams-'))
  const loopback = await startLoopback()
  const home = join(folder, 'state')
  const workspace = join(folder, 'workspace')
  const { url } = loopback
  const config = `providers:
  anthropic: { baseUrl: "${url}" }
  openai: { baseUrl: "${url}/v1" }
  openai-compatible: { baseUrl: "${url}/v1" }
agents:
  defaults: { session: { memoryHook: { enabled: false } }, memory: { sessions: false } }
  list: [{ id: main, workspace: "${workspace}", model: offline }]
`
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'config.yaml'), config)
  await mkdir(join(workspace, 'memory'), { recursive: true })
  await writeFile(join(workspace, 'memory/旅行.md'), '# 旅行\n\n去京都。\n')
  const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', OPENAI_COMPATIBLE_API_KEY: 'k' }
  const app = await createApp({ mainFolder, env, home, watch: false })
  const { chat, sessions } = await app.agents.get('main')
  return {
    loopback,
    async ask(wire, session, replies) {
      loopback.reply = (asked) => (isTitle(asked) ? { pieces: [bytesOf(lastWords[asked.wire])] } : replies(asked))
      const sent = await chat.send({ text: 'Look it up.', session, model: modelIds[wire] })
      await sent.ended
      const messages = (await sessions.get(sent.session)).messages().map(({ message }) => message)
      return {
        session: sent.session,
        said: messages.flatMap((message) => (message.role === 'assistant' ? [messageText(message)] : [])),
        failures: messages.flatMap((message) =>
          message.role === 'assistant' && message.errorCode !== undefined ? [message.errorCode] : [],
        ),
        results: messages.filter(({ role }) => role === 'toolResult').length,
      }
    },
    file: (path) => readFile(join(workspace, path), 'utf8').catch(() => undefined),
    async close() {
      await app.close()
      await loopback.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function isTitle({ body }: Asked): boolean {
  return JSON.stringify(body).includes('You title conversations.')
}

/**
 * Runs two turns of one recording, one after the other.
 * @param calls number of the answer's calls that are executed
 * @returns the problems
 */
export async function takeTurns(recording: Recording, calls: number, app: TurnApp): Promise<string[]> {
  const { wire, name } = recording
  const problems: string[] = []
  const pieces = [bytesOf(recording.events.join(''))]
  const given: Played[] = []
  let session: string | undefined
  for (let turn = 1; turn <= 2; turn += 1) {
    let requests = 0
    const taken = await app.ask(wire, session, (asked) => {
      requests += 1
      for (const problem of given.length > 0 ? check(wire, asked.body, given) : [])
        problems.push(`${name}, request ${requests} of turn ${turn}: ${problem}`)
      if (requests > 1) return { pieces: [bytesOf(lastWords[wire])] }
      given.push({ recording, calls })
      return { pieces }
    })
    session = taken.session
    const wanted = calls > 0 ? 2 : 1
    if (requests !== wanted) problems.push(`${name}, turn ${turn}: ${requests} requests, not ${wanted}`)
    if (taken.failures.length > 0) problems.push(`${name}, turn ${turn}: ${taken.failures.join(', ')}`)
    if (taken.results !== calls * turn) problems.push(`${name}, turn ${turn}: ${taken.results} results`)
  }
  return problems
}

/**
 * Runs a turn whose answer is cut.
 * @returns the problems, and the failure codes shown to the user
 */
export async function breakTurn(
  recording: Recording,
  cut: Cut,
  app: TurnApp,
): Promise<{ problems: string[]; failures: readonly string[] }> {
  const came = cut.came()
  let requests = 0
  const taken = await app.ask(recording.wire, undefined, ({ wire }) => {
    requests += 1
    return requests === 1 ? cut.reply : { pieces: [bytesOf(lastWords[wire])] }
  })
  const problems = taken.failures.filter((code) => code === 'internal').map((code) => `${cut.name}: ${code}`)
  const kept = taken.said[0] ?? ''
  const isKept = cut.reply.isLost ? true : kept.replace(/\s+/g, '').startsWith(came.text.replace(/\s+/g, ''))
  if (!isKept) problems.push(`${cut.name}: ${JSON.stringify(kept)} was stored of ${JSON.stringify(came.text)}`)
  if (taken.results > 0) problems.push(`${cut.name}: ${taken.results} calls were executed`)
  return { problems, failures: taken.failures }
}
