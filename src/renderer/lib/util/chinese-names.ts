import { polyphonic } from 'pinyin-pro'
import { cached } from '#shared/util/lazy.ts'

export { simplify } from '#shared/util/han.ts'

type Readings = readonly (readonly string[])[]

/** Returns the readings of a Chinese character; any other character as it is. Keyboards use v for ü. */
const readingsOf = cached(
  (letter: string): readonly string[] => polyphonic(letter, { toneType: 'none', type: 'array', v: true })[0] ?? [],
)

/**
 * Returns true if consecutive characters of a name have these syllables, of which the last may be incomplete, or these
 * initials: 王五 matches `wangwu`, `wang`, `wangw` and `ww`.
 * @param typed in lower case
 */
export function hasPinyin(name: string, typed: string): boolean {
  const letters = typed.replaceAll('ü', 'v').replaceAll(/['’]/g, '')
  if (!/^[a-z]+$/.test(letters) || !/\p{Script=Han}/u.test(name)) return false
  const readings = Array.from(name.toLowerCase(), readingsOf)
  return readings.some((_, at) => hasSyllables(readings, at, letters) || hasInitials(readings, at, letters))
}

function hasSyllables(readings: Readings, at: number, letters: string): boolean {
  return (readings[at] ?? []).some(
    (syllable) =>
      syllable.startsWith(letters) ||
      (letters.startsWith(syllable) && hasSyllables(readings, at + 1, letters.slice(syllable.length))),
  )
}

function hasInitials(readings: Readings, at: number, letters: string): boolean {
  return [...letters].every((letter, index) => readings[at + index]?.some((syllable) => syllable.startsWith(letter)))
}
