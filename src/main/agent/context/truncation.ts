import type { ContextReport } from '#shared/contract/index.ts'

type Counted = Pick<ContextReport, 'model' | 'estimatedTokens' | 'reportedTokens'>

/** Growth of the estimate from which the provider's count must grow, too. */
const minGrowth = 1.1
/** Largest growth of the count that is none. */
const maxCountGrowth = 1.02
/** No chat model has a smaller window. */
const minWindow = 512
/** A server whose counts are a smaller share of the estimate does not count. */
const minCounted = 0.5
/** A smaller count leaves out what the server has cached, as older versions of Ollama do. */
const minShare = 0.4

/**
 * Returns the window of a server that cuts long requests without an error: the request has grown, but not the number of
 * tokens that the server has read. Undefined if nothing was cut, and for the offline model, which has no server.
 * @param last report of the request before
 */
export function truncatedWindow(last: Counted | undefined, report: Counted): number | undefined {
  const before = last?.model === report.model && report.model !== 'offline' ? (last.reportedTokens ?? 0) : 0
  const now = report.reportedTokens ?? 0
  if (!last || before < last.estimatedTokens * minCounted || now < minWindow) return undefined
  if (now < before * minShare || now > before * maxCountGrowth) return undefined
  return report.estimatedTokens >= last.estimatedTokens * minGrowth ? now : undefined
}
