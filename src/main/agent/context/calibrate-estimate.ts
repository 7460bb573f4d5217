import type { ContextReport } from '#shared/contract/index.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { calibrationFactor } from './message-tokens.ts'

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
