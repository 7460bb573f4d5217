import { DeadlineWorker } from '#lib/util/deadline-worker.ts'

export interface Token {
  readonly text: string
  /** CSS colours of the two themes. */
  readonly light: string
  readonly dark: string
}

export interface HighlightRequest {
  readonly code: string
  readonly language: string
}

/** Null if the code stays plain: no grammar, too many tokens, an error in the grammar or a missed deadline. */
export type HighlightedLines = readonly (readonly Token[])[] | null

/** Some grammars backtrack excessively on a line. */
const deadlineMs = 10_000
const maxCachedResults = 200

/** The key of a request is its language and its code. */
export const highlighter = new DeadlineWorker<HighlightRequest, HighlightedLines>(
  () => new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  maxCachedResults,
)
