import type { SearchResult } from '#shared/contract/index.ts'

/** Result of a command. Prints `value` with `--json`, else `text`; `warning` on stderr. */
export interface Output {
  readonly value: unknown
  readonly text: string
  readonly warning?: string | undefined
  readonly isFailure?: boolean | undefined
}

type PrintedResult = Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score' | 'snippet' | 'source' | 'date'>

export function printedFields(result: PrintedResult): PrintedResult {
  const { path, startLine, endLine, score, snippet, source, date } = result
  return { path, startLine, endLine, score, snippet, source, ...(date === undefined ? {} : { date }) }
}

/** Returns a time in the zone of this machine, which `--at` accepts: `2026-01-20T18:30:05.123`. @param at ms since the epoch */
export function localMoment(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
}

/** A mistake in the arguments: exit code 2. The message is in the language of the interface. */
export class UsageError extends Error {}

const controlCharacters = /(?![\t\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/** Escapes control characters as \uXXXX, and turns CRLF into LF. The value of JSON stays the same. */
export function escapeControls(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(controlCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Ignores a closed pipe (`| head`). Other output errors set exit code 1. */
export function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') process.exitCode = 1
    })
  }
}
