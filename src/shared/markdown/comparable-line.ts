import { countWords } from '../util/tokens.ts'
import { withoutMarks } from './marks.ts'

/** Returns a line in lower case without marks, markers, cell borders, emphasis and end punctuation, to compare it. */
export function comparableLine(line: string): string {
  return withoutMarks(line)
    .replace(/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?)?/, '')
    .replaceAll(/[*_`~]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[ |]+|[ |.,;:!?。！？，；：…]+$/g, '')
    .toLowerCase()
}

/** Returns false for lines that many texts have in common: one word without a digit, and the mark in front matter. */
export function isTellingLine(comparable: string): boolean {
  if (/^visibility\s*[:=]/i.test(comparable)) return false
  return /\d/.test(comparable) || countWords(comparable) >= 2
}
