import { sourceKinds } from './provenance.ts'

const marks = new RegExp(String.raw`\s*\^\[[ \t]*(?:local|(?:${sourceKinds.join('|')}):[^\]\n]*)[ \t]*\]`, 'giu')

/** A line as it is told where its marks are told otherwise, or say nothing: in a title, in a name. */
export function withoutMarks(line: string): string {
  return line.includes('^[') ? line.replaceAll(marks, '') : line
}
