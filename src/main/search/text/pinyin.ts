/** Pinyin without tones; v is ü. */
import dictionary from 'pinyin-pro/dist/esm/data/dict1.mjs'
import wordsOfTwo from 'pinyin-pro/dist/esm/data/dict2.mjs'
import wordsOfThree from 'pinyin-pro/dist/esm/data/dict3.mjs'
import surnames from 'pinyin-pro/dist/esm/data/surname.mjs'
import { lazy } from '#shared/util/lazy.ts'

export type Letters = ReadonlySet<string>
const noLetters: Letters = new Set()

/** Limits the ways to cut words such as `xianxianxian`. */
const maxCuts = 12
const maxWordLength = 40
const maxSyllableLength = 6
/** Other ways to type ü; passports have yu. */
const otherSpellings = new Map(
  Object.entries({ lue: 'lve', nue: 'nve', lyue: 'lve', nyue: 'nve', lyu: 'lv', nyu: 'nv' }),
)

/**
 * Common readings that the short words of pinyin-pro lack. Its idioms have obsolete readings, so they are not used. 干
 * and 着 also stand for 乾 and 著 in simplified text.
 */
const commonReadings =
  '地de 粘zhan 盛cheng 熟shou 勒lei 咽ye 咖ga 嗯en 堡pu 埔bu 隽jun 谁shei 落la 嚼jiao 藏cang 食shi 夹ga 瀑bao 干qian 着zhu'

/** Characters by syllable: each has its first reading, and others that occur in short words or surnames. Takes some 40 ms. */
const lettersBySyllable = lazy((): ReadonlyMap<string, Letters> => {
  const used = new Set<string>()
  for (const [word, readings] of [wordsOfTwo, wordsOfThree, surnames].flatMap((words) => Object.entries(words)))
    for (const [at, syllable] of withoutTones(readings).split(' ').entries()) used.add(`${word[at]}${syllable}`)
  const found = new Map<string, Set<string>>()
  const add = (letter: string, syllable: string) => found.set(syllable, (found.get(syllable) ?? new Set()).add(letter))
  for (let code = 0x4e00; code <= 0x9fff; code += 1) {
    const letter = String.fromCharCode(code)
    const readings = withoutTones(dictionary.get(letter) ?? '').split(' ')
    for (const [at, syllable] of readings.entries())
      if (/[aeiouv]/.test(syllable) && (at === 0 || used.has(letter + syllable))) add(letter, syllable)
  }
  for (const reading of commonReadings.split(' ')) add(reading.charAt(0), reading.slice(1))
  return found
})

function withoutTones(readings: string): string {
  return readings
    .normalize('NFD')
    .replace(/u\u0308/g, 'v')
    .replace(/[\u0300-\u036f]/g, '')
}

const syllablesByLetter = lazy(() => {
  const found = new Map<string, string[]>()
  for (const [syllable, letters] of lettersBySyllable()) {
    for (const letter of letters) found.set(letter, [...(found.get(letter) ?? []), syllable])
  }
  return found
})

/**
 * Returns the ways to cut a word into pinyin syllables, the fewest syllables first. Spaces, apostrophes, hyphens and
 * tone numbers are boundaries. If there is no other way, the last syllable may be incomplete. Returns undefined if the
 * word is not pinyin, or one incomplete syllable.
 */
export function splitPinyin(word: string): string[][] | undefined {
  if (word.length > maxWordLength) return undefined
  const plain = word
    .toLowerCase()
    .normalize('NFD')
    .replace(/u(?:\p{Mn}*\u0308|:)/gu, 'v')
  const letters = plain.replace(/\p{Mn}/gu, '').replace(/(?<=[jqxy])v/g, 'u')
  const pieces = letters.split(/[\s'’-]+|(?<=[a-z])[1-5]/).filter(Boolean)
  const last = pieces.pop()
  if (last === undefined || ![...pieces, last].every((piece) => /^[a-z]+$/.test(piece))) return undefined
  const heads = pieces.reduce((cuts, piece) => combine(cuts, cutsOf(piece)), [[]] as string[][])
  const complete = combine(heads, cutsOf(last))
  const cuts = complete.length > 0 ? complete : combine(heads, cutsOf(last, pieces.length === 0 ? 1 : 0))
  return cuts.length === 0 ? undefined : cuts.sort((one, other) => one.length - other.length)
}

function combine(heads: readonly string[][], tails: readonly string[][]): string[][] {
  return heads.flatMap((head) => tails.map((tail) => [...head, ...tail])).slice(0, maxCuts)
}

/** @param incompleteFrom first offset of an incomplete last syllable; Infinity: all syllables are complete */
function cutsOf(piece: string, incompleteFrom = Infinity): string[][] {
  const cutsFrom: string[][][] = []
  cutsFrom[piece.length] = incompleteFrom === Infinity ? [[]] : []
  for (let at = piece.length - 1; at >= 0; at -= 1) {
    const rest = piece.slice(at)
    const cuts = at >= incompleteFrom && syllablesBeginning(rest).length > 0 ? [[rest]] : []
    for (let length = Math.min(rest.length, maxSyllableLength); length > 0; length -= 1) {
      const typed = rest.slice(0, length)
      const syllable = otherSpellings.get(typed) ?? typed
      if (!lettersBySyllable().has(syllable)) continue
      for (const tail of cutsFrom[at + length] ?? []) cuts.push([syllable, ...tail])
    }
    cutsFrom[at] = cuts.slice(0, maxCuts)
  }
  return cutsFrom[0] ?? []
}

function syllablesBeginning(text: string): string[] {
  return [...lettersBySyllable().keys()].filter((syllable) => syllable.startsWith(text))
}

function lettersOf(syllables: readonly string[]): Letters {
  return new Set(syllables.flatMap((syllable) => [...(lettersBySyllable().get(syllable) ?? noLetters)]))
}

/** Returns the characters of a typed syllable. Folding a query turns ü into u, so `lu` and `nu` stand for both. */
export function lettersOfSyllable(syllable: string): Letters {
  return lettersOf(/^[ln]u$/.test(syllable) ? [syllable, syllable.replace('u', 'v')] : [syllable])
}

export function lettersBeginning(text: string): Letters {
  return lettersOf(syllablesBeginning(text))
}

export function homophonesOf(letter: string): Letters {
  return lettersOf(syllablesByLetter().get(letter) ?? []).union(new Set([letter]))
}
