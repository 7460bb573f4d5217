import { sourceKinds } from './provenance.ts'

const marks = new RegExp(
  String.raw`\s*\^\[[ \t]*(?:local|private|(?:${sourceKinds.join('|')}):[^\]\n]*)[ \t]*\]`,
  'giu',
)

/** Removes privacy and source marks, for titles and names. */
export function withoutMarks(line: string): string {
  return line.includes('^[') ? line.replaceAll(marks, '') : line
}
