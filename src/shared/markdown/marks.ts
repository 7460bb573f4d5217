/** The small marks at the ends of lines, which say who may see them (M64) and where they come from (M63). Pure. */
import { sourceKinds } from './provenance.ts'

const marks = new RegExp(String.raw`\s*\^\[[ \t]*(?:local|(?:${sourceKinds.join('|')}):[^\]\n]*)[ \t]*\]`, 'giu')

/** A line as it is told where its marks are told otherwise, or say nothing: in a title, in a name. */
export function withoutMarks(line: string): string {
  return line.includes('^[') ? line.replaceAll(marks, '') : line
}
