/** Runs recordings through the app's model layer, in any chunking and cut at any place. */
import { AppError } from '../../src/shared/util/errors.ts'
import { messageText, type AssistantMessage } from '../../src/shared/chat/messages.ts'
import { createAnthropicModel, createOpenAiModel } from '../support/provider-models.ts'
import type { ChatModel, ModelRequest } from '../../src/main/llm/model.ts'
import { choppings } from './chunkings.ts'
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
  const options = { apiKey: 'k', baseUrl: wire === 'anthropic' ? url : `${url}/v1`, timeoutMs: 20_000, fetch }
  if (wire === 'anthropic') return createAnthropicModel('m', options)
  return createOpenAiModel(wire === 'responses' ? 'openai' : 'openai-compatible', 'm', options)
}

/** Outcome of one answer. */
export interface Outcome {
  /** Text and thinking as streamed. */
  readonly told: { text: string; thinking: string }
  readonly message: AssistantMessage | undefined
  /** Code of the failure; `internal` for errors that are not the app's. */
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

/** Returns the facts of a complete answer as the app read them. */
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

/** @returns the differences from the table, one line each */
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
      problems.push(`${recording.name}, ${name}: the shown text differs from the stored text`)
  }
  return problems
}

export interface Cut {
  readonly name: string
  readonly reply: Reply
  /** Number of complete events. */
  readonly whole: number
  /** Returns the facts of the complete events. */
  readonly came: () => Facts
}

/** Returns a cut between any two events and within each, once as a normal end and once as a lost connection. */
export function* cutsOf({ name, wire, events }: Recording): Generator<Cut> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  for (const [index, event] of events.entries()) {
    const before = events.slice(0, index).join('')
    const inside = bytes(event)
    // The middle of an event, which in Chinese is often within a character.
    const half = inside.subarray(0, Math.max(1, Math.floor(inside.length * 0.6)))
    const pieces = [bytes(before), half]
    let known: Facts | undefined
    const came = () => (known ??= readFacts({ wire, events: events.slice(0, index) }))
    yield { name: `${name}, before event ${index}`, whole: index, came, reply: { pieces: [bytes(before)] } }
    yield { name: `${name}, in event ${index}`, whole: index, came, reply: { pieces } }
    yield { name: `${name}, lost in event ${index}`, whole: index, came, reply: { pieces, isLost: true } }
  }
}

/** @returns the problems with the outcome of a cut answer, one line each */
export async function checkCutStream(recording: Recording, cut: Cut, loopback: Loopback): Promise<string[]> {
  const { told, message, failure } = await play(recording.wire, loopback, cut.reply)
  const problems: string[] = []
  if (failure?.startsWith('internal')) problems.push(`${cut.name}: ${failure}`)
  const came = cut.came()
  for (const kind of ['text', 'thinking'] as const) {
    // A lost connection may drop the last piece; after a normal end everything must be shown.
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
