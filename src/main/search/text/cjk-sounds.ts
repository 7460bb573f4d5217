/**
 * Words of the memory that sound or look like a word that it lacks: pinyin, initials, homophones, similar characters,
 * the other kana, Korean initial consonants.
 *
 * The index has no list of CJK words, only bigrams (pairs of neighbouring characters). So each position of the word
 * becomes a set of possible characters, and a path through the bigrams is an alternative. Kanji are not found by
 * Japanese readings: dictionaries on npm have megabytes or a licence that does not fit.
 */
import { lazy } from '#shared/util/lazy.ts'
import { homophonesOf, type Letters, lettersBeginning, lettersOfSyllable, splitPinyin } from './pinyin.ts'
import { roleOfCjk } from './stop-words.ts'
import { fold } from './terms.ts'
import { lookAlikes } from './words/look-alikes.ts'

export interface SoundAlternative {
  /** At least two characters, folded. */
  readonly term: readonly string[]
  /** In (0, 1): the weight of an occurrence, relative to the word as written. */
  readonly weight: number
  readonly via: 'pinyin' | 'initials' | 'homophone' | 'lookAlike' | 'kana' | 'chosung'
}

interface Candidate extends SoundAlternative {
  /** Documents with the rarest of its bigrams. */
  readonly documents: number
}

const weights = { kana: 0.9, pinyin: 0.7, oneCharacter: 0.6, incomplete: 0.5, twoCharacters: 0.35, initials: 0.3 }
const maxAlternatives = 8
/** Number of alternatives passed to `isIndexed`, which may read the index. */
const maxChecked = 32
/** Limits the time for initials, which match many paths. */
const maxPaths = 256
const minInitials = 3

const similarLetters = lazy(() => {
  const found = new Map<string, Set<string>>()
  for (const group of lookAlikes.trim().split(/\s+/)) {
    for (const letter of group) found.set(letter, new Set([...(found.get(letter) ?? []), ...group]))
  }
  return found
})

function bothKana(letter: string): Letters {
  const offset = /[ぁ-ゖ]/.test(letter) ? 0x60 : /[ァ-ヶ]/.test(letter) ? -0x60 : 0
  return new Set([letter, String.fromCodePoint((letter.codePointAt(0) ?? 0) + offset)])
}

/** Number of Hangul syllables with the same initial consonant. */
const syllablesPerInitial = 588
/** Input methods join two consonants into one letter; NFKC makes it a final consonant. */
const joinedConsonants = new Map(
  'ᆪᄀᄉ ᆬᄂᄌ ᆭᄂᄒ ᆰᄅᄀ ᆱᄅᄆ ᆲᄅᄇ ᆳᄅᄉ ᆴᄅᄐ ᆵᄅᄑ ᆶᄅᄒ ᆹᄇᄉ'
    .split(' ')
    .map(([joined = '', ...consonants]) => [joined, consonants]),
)

/** @param consonant U+1100 to U+1112 */
function syllablesOfInitial(consonant: string): Letters {
  const first = 0xac00 + (consonant.charCodeAt(0) - 0x1100) * syllablesPerInitial
  return new Set(Array.from({ length: syllablesPerInitial }, (_, index) => String.fromCharCode(first + index)))
}

export class SoundIndex {
  readonly #next = new Map<string, Map<string, number>>()

  /** @param bigrams terms of the index with their numbers of documents; terms of another length are ignored */
  constructor(bigrams: Iterable<readonly [term: string, documents: number]>) {
    for (const [term, documents] of bigrams) {
      const [first, second, third] = term
      if (first === undefined || second === undefined || third !== undefined) continue
      const following = this.#next.get(first)
      if (following) following.set(second, documents)
      else this.#next.set(first, new Map([[second, documents]]))
    }
  }

