import type { BrokenLink } from '#shared/contract/index.ts'
import { unlessAppError } from '#platform'
import { repairLink } from '#workspace'
import { lineFinding, type Finding } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

/** Proposes to replace broken links by the first of their `near` targets; skips links that have changed since. */
export function findBrokenLinks(notes: readonly Note[], broken: readonly BrokenLink[]): Finding[] {
  const texts = new Map(notes.map(({ path, text }) => [path, text]))
  return broken.flatMap(({ path, line, target, near: [replacement] }): Finding[] => {
    const text = texts.get(path) ?? ''
    const before = lineOf(text, line)
    if (before === undefined || replacement === undefined) return []
    // The file may have changed since the links were read.
    const repaired = unlessAppError(() => repairLink(text, { path, line, target, by: replacement }))
    const after = repaired === undefined ? undefined : lineOf(repaired, line)
    if (after === undefined || after === before) return []
    return [lineFinding('broken', { path, line, raw: before }, [after], { target: replacement })]
  })
}

function lineOf(text: string, line: number): string | undefined {
  return text.split('\n')[line - 1]?.replace(/\r$/, '')
}
