import { isRecord, parseJson } from '#shared/util/json.ts'
import { objectSchema } from '#llm'
import { withoutSpace } from '../context/message-text.ts'
import { contentWords } from '../sessions/digest.ts'

export const notesSchema = objectSchema({ notes: { type: 'array', items: { type: 'string' } } })

/** Returns the notes in an answer, as lines or `{"notes": […]}`, also if the JSON is cut off; undefined without any. */
export function parseNotesReply(answer: string): string | undefined {
  const listed = listedNotes(answer)
  const text = listed ? listed.map((note) => `- ${note}`).join('\n') : answer
  const notes = text.replaceAll(noReplyPattern, '').trim()
  const isDeclined = text.trimStart().search(noReplyPattern) === 0 && !/^\s*[-*+]\s/m.test(notes)
  return /[\p{L}\p{N}]/u.test(notes) && !isDeclined && !isRefusal(notes) ? notes : undefined
}

const noReplyPattern = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi

function listedNotes(answer: string): string[] | undefined {
  const value = parseJson(/\{[^]*\}/.exec(answer)?.[0] ?? '')
  const listed = isRecord(value) ? value['notes'] : undefined
  if (Array.isArray(listed)) return listed.map(String)
  const [, rest] = /^\W*(?:json\s*)?\{\s*"notes"\s*:\s*\[([^]*)/.exec(answer) ?? []
  return rest === undefined
    ? undefined
    : (rest.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((text) => String(parseJson(text)))
}

/** A reply that confirms the request, and says nothing about the chat. */
export const acknowledgement =
  /^(?:ok(?:ay)?|done|noted|saved|sure|understood|none|好的?|明白了?|收到|已[记記保儲储].{1,2}|はい|承知しました|わかりました|네|알겠습니다)[.!。！]*$/i

/** Sentences that say that there is nothing to save, in the languages of the interface and of common models. */
const refusals = [
  acknowledgement,
  /^(?:there(?:['’]s| is) |i have )?nothing (?:new |durable |else )*(?:to|worth) (?:sav|stor|not|keep|record|add)\w*(?: here| (?:from|in) this \w+)?$/i,
  /^(?:there are )?no (?:new |durable |further )*(?:notes|information|facts|memories)(?: to (?:save|store|record))?$/i,
  /^(?:目前|本次对话|這段對話)?(?:没有|沒有|暂无|暫無|无需|無需|不需要).{0,9}(?:保存|儲存|记录|記錄|写入|寫入)(?:日志|日誌)?(?:的.{0,2})?$/,
  /^(?:特に|新しい)?.{0,4}(?:保存|記録|メモ).{0,14}(?:ありません|なし)$/,
  /^(?:새로|특별히|추가로)? ?(?:저장|기록).{0,10}(?:없습니다|없음|없어요)$/,
]
/** Longer replies are notes: a kept refusal does less harm than a lost note. */
const maxRefusal = 120
const maxSentence = 60

export function isRefusal(reply: string): boolean {
  const sentences = reply.split(/[.。!！，、,\n*_-]+/u).flatMap((sentence) => sentence.trim() || [])
  const isRefused = (sentence: string) =>
    sentence.length <= maxSentence && !/\p{N}/u.test(sentence) && refusals.some((pattern) => pattern.test(sentence))
  return reply.length <= maxRefusal && sentences.every(isRefused)
}

const copiedWords = 5
/** A note with at least this share of copied words is a copy. */
const minCopied = 0.6
/** A note of at least this many words repeats itself if fewer than this share of them differ. */
const minRepeated = 12
const minDifferent = 0.3
const speaker = /^[-*\d.)[\]\s]*(?:user|assistant|system):|^\[\w{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/im
/** The beginning of an answer that announces notes instead of being one. */
const preamble =
  /^(?:here (?:is|are)|here's|this is|below is) (?:a|an|the|my|your) (?:\w+ )?(?:summary|notes?|list|conversation)\b/i
/** Share of a note's words that the chat must contain, so that it is surely about it. */
const minShared = 0.3

/**
 * Checks a note that a model wrote about a chat: weak models copy their instructions, repeat themselves, and
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
  const content = [...contentWords(note)].filter(
    (word) => /\p{N}/u.test(word) || word.length >= 4 || !/^\p{Script=Latin}+$/u.test(word),
  )
  if (content.length === 0) return 'good'
  const said = contentWords(conversation)
  const share = content.filter((word) => said.has(word)).length / content.length
  if (share >= minShared) return 'good'
  return share > 0 || scriptOf(note) !== scriptOf(conversation) ? 'doubtful' : 'bad'
}

function isRepetitive(note: string, words: readonly string[]): boolean {
  if (words.length >= minRepeated && new Set(words).size < minDifferent * words.length) return true
  const sentences = sentencesIn(note).filter((sentence) => wordsIn(sentence).length >= copiedWords)
  return new Set(sentences).size < sentences.length
}

const sentencesIn = (note: string) => note.split(/[.!?。！？\n]+/u).map((sentence) => sentence.trim())

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function copiedShare(words: readonly string[], instructions: string): number {
  const text = ` ${wordsIn(instructions).join(' ')} `
  const copied = words.map((_, index) => {
    const from = Math.min(index, Math.max(0, words.length - copiedWords))
    return text.includes(` ${words.slice(from, from + copiedWords).join(' ')} `)
  })
  return copied.filter(Boolean).length / words.length
}

/** Returns the index of the script with the most letters. */
function scriptOf(text: string): number {
  const counts = scripts.map((script) => text.match(script)?.length ?? 0)
  return counts.indexOf(Math.max(...counts))
}

const scripts = [
  /\p{sc=Latin}/gu,
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu,
  /\p{sc=Hangul}/gu,
  /\p{sc=Cyrillic}/gu,
]
