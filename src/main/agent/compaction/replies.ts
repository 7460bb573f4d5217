/** Parses replies to requests for notes and summaries: JSON by a schema, or the text of a model without schemas. */
import { isRecord, parseJson } from '#shared/util/json.ts'
import { objectSchema } from '#llm'

/** Schema of a flush's answer; an empty list if there is nothing to note. */
export const notesSchema = objectSchema({ notes: { type: 'array', items: { type: 'string' } } })

/**
 * Returns the notes in an answer, as lines or `{"notes": […]}`, also if the JSON is cut off; undefined if there are none.
 */
export function parseNotesReply(answer: string): string | undefined {
  const listed = listedNotes(answer)
  const text = listed ? listed.map((note) => `- ${note}`).join('\n') : answer
  const notes = text.replaceAll(noReplyPattern, '').trim()
  const isDeclined = text.trimStart().search(noReplyPattern) === 0 && !/^\s*[-*+]\s/m.test(notes)
  return /[\p{L}\p{N}]/u.test(notes) && !isDeclined && !isRefusal(notes) ? notes : undefined
}

const noReplyPattern = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi

function listedNotes(answer: string): string[] | undefined {
  const [json] = /\{[^]*\}/.exec(answer) ?? []
  const value = json === undefined ? undefined : parseJson(json)
  const listed = isRecord(value) ? value['notes'] : undefined
  if (Array.isArray(listed)) return listed.map(String)
  const [, rest] = /^\W*(?:json\s*)?\{\s*"notes"\s*:\s*\[([^]*)/.exec(answer) ?? []
  return (
    rest?.match(/"(?:[^"\\]|\\.)*"/g)?.map((text) => String(parseJson(text))) ?? (rest === undefined ? undefined : [])
  )
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

/** Returns true if a reply only says that there is nothing to save, or confirms the request. */
export function isRefusal(reply: string): boolean {
  const sentences = reply.split(/[.。!！，、,\n*_-]+/u).flatMap((sentence) => sentence.trim() || [])
  const isRefused = (sentence: string) =>
    sentence.length <= maxSentence && !/\p{N}/u.test(sentence) && refusals.some((pattern) => pattern.test(sentence))
  return reply.length <= maxRefusal && sentences.every(isRefused)
}
