import { rescuedWaiting } from '#workspace'
import { evidenceOf, type Found } from '../suggestions/proposal.ts'
import type { Note } from './note-line.ts'

/** Reports notes that were saved verbatim because no model was available, and that still wait for a summary. */
export function rescued(notes: readonly Note[]): Found[] {
  return notes
    .filter(({ isRescued }) => isRescued)
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at): Found[] => {
        if (!line.startsWith('## ') || !line.includes(rescuedWaiting)) return []
        return [{ rule: 'rescued', evidence: [evidenceOf(path, at + 1, line)], files: [] }]
      }),
    )
}
