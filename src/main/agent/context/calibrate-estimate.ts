import type { ContextItem, ContextReport } from '#shared/contract/index.ts'
import { calibrationRatio } from './message-tokens.ts'

/**
 * Converts a report to the provider's tokens: by its own count if it has one, otherwise by the ratio of `last`, or 1
 * without it. The items sum to the total.
 */
export function calibrateReport(report: ContextReport, last: ContextReport | undefined): ContextReport {
  // The offline model has no tokenizer.
  if (report.model === 'offline') return { ...report, reportedTokens: null }
  if (report.reportedTokens !== null && report.estimatedTokens > 0) return scaleReport(report, report.reportedTokens)
  const factor = last ? calibrationRatio(last.estimatedTokens, last.reportedTokens) : 1
  return scaleReport(report, Math.ceil(report.estimatedTokens * factor))
}

function scaleReport(report: ContextReport, total: number): ContextReport {
  const factor = report.estimatedTokens === 0 ? 0 : total / report.estimatedTokens
  const shares = roundToTotal(
    report.items.map(({ tokens }) => tokens * factor),
    total,
  )
  const items: ContextItem[] = report.items.map((item, index) => ({ ...item, tokens: shares[index] ?? 0 }))
  return { ...report, items, estimatedTokens: items.reduce((sum, { tokens }) => sum + tokens, 0) }
}

/** Returns integers that sum to `total`, rounded by the largest remainder. @param exact shares that sum to `total` */
export function roundToTotal(exact: readonly number[], total: number): number[] {
  const rounded = exact.map(Math.floor)
  let left = total - rounded.reduce((sum, share) => sum + share, 0)
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share % 1 }))
    .sort((one, other) => other.remainder - one.remainder)
  for (const { index } of byRemainder) {
    if (left <= 0) break
    rounded[index] = (rounded[index] ?? 0) + 1
    left -= 1
  }
  return rounded
}
