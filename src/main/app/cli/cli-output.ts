import type { SearchResponse, SearchResult } from '#shared/contract/index.ts'

/** Result of a command. Prints `value` with `--json`, else `text`; `warning` on stderr. */
export interface Output {
  readonly value: unknown
  readonly text: string
  readonly warning?: string
  /** If true, the result is incomplete and the exit code is 1. */
  readonly isFailure?: boolean
}

/** Returns the `warning` of an output: the given one, or else the notice of the search; {} without either. */
export function warningOf(
  warning: string | undefined,
  notice: SearchResponse['notice'],
): { readonly warning?: string } {
  const text = warning ?? notice?.message
  return text === undefined ? {} : { warning: text }
}

type PrintedResult = Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score' | 'snippet' | 'source' | 'date'>

export function printedFields(result: PrintedResult): PrintedResult {
  const { path, startLine, endLine, score, snippet, source, date } = result
  return { path, startLine, endLine, score, snippet, source, ...(date === undefined ? {} : { date }) }
}
