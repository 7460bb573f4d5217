/** What a model says when it was asked to save notes and called no tool: the notes themselves, or that there are none. Pure. */

const noReply = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi
/** One sentence that says nothing but that all is well, or that there is nothing. */
const noNote =
  /^(ok(ay)?|done|noted|saved|understood|sure|all set|(i have |i |there (is|are|was|were) )?(found |see )?(nothing|no (new |further |other )?(durable )?(notes?|facts?|information))\b[^.\n\d]*|没有(什么)?(需要|值得|可)[^。\n\d]*|沒有(什麼)?(需要|值得|可)[^。\n\d]*|无需[^。\n\d]*|好的|好|已记录|已記錄)[\s.!。！]*$/i

/** @returns undefined for an answer that holds no note */
export function notesIn(answer: string): string | undefined {
  const said = answer.replaceAll(noReply, '').trim()
  return /[\p{L}\p{N}]/u.test(said) && !noNote.test(said) ? said : undefined
}
