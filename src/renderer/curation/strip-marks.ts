import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { withoutMarks } from '#shared/markdown/marks.ts'

export function stripMarks(line: string): string {
  return withoutMarks(withoutLead(line)).trim()
}
