import type { RecalledLines, SearchResult } from '#shared/contract/index.ts'

/**
 * Compares stored results with current ones. Overlapping lines of the same file count as the same result,
 * since edits shift lines. A score is undefined if that search did not return the lines.
 */
export function compareResults(
  stored: readonly RecalledLines[],
  current: readonly Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score'>[],
) {
  const unmatched = [...current]
  const compared = stored.map(({ path, startLine, endLine, score, use }) => {
    const index = unmatched.findIndex(
      (other) => other.path === path && other.startLine <= endLine && startLine <= other.endLine,
    )
    const [match] = index < 0 ? [] : unmatched.splice(index, 1)
    const lines = match ?? { startLine, endLine }
    return { path, startLine: lines.startLine, endLine: lines.endLine, scoreThen: score, scoreNow: match?.score, use }
  })
  const added = unmatched.map(({ path, startLine, endLine, score }) => {
    return { path, startLine, endLine, scoreThen: undefined, scoreNow: score, use: null }
  })
  return [...compared, ...added]
}
