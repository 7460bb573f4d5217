/** Bits of a unit's `flags`. Bits 6 and 7 hold the number of capitalized words inside sentences, at most 3. */
export const unitFlags = {
  asks: 1,
  hasNumber: 2,
  hasTime: 4,
  isHeading: 8,
  isCode: 16,
  isFirstPerson: 32,
  /** A struck-through line with the date until which it was valid. */
  isSuperseded: 256,
} as const

const capitalizedShift = 6
const maxCapitalized = 3

/** A remark on an image, in brackets, may follow the question mark. */
const question = /[?？]\s*(?:\[[^[\]]*\]\s*)?$/
const numberWord =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|couple|few|dozen|hundred|thousand)\b|[一二三四五六七八九十百千万两]/i
const timeWord =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekend|months?|years?|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|recently|since|days?|morning|summer|winter|spring|fall)\b|\d{1,2}:\d\d|[昨今明]天|[上下这本]周|[上下]个?月|去年|今年|明年|\d+[年月日号]|[一二三四五六七八九十]+[月号日]|昨日|今日|先週|来週|先月|来月|어제|오늘|내일|지난|다음/i
const firstPerson = /\b(?:i|i'm|i've|my|we|our|me)\b|我/i
/** A capitalized word after a letter, comma or apostrophe and a space, so that no word at the start of a sentence counts. */
const capitalizedWord = /(?<=[\p{L},'’] )\p{Lu}\p{Ll}+/gu

/** Returns the flags that the text alone decides: all but `isSuperseded`. @param body from `bodyOf` */
export function flagsOf(body: string, kind: 'text' | 'heading' | 'code'): number {
  const { asks, hasNumber, hasTime, isHeading, isCode, isFirstPerson } = unitFlags
  const capitalized = Math.min(maxCapitalized, body.match(capitalizedWord)?.length ?? 0)
  return (
    (question.test(body) ? asks : 0) |
    (numberWord.test(body) ? hasNumber : 0) |
    (timeWord.test(body) ? hasTime : 0) |
    (kind === 'heading' ? isHeading : 0) |
    (kind === 'code' ? isCode : 0) |
    (firstPerson.test(body) ? isFirstPerson : 0) |
    (capitalized << capitalizedShift)
  )
}

/** Returns the number of capitalized words inside sentences, from 0 to 3. */
export function capitalizedIn(flags: number): number {
  return (flags >>> capitalizedShift) & maxCapitalized
}
