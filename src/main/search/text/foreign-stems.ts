/** Forms of words in other languages than English: by the stemmers of Snowball, and by words written together with them. */
import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as hindi } from '@orama/stemmers/indian'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian'

const stemmersByScript = [
  [/^\p{Script=Cyrillic}+$/u, [russian, ukrainian]],
  [/^\p{Script=Greek}+$/u, [greek]],
  [/^\p{Script=Arabic}+$/u, [arabic]],
  [/^\p{Script=Devanagari}+$/u, [hindi]],
  [
    /^[a-z]+$/,
    [danish, dutch, finnish, french, german, hungarian, italian].concat([
      norwegian,
      portuguese,
      romanian,
      spanish,
      swedish,
      turkish,
    ]),
  ],
] as const
const minStem = 3

/** Returns true if two folded words, not English ones, have the same stem in a language of their script. */
export function haveSameStem(one: string, other: string): boolean {
  const stemmers = stemmersByScript.find(([script]) => script.test(one) && script.test(other))?.[1] ?? []
  return stemmers.some((stemOf) => {
    const stemmed = stemOf(one)
    return stemmed.length >= minStem && stemmed === stemOf(other)
  })
}

/** Articles, conjunctions and prepositions that are written together with the next word. */
const attached = [
  [/^\p{Script=Hebrew}/u, ['ה', 'ב', 'ל', 'ו', 'מ', 'ש', 'כ', 'וה', 'שה', 'מה']],
  [/^\p{Script=Arabic}/u, ['ال', 'و', 'ب', 'ل', 'وال', 'بال', 'لل', 'ف', 'ك']],
] as const
const attachedOf = (word: string) => attached.find(([script]) => script.test(word))?.[1] ?? []

export function withAttached(word: string): string[] {
  return attachedOf(word).map((before) => before + word)
}

/** Returns the word without each of the words that may be attached to it, if three letters remain. */
export function attachedTo(word: string): string[] {
  return attachedOf(word).flatMap((before) =>
    word.startsWith(before) && word.length >= before.length + 3 ? word.slice(before.length) : [],
  )
}
