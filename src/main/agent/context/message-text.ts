import type { Message } from '#shared/chat/messages.ts'
import type { ContextItem, ContextReport } from '#shared/contract/index.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { escapeTag } from './context-budget.ts'

/** Returns the text that requests contain after the text of a message; '' if there is none. */
export function additionsOf(message: Message): string {
  return [changesText(message), recalledText(message)].filter((text) => text !== '').join('\n\n')
}

export function changesText(message: Message): string {
  const changes = message.role === 'user' ? (message.changes ?? []) : []
  if (changes.length === 0) return ''
  const sections = changes.map(({ path, added, removed }) =>
    [`${path}:`, ...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].join('\n'),
  )
  return `<changes>\n${escapeTag(sections.join('\n'), 'changes')}\n</changes>`
}

export function recalledText(message: Message): string {
  const notes = message.role === 'user' ? message.recalled?.text : undefined
  return notes === undefined ? '' : `<memory>\n${escapeTag(notes, 'memory')}\n</memory>`
}

export const withoutSpace = (text: string) => text.replace(/\s+/g, '')

export function recalledIn(message: Message) {
  if (message.role === 'user') return message.recalled?.search.results ?? []
  return message.role === 'toolResult' && message.details?.kind === 'recall' ? message.details.recall.results : []
}

export function withAdditions(message: Message): Message {
  const text = additionsOf(message)
  if (message.role !== 'user' || text === '') return message
  const { changes: _changes, recalled: _recalled, content, ...fields } = message
  return typeof content === 'string'
    ? { ...fields, content: `${content}\n\n${text}` }
    : { ...fields, content: [...content, { type: 'text', text }] }
}

/** Returns the text of a message as a model receives it: thinking and tool calls included, images left out. */
export function messageTextForModel(message: Message): string {
  const additions = additionsOf(message)
  const text = contentText(message)
  return additions === '' ? text : `${text}\n\n${additions}`
}

function contentText({ content }: Message): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      if (part.type === 'text') return part.text
      if (part.type === 'thinking') return part.thinking
      return part.type === 'toolCall' ? `${part.name} ${JSON.stringify(part.arguments)}` : ''
    })
    .join('\n')
}

/** Typical tokens of an image; providers bill it by its dimensions. */
const imageTokens = 1200

/** Estimates the tokens of a message, including 4 for its role and separators. */
export function messageTokens(message: Message): number {
  const parts = typeof message.content === 'string' ? [] : [...message.content]
  const images = parts.filter(({ type }) => type === 'image').length
  return estimateTokens(messageTextForModel(message)) + images * imageTokens + 4
}

/** Bounds of the calibration factor. A ratio beyond them does not come from the tokenizer. */
const minFactor = 0.5
const maxFactor = 2

/** Returns provider tokens for each estimated token, 0.5 to 2; 1 if the provider reported none. */
export function calibrationFactor(lastReport: Partial<ContextReport> | undefined): number {
  const { estimatedTokens = 0, reportedTokens = null } = lastReport ?? {}
  if (reportedTokens === null || estimatedTokens <= 0) return 1
  return Math.min(maxFactor, Math.max(minFactor, reportedTokens / estimatedTokens))
}

/**
 * Converts a report to provider tokens: by the provider's count if the report has one, otherwise by the ratio of
 * `lastReport`, 1 if undefined. The items sum to the total.
 */
export function calibrateReport(report: ContextReport, lastReport?: ContextReport): ContextReport {
  // The offline model has no tokenizer.
  if (report.model === 'offline') return { ...report, reportedTokens: null }
  const total =
    report.reportedTokens !== null && report.estimatedTokens > 0
      ? report.reportedTokens
      : Math.ceil(report.estimatedTokens * calibrationFactor(lastReport))
  return { ...report, items: scaleTokens(report.items, total), estimatedTokens: total }
}

type Counted = Pick<ContextItem, 'tokens'>

export const totalTokens = (items: readonly Counted[]) => items.reduce((sum, { tokens }) => sum + tokens, 0)

/** Scales token counts so that they sum to `total`. Counts of 0 stay. */
export function scaleTokens<T extends Counted>(items: readonly T[], total: number): T[] {
  const sum = totalTokens(items)
  const shares = items.map(({ tokens }) => (sum === 0 ? 0 : (tokens / sum) * total))
  const rounded = roundToSum(shares, 0)
  return items.map((item, index) => ({ ...item, tokens: rounded[index] ?? 0 }))
}

/**
 * Renders messages into texts of about `limit` estimated tokens at most; splits longer messages. Leaves out the app's
 * additions to a message: a summary or a note must not repeat the memory.
 * @param numberOf returns the number to put in front of a message; without it, there are none
 * @returns with each text, the number of messages that it and the texts before it contain completely
 */
export function renderInParts(
  messages: readonly Message[],
  limit: number,
  numberOf?: (message: Message) => number,
): { readonly text: string; readonly end: number }[] {
  const parts: { text: string; tokens: number; end: number }[] = []
  for (const [index, message] of messages.entries()) {
    const speaker = message.role === 'user' ? 'User' : 'Assistant'
    const name = message.role === 'toolResult' ? `Tool result (${message.toolName})` : speaker
    const number = numberOf ? `[${numberOf(message)}] ` : ''
    for (const text of splitText(`${number}${name}: ${contentText(message)}`, limit)) {
      const tokens = estimateTokens(text) + 1
      const last = parts.at(-1)
      if (last && last.tokens + tokens <= limit) {
        last.text += `\n\n${text}`
        last.tokens += tokens
      } else parts.push({ text, tokens, end: index })
    }
    const last = parts.at(-1)
    if (last) last.end = index + 1
  }
  return parts
}

/** Splits a text into pieces of about `limit` estimated tokens at most, at line ends if possible; [] for ''. */
function splitText(text: string, limit: number): string[] {
  const pieces: string[] = []
  let remaining = text
  while (estimateTokens(remaining) > limit) {
    // `limit` characters have at most `limit` tokens; double them while they fit.
    let end = Math.min(remaining.length, limit)
    while (end * 2 < remaining.length && estimateTokens(remaining.slice(0, end * 2)) <= limit) end *= 2
    const lineEnd = remaining.lastIndexOf('\n', end)
    if (lineEnd > end / 2) end = lineEnd + 1
    else if (/[\ud800-\udbff]/.test(remaining[end - 1] ?? '')) end -= 1
    pieces.push(remaining.slice(0, end))
    remaining = remaining.slice(end)
  }
  if (remaining !== '') pieces.push(remaining)
  return pieces
}
