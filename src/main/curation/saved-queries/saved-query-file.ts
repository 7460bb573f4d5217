import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'

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
  return text.split('\n').flatMap((line) => {
    const parsed = savedQuerySchema.safeParse(parseJson(line))
    return parsed.success ? [parsed.data] : []
  })
}

export function formatSavedQueries(checks: readonly SavedQuery[]): string {
  return checks.map((check) => `${JSON.stringify(check)}\n`).join('')
}

export type LinesState = 'there' | 'changed' | 'gone'

/**
 * Finds the current place of expected lines: the old place, or the nearest one with the same text. Changed lines keep
 * their place. Without a stored text it takes the current one.
 * @param text content of the file; undefined if the file was deleted
 */
export function relocateLines(
  expected: ExpectedLines,
  text: string | undefined,
): { lines: ExpectedLines; state: LinesState } {
  if (text === undefined) return { lines: expected, state: 'gone' }
  const all = text.split('\n')
  const { startLine, endLine } = expected
  const here = all.slice(startLine - 1, endLine).join('\n')
  if (expected.text === undefined) {
    return startLine > all.length
      ? { lines: expected, state: 'gone' }
      : { lines: { ...expected, text: here }, state: 'there' }
  }
  if (here === expected.text) return { lines: expected, state: 'there' }
  const wanted = expected.text.split('\n')
  const starts = all.flatMap((_, index) => (wanted.every((line, at) => all[index + at] === line) ? [index + 1] : []))
  const nearest = starts.sort((one, other) => Math.abs(one - startLine) - Math.abs(other - startLine))[0]
  if (nearest === undefined) return { lines: expected, state: startLine > all.length ? 'gone' : 'changed' }
  return { lines: { ...expected, startLine: nearest, endLine: nearest + wanted.length - 1 }, state: 'there' }
}
