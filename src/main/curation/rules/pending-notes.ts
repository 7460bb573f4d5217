import { pendingVerbatimTitle } from '#workspace'
import { evidenceOf, type Finding } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

/** Finds sections that were saved verbatim because no model was available and still wait for a summary. */
export function findPendingNotes(notes: readonly Note[]): Finding[] {
  return notes
    .filter(({ isRescued }) => isRescued)
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at): Finding[] => {
        if (!line.startsWith('## ') || !line.includes(pendingVerbatimTitle)) return []
        return [{ rule: 'rescued', evidence: [evidenceOf(path, at + 1, line)], files: [] }]
      }),
    )
}
