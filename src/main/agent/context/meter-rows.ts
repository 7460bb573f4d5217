import type { ContextItem, ContextReport } from '#shared/contract/index.ts'
import { messageRangeItem, toolItem } from '#shared/chat/context-items.ts'
import { isRecord } from '#shared/util/json.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { messageTextForModel, messageTokens } from './message-tokens.ts'
import { roundToTotal } from './calibrate-estimate.ts'

/** Rows of the conversation; older turns share the first row. */
const maxTurns = 24
const aboutCharacters = 60

type Part = Pick<ContextItem, 'name' | 'about'> & { readonly tokens: number; readonly characters: number }

/**
 * Splits the tools and the conversation of a report into one row for each tool and turn.
 * @param request the request that the report describes
 */
export function expandRows(report: ContextReport, request: SentRequest): ContextReport {
  return {
    ...report,
    items: report.items.flatMap((item) => {
      if (item.layer === 'system' && item.name === 'tools') return splitItem(item, toolParts(request))
      if (item.layer === 'conversation' && item.name === 'conversation') return splitItem(item, turnParts(request))
      return [item]
    }),
  }
}

/** Returns each message's row name; undefined for tool results and the last user message, which are other items. */
export function turnRowNames(spoken: readonly Message[]): readonly (string | undefined)[] {
  const lastUserIndex = spoken.findLastIndex(({ role }) => role === 'user')
  const names: (string | undefined)[] = spoken.map(() => undefined)
  for (const messageIndices of turnsOf(spoken, lastUserIndex)) {
    const name = messageRangeItem({ from: (messageIndices[0] ?? 0) + 1, to: (messageIndices.at(-1) ?? 0) + 1 })
    for (const messageIndex of messageIndices) names[messageIndex] = name
  }
  return names
}

function turnsOf(spoken: readonly Message[], lastUserIndex: number): number[][] {
  const turns: number[][] = []
  let startsTurn = true
  for (const [messageIndex, { role }] of spoken.entries()) {
    startsTurn ||= role === 'user'
    if (role === 'toolResult' || messageIndex === lastUserIndex) continue
    if (startsTurn) turns.push([])
    startsTurn = false
    turns.at(-1)?.push(messageIndex)
  }
  const surplus = Math.max(0, turns.length - maxTurns)
  return surplus === 0 ? turns : [turns.slice(0, surplus + 1).flat(), ...turns.slice(surplus + 1)]
}

function toolParts({ tools }: SentRequest): Part[] {
  return tools.map((tool) => {
    const text = JSON.stringify(tool)
    return { name: toolItem(toolNameOf(tool)), tokens: estimateTokens(text), characters: text.length }
  })
}

/** Returns '?' for a tool without a name. */
export function toolNameOf(tool: unknown): string {
  return isRecord(tool) && typeof tool['name'] === 'string' ? tool['name'] : '?'
}

function turnParts(request: SentRequest): Part[] {
  const { spoken } = splitSummary(request)
  const names = turnRowNames(spoken)
  const parts = new Map<string, Part>()
  for (const [messageIndex, message] of spoken.entries()) {
    const name = names[messageIndex]
    if (name === undefined) continue
    const { tokens = 0, characters = 0, about = aboutOf(message) } = parts.get(name) ?? {}
    parts.set(name, {
      name,
      tokens: tokens + messageTokens(message),
      characters: characters + messageTextForModel(message).length,
      ...(about === undefined ? {} : { about }),
    })
  }
  return [...parts.values()]
}

const timestampPattern = /^\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d\] /

function aboutOf(message: Message): string | undefined {
  const words = messageText(message).replace(timestampPattern, '').replace(/\s+/g, ' ').trim()
  return message.role !== 'user' || words === '' ? undefined : words.slice(0, aboutCharacters).toWellFormed()
}

/** Splits an item into rows whose tokens sum to the item's. */
function splitItem(item: ContextItem, parts: readonly Part[]): ContextItem[] {
  if (parts.length === 0) return [item]
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const shares = roundToTotal(
    parts.map(({ tokens }) => (all === 0 ? 0 : (tokens / all) * item.tokens)),
    item.tokens,
  )
  return parts.map(({ name, about, characters }, index) => ({
    layer: item.layer,
    name,
    tokens: shares[index] ?? 0,
    rawCharacters: characters,
    sentCharacters: characters,
    ...(about === undefined ? {} : { about }),
  }))
}

export interface SentRequest {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly unknown[]
}

const summaryPattern = /<summary>\n([\s\S]*)\n<\/summary>$/

/** Splits off the summary message, if there is one. */
export function splitSummary({ messages }: Pick<SentRequest, 'messages'>): {
  readonly summary: string | undefined
  readonly spoken: readonly Message[]
} {
  const first = messages[0]
  const found = first?.role === 'user' ? summaryPattern.exec(messageTextForModel(first)) : null
  return found ? { summary: found[1] ?? '', spoken: messages.slice(1) } : { summary: undefined, spoken: messages }
}