  /**
   * Returns words of the memory that may stand for a word, best first. A syllable or a character alone has none.
   * @param word as typed; pinyin may contain spaces and tones
   * @param isIndexed returns true if these characters, three or more, occur one after the other. Their bigrams do, but
   *   perhaps not together.
   */
  alternatives(word: string, isIndexed: (term: readonly string[]) => boolean = () => true): SoundAlternative[] {
    const own = fold(word)
    const best = new Map<string, Candidate>()
    for (const candidate of this.#candidates(word, [...own])) {
      const key = candidate.term.join('')
      if (key === own || candidate.weight <= (best.get(key)?.weight ?? 0)) continue
      if (roleOfCjk(key) !== 'function') best.set(key, candidate)
    }
    return [...best.values()]
      .sort((one, other) => other.weight - one.weight || other.documents - one.documents)
      .slice(0, maxChecked)
      .values()
      .filter(({ term }) => term.length === 2 || isIndexed(term))
      .take(maxAlternatives)
      .map(({ term, weight, via }) => ({ term, weight, via }))
      .toArray()
  }

  #candidates(word: string, letters: readonly string[]): Candidate[] {
    const text = letters.join('')
    const cuts = splitPinyin(word)
    if (cuts) return cuts.flatMap((cut) => this.#pinyin(cut))
    if (/^[a-z]+$/.test(text)) return letters.length < minInitials ? [] : this.#initials(letters)
    const consonants = letters.flatMap((letter) => joinedConsonants.get(letter) ?? [letter])
    if (consonants.every((letter) => /[\u1100-\u1112]/.test(letter))) {
      return this.#found(consonants.map(syllablesOfInitial), 'chosung', () => weights.initials)
    }
    if (/[ぁ-ゖァ-ヶ]/.test(text)) return this.#found(letters.map(bothKana), 'kana', () => weights.kana)
    return /^\p{Script=Han}+$/u.test(text) ? this.#han(letters) : []
  }

  #pinyin(cut: readonly string[]): Candidate[] {
    const last = cut.at(-1) ?? ''
    const exact = lettersOfSyllable(last)
    // After a single syllable, one letter begins too many others.
    const all = last.length > 1 || cut.length > 2 ? exact.union(lettersBeginning(last)) : exact
    return this.#found([...cut.slice(0, -1).map(lettersOfSyllable), all], 'pinyin', (term) =>
      exact.has(term.at(-1) ?? '') ? weights.pinyin : weights.incomplete,
    )
  }

  #initials(letters: readonly string[]): Candidate[] {
    // A function word at an end shows a piece of a sentence.
    const isPiece = (term: readonly string[]) =>
      [term.at(0), term.at(-1)].some((letter) => roleOfCjk(letter ?? '') === 'function')
    return this.#found(letters.map(lettersBeginning), 'initials', (term) => (isPiece(term) ? 0 : weights.initials))
  }

  #han(letters: readonly string[]): Candidate[] {
    const changes = (term: readonly string[]) => {
      const changed = term.flatMap((letter, index) => (letter === letters[index] ? [] : [`${letters[index]}${letter}`]))
      // A repeated character (糖糖) is mistaken twice.
      const distinct = new Set(changed).size
      // If all characters differ, it is mostly another word.
      return distinct > 1 && changed.length === letters.length ? Infinity : distinct
    }
    const byChanges = [0, weights.oneCharacter, weights.twoCharacters]
    const similar = letters.map((letter) => similarLetters().get(letter) ?? new Set([letter]))
    return [
      ...this.#found(letters.map(homophonesOf), 'homophone', (term) => byChanges[changes(term)] ?? 0),
      ...this.#found(similar, 'lookAlike', (term) => (changes(term) === 1 ? weights.oneCharacter : 0)),
    ]
  }

  /**
   * Finds the paths through the bigrams, those in most documents first.
   * @param weightOf 0: the path is not an alternative
   */
  #found(
    [start, ...others]: readonly Letters[],
    via: Candidate['via'],
    weightOf: (term: readonly string[]) => number,
  ): Candidate[] {
    if (others.length === 0) return []
    let paths = [...(start ?? [])].map((letter) => ({ term: [letter], documents: Infinity }))
    for (const position of others) {
      const longer: typeof paths = []
      for (const { term, documents } of paths) {
        for (const [letter, together] of this.#next.get(term.at(-1) ?? '') ?? []) {
          if (position.has(letter)) longer.push({ term: [...term, letter], documents: Math.min(documents, together) })
        }
      }
      paths = longer.sort((one, other) => other.documents - one.documents).slice(0, maxPaths)
    }
    return paths.map((path) => ({ ...path, via, weight: weightOf(path.term) })).filter(({ weight }) => weight > 0)
  }
}
