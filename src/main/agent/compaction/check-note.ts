import { wordsOf } from '../sessions/digest.ts'

/** Words in a row that count as copied from the instructions. */
const copiedWords = 5
/** A note with at least this share of copied words is a copy. */
const minCopied = 0.6
/** A note of at least this many words repeats itself if fewer than this share of them differ. */
const minRepeated = 12
const minDifferent = 0.3
/** Share of a note's words that the conversation must contain, so that it is surely about it. */
const minShared = 0.3

/**
 * Checks a note that a model wrote about a conversation: weak models copy their instructions, repeat themselves, and
 * invent.
 * @returns `doubtful` if the user should decide, for example because the note is in another language
 */
export function checkNote(note: string, conversation: string, instructions: string): 'good' | 'doubtful' | 'bad' {
  const words = note.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return 'bad'
  if (withoutSpace(conversation).includes(withoutSpace(note))) return 'good'
  if (words.length >= minRepeated && new Set(words).size < minDifferent * words.length) return 'bad'
  if (copiedShare(words, instructions) >= minCopied) return 'bad'
  const content = [...wordsOf(note)].filter(isContent)
  if (content.length === 0) return 'good'
  const said = wordsOf(conversation)
  const share = content.filter((word) => said.has(word)).length / content.length
  if (share >= minShared) return 'good'
  return share > 0 || scriptOf(note) !== scriptOf(conversation) ? 'doubtful' : 'bad'
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

function copiedShare(words: readonly string[], instructions: string): number {
  const text = ` ${(instructions.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
  const copied = words.map((_, index) => {
    const from = Math.min(index, Math.max(0, words.length - copiedWords))
    return text.includes(` ${words.slice(from, from + copiedWords).join(' ')} `)
  })
  return copied.filter(Boolean).length / words.length
}

/** Returns true for numbers, words of at least four letters, and parts of unspaced text. */
function isContent(word: string): boolean {
  return /\p{N}/u.test(word) || word.length >= 4 || !/^\p{Script=Latin}+$/u.test(word)
}

function scriptOf(text: string): string | undefined {
  const counts = scripts.map((script) => ({ script, count: (text.match(script) ?? []).length }))
  return counts.toSorted((one, other) => other.count - one.count)[0]?.script.source
}

const scripts = [
  /\p{Script=Latin}/gu,
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu,
  /\p{sc=Hangul}/gu,
  /\p{sc=Cyrillic}/gu,
]
