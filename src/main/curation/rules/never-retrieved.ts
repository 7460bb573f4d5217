import { localDate } from '#workspace'
import { evidenceOf, type Finding } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

/**
 * Finds notes that no search has returned for a year; empty if no recorded search is older than that.
 * @param recalls all recorded searches with the files of their results
 * @param now ms since the epoch
 */
export function findNeverRetrieved(
  notes: readonly Note[],
  recalls: readonly { readonly at: number; readonly paths: readonly string[] }[],
  now: number,
): Finding[] {
  const oneYearAgo = now - 365 * 86_400_000
  if (!recalls.some(({ at }) => at < oneYearAgo)) return []
  const returnedPaths = new Set(recalls.flatMap(({ at, paths }) => (at >= oneYearAgo ? paths : [])))
  return notes
    .filter(
      (note) =>
        note.kind === 'note' && !note.isRescued && note.modifiedAt < oneYearAgo && !returnedPaths.has(note.path),
    )
    .flatMap(({ path, text, modifiedAt }): Finding[] => {
      const lines = text.split('\n')
      const first = lines.findIndex((line) => line.trim() !== '' && !/^\uFEFF?---/.test(line))
      if (first < 0) return []
      return [
        {
          rule: 'unrecalled',
          evidence: [evidenceOf(path, first + 1, lines[first] ?? '')],
          files: [],
          detail: { day: localDate(new Date(modifiedAt)) },
        },
      ]
    })
}
