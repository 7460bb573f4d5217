import { countWords } from '../util/tokens.ts'
import { withoutMarks } from './marks.ts'

/** Returns a line without marks, list and quote markers, and with single spaces, to compare it with other lines. */
export function comparableLine(line: string): string {
  return withoutMarks(line)
    .replace(/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?)?/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Returns false for a line of one word without a digit, which many texts have in common. */
export function isTellingLine(comparable: string): boolean {
  return /\d/.test(comparable) || countWords(comparable) >= 2
}
