import type { ContextItem, ContextReport } from '#shared/contract/index.ts'
import { messageRangeItem, toolItem } from '#shared/chat/context-items.ts'
import { isRecord } from '#shared/util/json.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { messageTextForModel, messageTokens } from './message-tokens.ts'

/** Maximum number of turns with a row; older turns share the first row. */
const maxTurns = 24
const maxAboutCharacters = 60

type Row = Omit<ContextItem, 'layer'>

/**
 * Splits the tools and the conversation of a report into one row for each tool and turn.
 * @param request the request that the report describes
 */
export function expandRows(report: ContextReport, request: SentRequest): ContextReport {
  return {
    ...report,
    items: report.items.flatMap((item) => {
      if (item.layer === 'system' && item.name === 'tools') return splitItem(item, toolRows(request))
      if (item.layer === 'conversation' && item.name === 'conversation') return splitItem(item, turnRows(request))
      return [item]
    }),
  }
}

/** Returns each message's row name; undefined for tool results and the last user message, which are other items. */
export function turnRowNames(conversation: readonly Message[]): readonly (string | undefined)[] {
  const lastUserIndex = conversation.findLastIndex(({ role }) => role === 'user')
  const names: (string | undefined)[] = conversation.map(() => undefined)
  for (const messageIndices of messageIndicesByTurn(conversation, lastUserIndex)) {
    const name = messageRangeItem({ from: (messageIndices[0] ?? 0) + 1, to: (messageIndices.at(-1) ?? 0) + 1 })
    for (const messageIndex of messageIndices) names[messageIndex] = name
  }
  return names
}

function messageIndicesByTurn(conversation: readonly Message[], lastUserIndex: number): number[][] {
  const turns: number[][] = []
  let isTurnStart = true
  for (const [messageIndex, { role }] of conversation.entries()) {
    isTurnStart ||= role === 'user'
    if (role === 'toolResult' || messageIndex === lastUserIndex) continue
    if (isTurnStart) turns.push([])
    isTurnStart = false
    turns.at(-1)?.push(messageIndex)
  }
  const surplusTurns = Math.max(0, turns.length - maxTurns)
  return surplusTurns === 0 ? turns : [turns.slice(0, surplusTurns + 1).flat(), ...turns.slice(surplusTurns + 1)]
}

function toolRows({ tools }: SentRequest): Row[] {
  return tools.map((tool) => {
    const text = JSON.stringify(tool)
    return { name: toolItem(toolNameOf(tool)), ...sizeOf(estimateTokens(text), text.length) }
  })
}

/** Returns '?' for a tool without a name. */
export function toolNameOf(tool: unknown): string {
  return isRecord(tool) && typeof tool['name'] === 'string' ? tool['name'] : '?'
}

function turnRows(request: SentRequest): Row[] {
  const { conversation } = splitSummary(request)
  const names = turnRowNames(conversation)
  const rows = new Map<string, Row>()
  for (const [messageIndex, message] of conversation.entries()) {
    const name = names[messageIndex]
    if (name === undefined) continue
    const { tokens = 0, rawCharacters = 0, about = startOfUserMessage(message) } = rows.get(name) ?? {}
    const size = sizeOf(tokens + messageTokens(message), rawCharacters + messageTextForModel(message).length)
    rows.set(name, { name, ...size, ...(about === undefined ? {} : { about }) })
  }
  return [...rows.values()]
}

const timestampPattern = /^\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d\] /

function startOfUserMessage(message: Message): string | undefined {
  const text = messageText(message).replace(timestampPattern, '').replace(/\s+/g, ' ').trim()
  return message.role !== 'user' || text === '' ? undefined : text.slice(0, maxAboutCharacters).toWellFormed()
}

/** Splits an item into rows. Scales their tokens so that they sum to the tokens of the item. */
function splitItem(item: ContextItem, rows: readonly Row[]): ContextItem[] {
  if (rows.length === 0) return [item]
  const totalTokens = rows.reduce((sum, { tokens }) => sum + tokens, 0)
  const shares = rows.map(({ tokens }) => (totalTokens === 0 ? 0 : (tokens / totalTokens) * item.tokens))
  const rowTokens = roundToSum(shares, 0)
  return rows.map((row, index) => ({ ...row, layer: item.layer, tokens: rowTokens[index] ?? 0 }))
}

function sizeOf(tokens: number, characters: number): Pick<Row, 'tokens' | 'rawCharacters' | 'sentCharacters'> {
  return { tokens, rawCharacters: characters, sentCharacters: characters }
}

export interface SentRequest {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly unknown[]
}

const summaryPattern = /<summary>\n([\s\S]*)\n<\/summary>$/

/** Separates the summary message, if there is one, from the conversation. */
export function splitSummary({ messages }: Pick<SentRequest, 'messages'>): {
  readonly summary: string | undefined
  readonly conversation: readonly Message[]
} {
  const first = messages[0]
  const match = first?.role === 'user' ? summaryPattern.exec(messageTextForModel(first)) : null
  if (!match) return { summary: undefined, conversation: messages }
  return { summary: match[1] ?? '', conversation: messages.slice(1) }
}
