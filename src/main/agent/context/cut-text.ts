/** Cuts what is too long for the prompt (M3); the file itself stays as it is. Pure. */

/** Characters of one project-context file, and of all of them together. */
export const maxFileCharacters = 20_000
export const maxTotalCharacters = 60_000

/** What sessions of the last two days left behind (M36), all of it: search has the rest. */
export const maxExcerptCharacters = 8000

/** True for the file that a session left behind: it names its transcript below its heading. */
export function isSessionExcerpt(text: string): boolean {
  return /^# [^\n]*\n\n[^\n]*\bsessions\/[\w.-]+\.jsonl/.test(text)
}

const headShare = 0.7
const tailShare = 0.2

/** `text` in at most `limit` characters: its head, a marker that says how much is missing, its tail. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = safeEnd(text, Math.floor(limit * headShare))
  const tail = safeStart(text, text.length - Math.floor(limit * tailShare))
  return `${text.slice(0, head)}\n\n[… ${tail - head} characters left out here; read the file for the rest …]\n\n${text.slice(tail)}`
}

/** Never between the two halves of a surrogate pair. */
function safeEnd(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at
}

function safeStart(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at + 1 : at
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}
