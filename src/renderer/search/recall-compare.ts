import type { RecalledLines, SearchResult } from '#shared/contract/index.ts'

interface ComparedLines {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  /** Undefined if the lines were not, or are not, returned. */
  readonly scoreThen: number | undefined
  readonly scoreNow: number | undefined
  readonly use: RecalledLines['use']
}

/**
 * Compares stored results with current ones. Overlapping lines of the same file count as the same passage,
 * since edits shift lines.
 */
export function compareResults(
  then: readonly RecalledLines[],
  now: readonly Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score'>[],
): ComparedLines[] {
  const left = [...now]
  const compared: ComparedLines[] = then.map(({ path, startLine, endLine, score, use }) => {
    const index = left.findIndex(
      (other) => other.path === path && other.startLine <= endLine && startLine <= other.endLine,
    )
    const [match] = index < 0 ? [] : left.splice(index, 1)
    const place = match ?? { startLine, endLine }
    return { path, startLine: place.startLine, endLine: place.endLine, scoreThen: score, scoreNow: match?.score, use }
  })
  const fresh = left.map(({ path, startLine, endLine, score }) => ({
    path,
    startLine,
    endLine,
    scoreThen: undefined,
    scoreNow: score,
    use: null,
  }))
  return [...compared, ...fresh]
}
