/** A line as a title: without the mark of its list, and the small marks behind it. Pure. */
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { withoutMarks } from '#shared/markdown/marks.ts'

export function withoutMark(line: string): string {
  return withoutMarks(withoutLead(line)).trim()
}
