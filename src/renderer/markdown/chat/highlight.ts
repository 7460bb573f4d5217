import { DeadlineWorker } from '#lib/util/deadline-worker.ts'

export interface Token {
  readonly text: string
  readonly light: string
  readonly dark: string
}

export interface HighlightQuestion {
  readonly code: string
  readonly language: string
}

/** Null for a language that we have no grammar of, and for code with too many tokens. */
export type HighlightedLines = readonly (readonly Token[])[] | null

/** A grammar can run wild on a line, ms. */
const deadlineMs = 10_000

const worker = new DeadlineWorker<HighlightQuestion, HighlightedLines>(
  () => new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  200,
)

/** @returns undefined for code that was not highlighted yet */
export function knownHighlight(code: string, language: string): HighlightedLines | undefined {
  return worker.known(keyOf(code, language))
}

export function highlight(code: string, language: string): Promise<HighlightedLines> {
  return worker.ask(keyOf(code, language), { code, language })
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`
}
