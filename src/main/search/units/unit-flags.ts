import { simplify } from '#shared/util/han.ts'
import { isQuestionMarked } from '../text/language/sentences.ts'
import { hasNumber, isFirstPerson, namesTime } from '../text/language/words.ts'

/** Bits of a unit's `flags`. Bits 6 and 7 hold the number of capitalized words inside sentences, at most 3. */
export const unitFlags = {
  asks: 1,
  hasNumber: 2,
  hasTime: 4,
  isFirstPerson: 32,
  /** A struck-through line with the date until which it was valid. */
  isSuperseded: 256,
} as const

const capitalizedShift = 6
const maxCapitalized = 3

/** A capitalized word after a letter, comma or apostrophe and a space, so that no word at the start of a sentence counts. */
const capitalizedWord = /(?<=[\p{L},'’] )\p{Lu}\p{Ll}+/gu

/** Returns the flags that the text alone decides: all but `isSuperseded`. @param body from `bodyOf` */
export function flagsOf(body: string): number {
  const capitalized = Math.min(maxCapitalized, body.match(capitalizedWord)?.length ?? 0)
  const plain = simplify(body)
  return (
    (isQuestionMarked(body) ? unitFlags.asks : 0) |
    (hasNumber(plain) ? unitFlags.hasNumber : 0) |
    (namesTime(plain) ? unitFlags.hasTime : 0) |
    (isFirstPerson(plain) ? unitFlags.isFirstPerson : 0) |
    (capitalized << capitalizedShift)
  )
}

export function capitalizedIn(flags: number): number {
  return (flags >>> capitalizedShift) & maxCapitalized
}
