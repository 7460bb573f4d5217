import type { ContextItem, ContextReport } from '#shared/contract/index.ts'
import { roundToSum } from '#shared/util/rounding.ts'
import { calibrationFactor } from './message-tokens.ts'

/**
 * Converts a report to provider tokens: by the provider's count if the report has one, otherwise by the ratio of
 * `lastReport`, 1 if undefined. The items sum to the total.
 */
export function calibrateReport(report: ContextReport, lastReport?: ContextReport): ContextReport {
  // The offline model has no tokenizer.
  if (report.model === 'offline') return { ...report, reportedTokens: null }
  if (report.reportedTokens !== null && report.estimatedTokens > 0) return scaleReport(report, report.reportedTokens)
  return scaleReport(report, Math.ceil(report.estimatedTokens * calibrationFactor(lastReport)))
}

function scaleReport(report: ContextReport, total: number): ContextReport {
  const factor = report.estimatedTokens === 0 ? 0 : total / report.estimatedTokens
  const itemTokens = roundToSum(
    report.items.map(({ tokens }) => tokens * factor),
    0,
  )
  const items: ContextItem[] = report.items.map((item, index) => ({ ...item, tokens: itemTokens[index] ?? 0 }))
  return { ...report, items, estimatedTokens: items.reduce((sum, { tokens }) => sum + tokens, 0) }
}
