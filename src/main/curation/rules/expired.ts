import { leadOf } from '#shared/markdown/blocks/line-starts.ts'
import { strikeThrough } from '#shared/markdown/superseded.ts'
import { formatDay, type Day } from '#search/text'
import { lineFinding, type Finding } from '../suggestions/proposal.ts'
import { deadlineIn } from './deadline.ts'
import { statementsOf, type Note } from './note-line.ts'

/** Proposes to strike lines whose deadline is before `today`; skips done tasks and lines with children. */
export function findExpired(notes: readonly Note[], today: Day): Finding[] {
  return notes
    .filter(({ kind }) => kind !== 'project')
    .flatMap(statementsOf)
    .flatMap(({ note, line, raw, text, isParent }): Finding[] => {
      if (isParent || /x/i.test(leadOf(raw).box ?? '')) return []
      const deadline = deadlineIn(text, note.day)
      if (deadline === undefined || deadline >= today) return []
      const until = formatDay(deadline)
      const struckLine = strikeThrough(raw, { until, by: undefined })
      return [lineFinding('expired', { path: note.path, line, raw }, [struckLine], { day: until })]
    })
}
