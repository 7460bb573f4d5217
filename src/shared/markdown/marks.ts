import { sourceKinds } from './provenance.ts'
import { countWords } from '../util/tokens.ts'

const marks = new RegExp(
  String.raw`\s*\^\[[ \t]*(?:local|private|(?:${sourceKinds.join('|')}):[^\]\n]*)[ \t]*\]`,
  'giu',
)

/** Removes privacy and source marks, for titles and names. */
export function withoutMarks(line: string): string {
  return line.includes('^[') ? line.replaceAll(marks, '') : line
}

export function withoutPrivateMarks(text: string): string {
  return text.replaceAll(/[ \t]*(?:<!--\s*)?\^\[\s*(?:local|private)\s*\](?:\s*-->)?/gi, '')
}

/** Returns a line in lower case without marks, markers, cell borders, emphasis and end punctuation, to compare it. */
export function comparableLine(line: string): string {
  return withoutMarks(line)
    .replace(/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?)?/, '')
    .replaceAll(/[*_`~]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[ |]+|[ |.,;:!?。！？，；：…]+$/g, '')
    .toLowerCase()
}

/** Returns the comparable line, also without the time and the links of a log entry; none if `isTellingLine` is false. */
export function comparableForms(line: string): string[] {
  const whole = comparableLine(line)
  const text = comparableLine(line.replaceAll(/\[sessions\/[^\s\]]+\]/g, '')).replace(/^\d{1,2}:\d{2} (?:[-–—] )?/, '')
  return [...new Set([whole, text])].filter(isTellingLine)
}

/** Returns false for lines that many texts have in common: one word without a digit, and the property `visibility`. */
export function isTellingLine(comparable: string): boolean {
  if (/^visibility\s*[:=]/i.test(comparable)) return false
  return /\d/.test(comparable) || countWords(comparable) >= 2
}
