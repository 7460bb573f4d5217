import { z } from 'zod'
import { parseStored } from '#platform'

const expectedLinesSchema = z.object({
  path: z.string(),
  /** 1-based, inclusive. */
  startLine: z.number().int(),
  endLine: z.number().int(),
  /** Text of the lines; undefined before the first run. */
  text: z.string().optional(),
})
export type ExpectedLines = z.infer<typeof expectedLinesSchema>

const savedQuerySchema = z.object({ id: z.string(), query: z.string(), relevant: z.array(expectedLinesSchema) })
export type SavedQuery = z.infer<typeof savedQuerySchema>

/** Parses one query per line; skips invalid lines. */
export function parseSavedQueries(text: string): SavedQuery[] {
  return text.split('\n').flatMap((line) => parseStored(savedQuerySchema, line) ?? [])
}

export function formatSavedQueries(queries: readonly SavedQuery[]): string {
  return queries.map((query) => `${JSON.stringify(query)}\n`).join('')
}

/**
 * Finds the current place of expected lines: the old place, or the nearest one with the same text. Changed lines keep
 * their place. If no text is stored, the result has the current one.
 * @param text content of the file; undefined if the file was deleted
 */
export function relocateLines(
  expected: ExpectedLines,
  text: string | undefined,
): { lines: ExpectedLines; state: 'there' | 'changed' | 'gone' } {
  if (text === undefined) return { lines: expected, state: 'gone' }
  const lines = text.split('\n')
  const { startLine, endLine } = expected
  const currentText = lines.slice(startLine - 1, endLine).join('\n')
  if (expected.text === undefined) {
    return startLine > lines.length
      ? { lines: expected, state: 'gone' }
      : { lines: { ...expected, text: currentText }, state: 'there' }
  }
  if (currentText === expected.text) return { lines: expected, state: 'there' }
  const stored = expected.text.split('\n')
  const starts = lines.flatMap((_, index) => (stored.every((line, i) => lines[index + i] === line) ? [index + 1] : []))
  const nearest = starts.sort((one, other) => Math.abs(one - startLine) - Math.abs(other - startLine))[0]
  if (nearest === undefined) return { lines: expected, state: startLine > lines.length ? 'gone' : 'changed' }
  return { lines: { ...expected, startLine: nearest, endLine: nearest + stored.length - 1 }, state: 'there' }
}
