import { estimateTokens } from '#shared/util/tokens.ts'

/** Of the tokens that a request may have before something is summarised. */
const maxFixedShare = 0.5
/** However much prompt and tools take, files may have this share. */
const minFileShare = 0.1

/** Tokens that all files together may take, beside prompt and tools of `systemTokens`. */
export function fileTokens(compactAt: number, systemTokens: number): number {
  return Math.floor(Math.max(compactAt * minFileShare, compactAt * maxFixedShare - systemTokens))
}

/** The most that a single file may take, so that files of these sizes come to no more than `total`. */
export function shareOut(sizes: readonly number[], total: number): number {
  let left = total
  let [...waiting] = sizes.toSorted((one, other) => one - other)
  for (let size = waiting[0]; size !== undefined; size = waiting[0]) {
    const share = Math.floor(left / waiting.length)
    if (size > share) return share
    left -= size
    waiting = waiting.slice(1)
  }
  return Infinity
}

/** `text` in at most `limit` tokens: its head, a marker, its tail; nothing where not even the marker fits. */
export function cutToTokens(text: string, limit: number): string {
  let tokens = estimateTokens(text)
  if (tokens <= limit) return text
  let characters = text.length
  // Scripts are mixed: the characters that a token stands for differ from place to place.
  for (let round = 0; round < 20 && characters > 0; round += 1) {
    characters = Math.floor(characters * Math.min(0.95, limit / tokens))
    const cut = cutMiddle(text, characters)
    tokens = estimateTokens(cut)
    if (tokens <= limit) return cut
  }
  return ''
}

/** Characters of one project-context file, and of all of them together. */
export const maxFileCharacters = 20_000
export const maxTotalCharacters = 60_000

/** What sessions of the last two days left behind, all of it: search has the rest. */
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
