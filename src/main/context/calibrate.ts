/** Sets a report right by what the provider counted (M28, M45). Pure. */
import type { ContextItem, ContextReport } from '../../shared/contract/index.ts'
import { calibration } from './tokens.ts'

/**
 * The report in the provider's tokens: as it counted this request, or else by the factor of the last one that it
 * counted. Items sum to the total.
 */
export function calibrated(report: ContextReport, last: ContextReport | undefined): ContextReport {
  if (report.reportedTokens !== null && report.estimatedTokens > 0) return scaled(report, report.reportedTokens)
  const factor = last ? calibration(last.estimatedTokens, last.reportedTokens) : 1
  return scaled(report, Math.ceil(report.estimatedTokens * factor))
}

/** Shares `total` out by the largest remainder. */
function scaled(report: ContextReport, total: number): ContextReport {
  const factor = report.estimatedTokens === 0 ? 0 : total / report.estimatedTokens
  const exact = report.items.map(({ tokens }) => tokens * factor)
  const whole = exact.map(Math.floor)
  let left = total - whole.reduce((sum, tokens) => sum + tokens, 0)
  const byRemainder = exact
    .map((tokens, index) => ({ index, remainder: tokens % 1 }))
    .sort((one, other) => other.remainder - one.remainder)
  for (const { index } of byRemainder) {
    if (left <= 0) break
    whole[index] = (whole[index] ?? 0) + 1
    left -= 1
  }
  const items: ContextItem[] = report.items.map((item, index) => ({ ...item, tokens: whole[index] ?? 0 }))
  return { ...report, items, estimatedTokens: items.reduce((sum, { tokens }) => sum + tokens, 0) }
}
