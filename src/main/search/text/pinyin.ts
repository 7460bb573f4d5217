/** Pinyin without tones; v is ü. The table has the syllables of about 7500 simplified characters. */
import { lazy } from '#shared/util/lazy.ts'
import { fold } from './terms.ts'
import { pinyinSyllables } from './words/pinyin-syllables.ts'

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

const lettersBySyllable = lazy((): ReadonlyMap<string, Letters> => {
  const rows = pinyinSyllables.trim().split('\n')
  return new Map(rows.map((row) => [row.replace(/[^a-z]+/, ''), new Set(row.replace(/[a-z]+/, ''))]))
})

const syllablesByLetter = lazy(() => {
  const found = new Map<string, string[]>()
  for (const [syllable, letters] of lettersBySyllable()) {
    for (const letter of letters) found.set(letter, [...(found.get(letter) ?? []), syllable])
  }
  return found
})

/** Returns the syllables of each character; none if it is not Han, or too rare for the table. */
export function pinyinOf(text: string): string[][] {
  return [...fold(text)].map((letter) => [...(syllablesByLetter().get(letter) ?? [])])
}

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

/** Returns the characters of all syllables with this beginning. */
export function lettersBeginning(text: string): Letters {
  return lettersOf(syllablesBeginning(text))
}

/** Returns the characters that share a syllable with this one, and the character itself. */
export function homophonesOf(letter: string): Letters {
  return lettersOf(syllablesByLetter().get(letter) ?? []).union(new Set([letter]))
}
