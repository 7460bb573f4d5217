import { DeadlineWorker } from '#lib/util/deadline-worker.ts'

export interface Token {
  readonly text: string
  readonly light: string
  readonly dark: string
}

export interface HighlightRequest {
  readonly code: string
  readonly language: string
}

/** Null if there is no grammar for the language or the code has too many tokens. */
export type HighlightedLines = readonly (readonly Token[])[] | null

/** Some grammars backtrack excessively on a line, ms. */
const deadlineMs = 10_000

const worker = new DeadlineWorker<HighlightRequest, HighlightedLines>(
  () => new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  200,
)

/** Returns the cached highlighting: undefined before the first answer, null if the code stays plain. */
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
