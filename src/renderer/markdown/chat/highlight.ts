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

const worker = new DeadlineWorker<HighlightRequest, HighlightedLines>(
  () => new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  maxCachedResults,
)

/** Returns the cached result: undefined if there is none yet, null if the code stays plain. */
export function cachedHighlight(code: string, language: string): HighlightedLines | undefined {
  return worker.cached(keyOf(code, language))
}

/** Highlights code in a worker. @returns null if the code stays plain */
export function highlight(code: string, language: string): Promise<HighlightedLines> {
  return worker.ask(keyOf(code, language), { code, language })
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`
}
