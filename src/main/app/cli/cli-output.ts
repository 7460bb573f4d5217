import type { Condition, SearchResponse, SearchResult } from '#shared/contract/index.ts'

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

/** A condition of the query: what it means in days, and whether it was understood. */
export function conditionText({ kind, text, from, to, isUnread }: Condition): string {
  if (isUnread) return `${text}: not understood, searched as words`
  const days = from === to ? from : `${from ?? '…'} to ${to ?? '…'}`
  const meaning = from === null && to === null ? '' : ` (${days})`
  return `${kind === 'time' ? 'raised' : 'only'}: ${text}${meaning}`
}
