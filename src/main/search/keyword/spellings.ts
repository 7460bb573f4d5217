/**
 * The words that memory is written in, as they are spelt, for finding what a misspelt word was meant to be. Read
 * from the index when first asked, and from then on only what came new; kept by length, with a set of letters as bits,
 * so that all but a few words are passed over without a look at their letters.
 */
import type { Db } from '../indexing/index-schema.ts'

export interface Spelling {
  readonly word: string
  /** As the index has it. */
  readonly term: string
}

export interface NearSpelling extends Spelling {
  /** Letters changed, added, left out, or swapped with the next. */
  readonly edits: number
}

interface Kept extends Spelling {
  readonly letters: number
}

/** From this length on, a word may differ by two edits. */
const lengthForTwo = 8
/** Words that a misspelt one is read as, at most. */
const maxReadings = 3

export class Spellings {
  readonly #statements: ReturnType<typeof prepare> | undefined
  readonly #byLength = new Map<number, Kept[]>()
  #last = 0
  /** There may be some that were not read. */
  #isBehind = true
  #version: number | undefined

  /** @param db may be an index of before there were spellings: then none is known */
  constructor(db: Db) {
    const hasTable = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'spellings'").get() !== undefined
    if (hasTable) this.#statements = prepare(db)
  }

  /** What came new, where the index is of another version than last time, is read when it is asked for. */
  refresh(version: number): void {
    if (version !== this.#version) this.#isBehind = true
    this.#version = version
  }

  /** Most questions have no word that is spelt nowhere: nobody waits for all spellings to be read. */
  read(): void {
    if (!this.#isBehind) return
    this.#isBehind = false
    for (const { id, word, term } of this.#statements?.newer.all(this.#last) ?? []) {
      this.#last = id
      const same = this.#byLength.get(word.length)
      const kept = { word, term, letters: lettersOf(word) }
      if (same) same.push(kept)
      else this.#byLength.set(word.length, [kept])
    }
  }

  has(word: string): boolean {
    return this.#statements?.has.get(word) !== undefined
  }

  /** The nearest spellings: one edit away, or two for a long word when there are none. @param isThere asked of a term */
  nearest(word: string, isThere: (term: string) => boolean = () => true): NearSpelling[] {
    this.read()
    const most = word.length >= lengthForTwo ? 2 : 1
    const letters = lettersOf(word)
    let found: NearSpelling[] = []
    let least = most
    for (let length = word.length - most; length <= word.length + most; length += 1) {
      for (const { word: spelt, term, letters: other } of this.#byLength.get(length) ?? []) {
        if (bitCount(letters ^ other) > 2 * least) continue
        const edits = editsBetween(word, spelt, least)
        if (edits > least || edits === 0 || !isThere(term)) continue
        if (edits < least) found = []
        least = edits
        found.push({ word: spelt, term, edits })
      }
    }
    const first = word[0]
    // Hardly anyone errs in the first letter.
    const sure = found.filter((spelling) => spelling.word[0] === first)
    return (sure.length > 0 ? sure : found).sort((one, other) => (one.word < other.word ? -1 : 1)).slice(0, maxReadings)
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

/** Which letters a word has, one bit each; others share the last bits. */
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
 * Optimal string alignment distance (Damerau–Levenshtein without edits within a swap); anything above `most` when it is
 * more than that.
 */
export function editsBetween(one: string, other: string, most: number): number {
  let twoAbove: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let least = row
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
      least = Math.min(least, edits)
    }
    if (least > most) return most + 1
    twoAbove = above
    above = current
  }
  return above[other.length] ?? 0
}
