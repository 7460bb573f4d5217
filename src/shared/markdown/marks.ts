import { sourceKinds } from './provenance.ts'

const marks = new RegExp(
  String.raw`\s*\^\[[ \t]*(?:local|private|(?:${sourceKinds.join('|')}):[^\]\n]*)[ \t]*\]`,
  'giu',
)

/** Removes privacy and source marks, for titles and names. */
export function withoutMarks(line: string): string {
  return line.includes('^[') ? line.replaceAll(marks, '') : line
}

/** Removes the privacy marks from a text, with the comments around them. */
export function withoutPrivateMarks(text: string): string {
  return text.replaceAll(/[ \t]*(?:<!--\s*)?\^\[\s*(?:local|private)\s*\](?:\s*-->)?/gi, '')
}
