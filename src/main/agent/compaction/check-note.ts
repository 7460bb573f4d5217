import { wordsOf } from '../sessions/digest.ts'

/** Words in a row that count as copied from the instructions. */
const copiedWords = 5
/** A note with at least this share of copied words is a copy. */
const minCopied = 0.6
/** A note of at least this many words repeats itself if fewer than this share of them differ. */
const minRepeated = 12
const minDifferent = 0.3
/** A line that is copied from the transcript. */
const speaker = /^[-*\d.)[\]\s]*(?:user|assistant|system):|^\[\w{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/im
/** The beginning of an answer that announces notes instead of being one. */
const preamble =
  /^(?:here (?:is|are)|here's|this is|below is) (?:a|an|the|my|your) (?:\w+ )?(?:summary|notes?|list|conversation)\b/i
/** Share of a note's words that the conversation must contain, so that it is surely about it. */
const minShared = 0.3

/**
 * Checks a note that a model wrote about a conversation: weak models copy their instructions, repeat themselves, and
 * invent.
 * @param userText messages of the user; a copy of them is a good note
 * @returns `doubtful` if the user should decide, for example because the note is in another language
 */
export function checkNote(
  note: string,
  conversation: string,
  instructions: string,
  userText = '',
): 'good' | 'doubtful' | 'bad' {
  const words = wordsIn(note)
  if (words.length === 0) return 'bad'
  if (withoutSpace(userText).includes(withoutSpace(note))) return 'good'
  if (preamble.test(note) || isRepetitive(note, words)) return 'bad'
  const isCopied = copiedShare(words, instructions) >= minCopied
  const isCopiedSentence = (sentence: readonly string[]) =>
    sentence.length >= copiedWords && copiedShare(sentence, instructions) === 1
  const hasCopiedSentence = sentencesIn(note).map(wordsIn).some(isCopiedSentence)
  if (speaker.test(note) || (!isCopied && hasCopiedSentence)) return 'doubtful'
  if (withoutSpace(conversation).includes(withoutSpace(note))) return 'good'
  if (isCopied) return 'bad'
  // Numbers, words of at least four letters, and parts of unspaced text.
  const content = [...wordsOf(note)].filter(
    (word) => /\p{N}/u.test(word) || word.length >= 4 || !/^\p{Script=Latin}+$/u.test(word),
  )
  if (content.length === 0) return 'good'
  const said = wordsOf(conversation)
  const share = content.filter((word) => said.has(word)).length / content.length
  if (share >= minShared) return 'good'
  return share > 0 || scriptOf(note) !== scriptOf(conversation) ? 'doubtful' : 'bad'
}

function isRepetitive(note: string, words: readonly string[]): boolean {
  if (words.length >= minRepeated && new Set(words).size < minDifferent * words.length) return true
  const sentences = sentencesIn(note).filter((sentence) => wordsIn(sentence).length >= copiedWords)
  return new Set(sentences).size < sentences.length
}

function sentencesIn(note: string): string[] {
  return note.split(/[.!?。！？\n]+/u).map((sentence) => sentence.trim())
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

function copiedShare(words: readonly string[], instructions: string): number {
  const text = ` ${wordsIn(instructions).join(' ')} `
  const copied = words.map((_, index) => {
    const from = Math.min(index, Math.max(0, words.length - copiedWords))
    return text.includes(` ${words.slice(from, from + copiedWords).join(' ')} `)
  })
  return copied.filter(Boolean).length / words.length
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
