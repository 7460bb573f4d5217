/** What a command prints: its JSON value, and the same for a reader. */
import type { SearchResponse, SearchResult } from '../../shared/contract/index.ts'

export interface Output {
  readonly value: unknown
  readonly text: string
  /** One line for stderr. */
  readonly warning?: string
  /** What was printed is not all that was wanted: exit 1. */
  readonly isFailure?: boolean
}

/** Why vectors are missing: what the waiting saw, or else what the search did. */
export function toldOnce(warning: string | undefined, notice: SearchResponse['notice']): { readonly warning?: string } {
  const line = warning ?? notice?.message
  return line === undefined ? {} : { warning: line }
}

/** A result as it is printed. */
export function withoutExtras({
  path,
  startLine,
  endLine,
  score,
  vectorScore,
  textScore,
  snippet,
  source,
}: SearchResult) {
  return { path, startLine, endLine, score, vectorScore, textScore, snippet, source }
}
