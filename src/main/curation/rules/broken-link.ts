import type { BrokenLink } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { repairLink } from '#workspace'
import { lineFinding, type Finding } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

/** Proposes to replace broken links by the first of their `near` targets; skips links that have changed since. */
export function findBrokenLinks(notes: readonly Note[], broken: readonly BrokenLink[]): Finding[] {
  const byPath = new Map(notes.map((note) => [note.path, note]))
  return broken.flatMap(({ path, line, target, near: [replacement] }): Finding[] => {
    const note = byPath.get(path)
    const before = note && lineOf(note.text, line)
    if (!note || before === undefined || replacement === undefined) return []
    const after = repairedLine(note.text, { path, line, target, by: replacement })
    if (after === undefined || after === before) return []
    return [lineFinding('broken', { path, line, raw: before }, [after], { target: replacement })]
  })
}

/** Returns the repaired line without its line end; undefined if the file has changed since the links were read. */
function repairedLine(
  text: string,
  link: { path: string; line: number; target: string; by: string },
): string | undefined {
  try {
    return lineOf(repairLink(text, link), link.line)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function lineOf(text: string, line: number): string | undefined {
  return text.split('\n')[line - 1]?.replace(/\r$/, '')
}
