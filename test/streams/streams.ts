/** Recordings through the app's own model layer: what comes out of one, however it arrives and wherever it is cut. */
import { AppError } from '../../src/shared/util/errors.ts'
import { messageText, type AssistantMessage } from '../../src/shared/chat/messages.ts'
import { createAnthropicModel } from '../../src/main/llm/providers/anthropic/anthropic.ts'
import { createOpenAiModel } from '../../src/main/llm/providers/openai/openai.ts'
import type { ChatModel, ModelRequest } from '../../src/main/llm/model.ts'
import { choppings } from './choppings.ts'
import { readFacts, toRow, type Facts, type Row } from './facts.ts'
import type { Loopback, Reply } from './loopback.ts'
import type { Recording, Wire } from './recording.ts'

const request: ModelRequest = {
  purpose: { kind: 'title' },
  system: ['You are main.'],
  messages: [{ role: 'user', content: 'hello', timestamp: 0 }],
  tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }],
  maxOutput: 1000,
}

function modelFor(wire: Wire, { url }: Loopback): ChatModel {
  const options = { apiKey: 'k', baseUrl: wire === 'anthropic' ? url : `${url}/v1`, timeoutMs: 20_000 }
  if (wire === 'anthropic') return createAnthropicModel('m', options)
  return createOpenAiModel(wire === 'responses' ? 'openai' : 'openai-compatible', 'm', options)
}

/** What came of one answer. */
export interface Outcome {
  /** As it was told piece by piece. */
  readonly told: { text: string; thinking: string }
  readonly message: AssistantMessage | undefined
  /** The code of the failure; `internal` for whatever is none of the app's. */
  readonly failure: string | undefined
}

export async function play(wire: Wire, loopback: Loopback, reply: Reply): Promise<Outcome> {
  loopback.reply = () => reply
  const told = { text: '', thinking: '' }
  let message: AssistantMessage | undefined
  try {
    for await (const event of modelFor(wire, loopback).stream(request, new AbortController().signal)) {
      if (event.type === 'text' || event.type === 'thinking') told[event.type] += event.delta
      else if (event.type === 'done') message = event.message
    }
    return { told, message, failure: message?.errorCode }
  } catch (error) {
    return { told, message, failure: error instanceof AppError ? error.code : `internal: ${String(error)}` }
  }
}

/** The facts of an answer that came to its end, as the app holds it. */
function factsOf({ told, message, failure }: Outcome): Facts {
  const thinking = message?.content.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])).join('')
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = message?.usage ?? {}
  return {
    text: message?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ?? told.text,
    thinking: thinking ?? told.thinking,
    calls:
      message?.content.flatMap((part) =>
        part.type === 'toolCall' ? [{ name: part.name, arguments: part.arguments }] : [],
      ) ?? [],
    finish: failure ?? message?.stopReason ?? '',
    usage: [input, output, cacheRead, cacheWrite],
  }
}

/** @returns what differs from the table, one line each */
export async function compare(recording: Recording, row: Row, loopback: Loopback): Promise<string[]> {
  const problems: string[] = []
  for (const { name, pieces } of choppings) {
    const outcome = await play(recording.wire, loopback, { pieces: pieces(recording.events) })
    const found = toRow(recording.wire, factsOf(outcome))
    for (const field of ['text', 'thinking', 'calls', 'finish', 'usage'] as const) {
      const [is, wanted] = [JSON.stringify(found[field]), JSON.stringify(row[field])]
      if (is !== wanted) problems.push(`${recording.name}, ${name}: ${field} is ${is}, not ${wanted}`)
    }
    const kept = outcome.message ? messageText(outcome.message) : outcome.told.text
    if (outcome.told.text.replace(/\s+/g, '') !== kept.replace(/\s+/g, ''))
      problems.push(`${recording.name}, ${name}: what was shown is not what is kept`)
  }
  return problems
}

export interface Cut {
  readonly name: string
  readonly reply: Reply
  /** How many of the events came whole. */
  readonly whole: number
  /** What they say. */
  readonly came: () => Facts
}

/** Every place between two events, and one inside each; ended as if that were all, and by a lost connection. */
export function* cutsOf({ name, wire, events }: Recording): Generator<Cut> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  for (const [index, event] of events.entries()) {
    const before = events.slice(0, index).join('')
    const inside = bytes(event)
    // In the middle, which in Chinese is in the middle of a letter every other time.
    const half = inside.subarray(0, Math.max(1, Math.floor(inside.length * 0.6)))
    const pieces = [bytes(before), half]
    let known: Facts | undefined
    const came = () => (known ??= readFacts({ wire, events: events.slice(0, index) }))
    yield { name: `${name}, before event ${index}`, whole: index, came, reply: { pieces: [bytes(before)] } }
    yield { name: `${name}, in event ${index}`, whole: index, came, reply: { pieces } }
    yield { name: `${name}, lost in event ${index}`, whole: index, came, reply: { pieces, isLost: true } }
  }
}

/** @returns what is wrong with what came of a cut answer, one line each */
export async function endure(recording: Recording, cut: Cut, loopback: Loopback): Promise<string[]> {
  const { told, message, failure } = await play(recording.wire, loopback, cut.reply)
  const problems: string[] = []
  if (failure?.startsWith('internal')) problems.push(`${cut.name}: ${failure}`)
  const came = cut.came()
  for (const kind of ['text', 'thinking'] as const) {
    // A cut connection may take what was under way with it; what ended in good order is shown to the last word.
    const isShown = cut.reply.isLost ? came[kind].startsWith(told[kind].trimEnd()) : told[kind] === came[kind]
    if (!isShown) problems.push(`${cut.name}: ${kind} shown is ${told[kind].length} long, ${came[kind].length} came`)
  }
  for (const part of message?.content ?? []) {
    if (part.type !== 'toolCall') continue
    const isWhole = readFacts(recording).calls.some(
      (call) => call.name === part.name && JSON.stringify(call.arguments) === JSON.stringify(part.arguments),
    )
    if (!isWhole) problems.push(`${cut.name}: ${part.name} would run with ${JSON.stringify(part.arguments)}`)
  }
  return problems
}
