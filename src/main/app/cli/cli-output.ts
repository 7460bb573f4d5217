import type { SearchResult } from '#shared/contract/index.ts'

/** Result of a command. Prints `value` with `--json`, else `text`; `warning` on stderr. */
export interface Output {
  readonly value: unknown
  readonly text: string
  readonly warning?: string | undefined
  /** If true, the result is incomplete and the exit code is 1. */
  readonly isFailure?: boolean | undefined
}

type PrintedResult = Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score' | 'snippet' | 'source' | 'date'>

export function printedFields(result: PrintedResult): PrintedResult {
  const { path, startLine, endLine, score, snippet, source, date } = result
  return { path, startLine, endLine, score, snippet, source, ...(date === undefined ? {} : { date }) }
}
