import type { ContextReport } from '#shared/contract/index.ts'
import type { Message } from '#shared/chat/messages.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { additionsOf } from './additions.ts'
import { estimateTokens } from '#shared/util/tokens.ts'

/** Returns the text of a message as a model receives it: thinking and tool calls included, images left out. */
export function messageTextForModel(message: Message): string {
  const additions = additionsOf(message)
  const text = contentText(message)
  return additions === '' ? text : `${text}\n\n${additions}`
}

/** Returns the text of a message without what the app added to it. */
export function contentText({ content }: Message): string {
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
  const images =
    typeof message.content === 'string' ? 0 : message.content.filter((part) => part.type === 'image').length
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

/** Scales token counts so that they sum to `total`. Counts of 0 stay. */
export function scaleTokens<T extends { readonly tokens: number }>(items: readonly T[], total: number): T[] {
  const sum = items.reduce((tokens, item) => tokens + item.tokens, 0)
  const shares = items.map(({ tokens }) => (sum === 0 ? 0 : (tokens / sum) * total))
  const rounded = roundToSum(shares, 0)
  return items.map((item, index) => ({ ...item, tokens: rounded[index] ?? 0 }))
}
