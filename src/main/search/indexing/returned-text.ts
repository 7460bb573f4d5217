import { roleOfStem } from '../text/stop-words.ts'
import { bigramsOf, cjkRun, fold, termsOfWord } from '../text/terms.ts'

/** A sentence is compared with this number of consecutive lines: it can join short ones. */
const windowLines = 3
/** Words (in CJK text, pairs of characters) from which on a part of the sentence is enough. */
const minWords = 4
const minShare = 0.7

/** The text that tools returned in a chat; recognizes sentences that repeat it. */
export class ReturnedText {
  /** Positions of the lines that contain a word, ascending. */
  readonly #linesByWord = new Map<string, number[]>()
  #next = 0

  add(text: string): void {
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue
      for (const word of contentWords(line)) {
        const lines = this.#linesByWord.get(word)
        if (lines) lines.push(this.#next)
        else this.#linesByWord.set(word, [this.#next])
      }
      this.#next += 1
    }
    // A gap, so that no window contains lines of two texts.
    this.#next += windowLines
  }

  /** Returns true if most words of a sentence, or all of a short one, occur together in a returned text. */
  repeats(sentence: string): boolean {
    const words = contentWords(sentence)
    if (words.size === 0) return false
    const needed = words.size < minWords ? words.size : words.size * minShare
    const counts = new Map<number, number>()
    for (const word of words) {
      let uncounted = -Infinity
      for (const line of this.#linesByWord.get(word) ?? []) {
        for (let window = Math.max(line - windowLines + 1, uncounted); window <= line; window += 1) {
          const count = (counts.get(window) ?? 0) + 1
          if (count >= needed) return true
          counts.set(window, count)
        }
        uncounted = line + 1
      }
    }
    return false
  }
}

/** Returns stems of words and pairs of CJK characters, without function words and pairs of Hiragana. */
function contentWords(text: string): Set<string> {
  const plain = fold(text)
  const words = new Set<string>()
  for (const [word] of plain.replace(cjkRun, ' ').matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu))
    for (const term of termsOfWord(word)) if (roleOfStem(term) !== 'function') words.add(term)
  for (const [run] of plain.matchAll(cjkRun))
    for (const pair of bigramsOf([...run])) if (!/^\p{Script=Hiragana}+$/u.test(pair)) words.add(pair)
  return words
}

/** Returns false for a text of function words and words that fit any subject: "Sure, here is what I found:". */
export function hasContent(text: string): boolean {
  if (text.search(cjkRun) >= 0) return true
  for (const word of contentWords(text)) if (roleOfStem(word) === 'word') return true
  return false
}
