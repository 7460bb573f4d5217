import type { ContextItem, ContextReport } from '#shared/contract/index.ts'
import { calibrationRatio } from './message-tokens.ts'

/**
 * Converts a report to provider tokens: by the provider's count if the report has one, otherwise by the ratio of
 * `lastReport`, 1 if undefined. The items sum to the total.
 */
export function calibrateReport(report: ContextReport, lastReport: ContextReport | undefined): ContextReport {
  // The offline model has no tokenizer.
  if (report.model === 'offline') return { ...report, reportedTokens: null }
  if (report.reportedTokens !== null && report.estimatedTokens > 0) return scaleReport(report, report.reportedTokens)
  const factor = lastReport ? calibrationRatio(lastReport.estimatedTokens, lastReport.reportedTokens) : 1
  return scaleReport(report, Math.ceil(report.estimatedTokens * factor))
}

function scaleReport(report: ContextReport, total: number): ContextReport {
  const factor = report.estimatedTokens === 0 ? 0 : total / report.estimatedTokens
  const itemTokens = roundToTotal(
    report.items.map(({ tokens }) => tokens * factor),
    total,
  )
  const items: ContextItem[] = report.items.map((item, index) => ({ ...item, tokens: itemTokens[index] ?? 0 }))
  return { ...report, items, estimatedTokens: items.reduce((sum, { tokens }) => sum + tokens, 0) }
}

/** Rounds shares to integers by their largest remainders. @param total sum of the shares and of the result */
export function roundToTotal(shares: readonly number[], total: number): number[] {
  const rounded = shares.map(Math.floor)
  let remaining = total - rounded.reduce((sum, share) => sum + share, 0)
  const byRemainder = shares
    .map((share, index) => ({ index, remainder: share % 1 }))
    .sort((one, other) => other.remainder - one.remainder)
  for (const { index } of byRemainder) {
    if (remaining <= 0) break
    rounded[index] = (rounded[index] ?? 0) + 1
    remaining -= 1
  }
  return rounded
}
