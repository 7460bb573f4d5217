import type { ContextItem, ContextReport, Layer } from '#shared/contract/index.ts'
import { messageRangeItem, toolItem } from '#shared/chat/context-items.ts'
import { isRecord } from '#shared/util/json.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { messagesItem, textItem } from './assemble.ts'
import { messageTextForModel, scaleTokens } from './message-tokens.ts'

/** Maximum number of turns with a row; older turns share the first row. */
const maxTurns = 24
const maxAboutCharacters = 60

export interface SentRequest {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly unknown[]
}

/**
 * Splits the tools and the conversation of a report into one row for each tool and turn.
 * @param request the request that the report describes
 */
export function expandRows(report: ContextReport, request: SentRequest): ContextReport {
  return {
    ...report,
    items: report.items.flatMap((item) => {
      if (item.layer === 'system' && item.name === 'tools') return splitItem(item, request.tools.map(toolRow))
      if (item.layer === 'conversation' && item.name === 'conversation') return splitItem(item, turnRows(request))
      return [item]
    }),
  }
}

const filePattern = /<file path="([^"]*)"(?: missing="true"\/>|(?: from="[^"]*")?>\n[\s\S]*?\n<\/file>)/g

/** Returns the text of a report item or row as it was sent; '' if there is no such item. */
export function textOfItem(request: SentRequest, layer: Layer, name: string): string {
  const [prompt = '', files = ''] = request.system
  const { summary, conversation } = splitSummary(request)
  if (layer === 'summary') return summary
  if (layer === 'project' || layer === 'logs')
    return [...files.matchAll(filePattern)].find(([, path]) => path === name)?.[0] ?? ''
  if (layer === 'system') {
    if (name === 'system prompt') return prompt
    const tools = request.tools.filter((tool) => name === 'tools' || toolItem(toolNameOf(tool)) === name)
    return tools.map((tool) => JSON.stringify(tool, null, 2)).join('\n\n')
  }
  if (layer === 'recalled') {
    const texts = conversation.map(messageTextForModel)
    return texts.flatMap((text) => /<memory>\n[^]*?\n<\/memory>/.exec(text)?.[0] ?? []).join('\n\n')
  }
  if (layer === 'tools') {
    const results = conversation.filter((message) => message.role === 'toolResult' && message.toolName === name)
    return results.map(messageTextForModel).join('\n\n')
  }
  const turns = turnsOf(conversation).filter((turn) => name === 'conversation' || turn.name === name)
  const messages =
    layer === 'conversation'
      ? turns.flatMap((turn) => turn.messages)
      : conversation.filter(({ role }) => role === 'user').slice(-1)
  const withoutRecalled = (text: string) => text.replace(/\n*<memory>\n[^]*?\n<\/memory>$/, '')
  return messages.map((message) => `${message.role}: ${withoutRecalled(messageTextForModel(message))}`).join('\n\n')
}

/** Splits a conversation into turns without tool results and the last user message, which are other items. */
function turnsOf(conversation: readonly Message[]): { name: string; messages: Message[] }[] {
  const lastUserIndex = conversation.findLastIndex(({ role }) => role === 'user')
  // A last user message without an answer has no row.
  const turnCount = conversation.slice(0, -1).filter(({ role }) => role === 'user').length
  let turn = 0
  const shown = conversation.flatMap((message, index) => {
    if (message.role === 'user') turn += 1
    if (message.role === 'toolResult' || index === lastUserIndex) return []
    return [{ message, number: index + 1, row: Math.max(turn, turnCount - maxTurns + 1) }]
  })
  return [...Map.groupBy(shown, ({ row }) => row).values()].map((row) => ({
    name: messageRangeItem({ from: row[0]?.number ?? 0, to: row.at(-1)?.number ?? 0 }),
    messages: row.map(({ message }) => message),
  }))
}

/** Returns '?' for a tool without a name. */
function toolNameOf(tool: unknown): string {
  return isRecord(tool) && typeof tool['name'] === 'string' ? tool['name'] : '?'
}

function toolRow(tool: unknown): ContextItem {
  return textItem('system', toolItem(toolNameOf(tool)), JSON.stringify(tool))
}

function turnRows(request: SentRequest): ContextItem[] {
  return turnsOf(splitSummary(request).conversation).map(({ name, messages }) => {
    const about = messages.map(startOfUserMessage).find((start) => start !== undefined)
    return { ...messagesItem('conversation', name, messages), about }
  })
}

const timestampPattern = /^\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d\] /

function startOfUserMessage(message: Message): string | undefined {
  const text = messageText(message).replace(timestampPattern, '').replace(/\s+/g, ' ').trim()
  return message.role !== 'user' || text === '' ? undefined : text.slice(0, maxAboutCharacters).toWellFormed()
}

/** Splits an item into rows. Scales their tokens so that they sum to the tokens of the item. */
function splitItem(item: ContextItem, rows: readonly ContextItem[]): ContextItem[] {
  return rows.length === 0 ? [item] : scaleTokens(rows, item.tokens)
}

const summaryPattern = /<summary>\n([\s\S]*)\n<\/summary>$/

/** Separates the text of the summary message, '' if there is none, from the conversation. */
function splitSummary({ messages }: SentRequest): { summary: string; conversation: readonly Message[] } {
  const [first] = messages
  const match = first?.role === 'user' ? summaryPattern.exec(messageTextForModel(first)) : null
  return match ? { summary: match[1] ?? '', conversation: messages.slice(1) } : { summary: '', conversation: messages }
}
