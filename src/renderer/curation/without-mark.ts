/** A line as a title: without the mark of its list, and the small marks behind it. Pure. */
import { withoutMarks } from '#shared/markdown/marks.ts'

export function withoutMark(line: string): string {
  return withoutMarks(line.replace(/^(?:[-*+]|\d{1,9}[.)])\s+/, '')).trim()
}
