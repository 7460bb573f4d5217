/**
 * Spelling correction with the words of the memory. Loads them on first use, then only new ones. Grouped by length,
 * with a bit set of letters, so that most words are skipped without computing an edit distance.
 */
import type { Db } from '../indexing/index-schema.ts'

export interface Spelling {
  readonly word: string
  readonly term: string
}

export interface SpellingCorrection extends Spelling {
  /** Number of letters changed, inserted, deleted, or swapped with the next one. */
  readonly edits: number
}

interface DictionaryEntry extends Spelling {
  readonly letters: number
}

const lengthForTwo = 8
const maxReadings = 3

export class SpellingDictionary {
  readonly #statements: ReturnType<typeof prepare> | undefined
  readonly #byLength = new Map<number, DictionaryEntry[]>()
  #last = 0
  #isOutdated = true
  #version: number | undefined

  /** @param db an older index may lack the table; then there are no corrections */
  constructor(db: Db) {
    const hasTable = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'spellings'").get() !== undefined
    if (hasTable) this.#statements = prepare(db)
  }

  /** Notes a new version of the database. New words are loaded on the next use. */
  refresh(version: number): void {
    if (version !== this.#version) this.#isOutdated = true
    this.#version = version
  }

  /** Loads new words. Runs on demand, because most queries have no unknown word. */
  loadNewWords(): void {
    if (!this.#isOutdated) return
    this.#isOutdated = false
    for (const { id, word, term } of this.#statements?.newer.all(this.#last) ?? []) {
      this.#last = id
      const same = this.#byLength.get(word.length)
      const entry = { word, term, letters: lettersOf(word) }
      if (same) same.push(entry)
      else this.#byLength.set(word.length, [entry])
    }
  }

  has(word: string): boolean {
    return this.#statements?.has.get(word) !== undefined
  }

  /**
   * Returns the nearest spellings of a folded word: one edit away or, if there are none and the word is long, two.
   * @param isIndexed returns true if the index contains a term
   */
  nearest(word: string, isIndexed: (term: string) => boolean = () => true): SpellingCorrection[] {
    this.loadNewWords()
    const maxEdits = word.length >= lengthForTwo ? 2 : 1
    const letters = lettersOf(word)
    let found: SpellingCorrection[] = []
    let fewestEdits = maxEdits
    for (let length = word.length - maxEdits; length <= word.length + maxEdits; length += 1) {
      for (const { word: candidate, term, letters: other } of this.#byLength.get(length) ?? []) {
        if (bitCount(letters ^ other) > 2 * fewestEdits) continue
        const edits = editDistance(word, candidate, fewestEdits)
        if (edits > fewestEdits || edits === 0 || !isIndexed(term)) continue
        if (edits < fewestEdits) found = []
        fewestEdits = edits
        found.push({ word: candidate, term, edits })
      }
    }
    const first = word[0]
    // Prefers words with the same first letter: typing errors there are rare.
    const likely = found.filter((spelling) => spelling.word[0] === first)
    return (likely.length > 0 ? likely : found)
      .sort((one, other) => (one.word < other.word ? -1 : 1))
      .slice(0, maxReadings)
  }
}

function prepare(db: Db) {
  return {
    newer: db.prepare<[number], { id: number; word: string; term: string }>(
      'SELECT id, word, term FROM spellings WHERE id > ? ORDER BY id',
    ),
    has: db.prepare<[string], number>('SELECT 1 FROM spellings WHERE word = ?').pluck(),
  }
}

function lettersOf(word: string): number {
  let bits = 0
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) % 32)
  return bits
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/**
 * Returns the optimal string alignment distance (Damerau–Levenshtein without edits within a swap), or a number greater
 * than `maxEdits` if the distance exceeds it.
 */
export function editDistance(one: string, other: string, maxEdits: number): number {
  let twoAbove: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let fewestEdits = row
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      let edits = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwap) edits = Math.min(edits, (twoAbove[column - 2] ?? 0) + 1)
      current.push(edits)
      fewestEdits = Math.min(fewestEdits, edits)
    }
    if (fewestEdits > maxEdits) return maxEdits + 1
    twoAbove = above
    above = current
  }
  return above[other.length] ?? 0
}
