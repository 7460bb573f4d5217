import { estimateTokens } from '#shared/util/tokens.ts'

/** Share of the compaction threshold that prompt, tools and files may use together. */
const maxFixedShare = 0.5
/** Share of the compaction threshold that files may always use. */
const minFileShare = 0.1

/** Returns the token limit of all files together. @param systemTokens tokens of prompt and tools */
export function maxFileTokens(compactAt: number, systemTokens: number): number {
  return Math.floor(Math.max(compactAt * minFileShare, compactAt * maxFixedShare - systemTokens))
}

/** Returns the size limit for each file that keeps all within `total`; Infinity if none needs cutting. */
export function fairShare(sizes: readonly number[], total: number): number {
  let left = total
  let [...ascending] = sizes.toSorted((one, other) => one - other)
  for (let size = ascending[0]; size !== undefined; size = ascending[0]) {
    const share = Math.floor(left / ascending.length)
    if (size > share) return share
    left -= size
    ascending = ascending.slice(1)
  }
  return Infinity
}

/** Cuts `text` to at most `limit` estimated tokens: head, marker, tail; '' if even the marker does not fit. */
export function cutToTokens(text: string, limit: number): string {
  let tokens = estimateTokens(text)
  if (tokens <= limit) return text
  let characters = text.length
  // Scripts differ in tokens per character, so approach the limit step by step.
  for (let round = 0; round < 20 && characters > 0; round += 1) {
    characters = Math.floor(characters * Math.min(0.95, limit / tokens))
    const cut = cutMiddle(text, characters)
    tokens = estimateTokens(cut)
    if (tokens <= limit) return cut
  }
  return ''
}

export const maxFileCharacters = 20_000
export const maxTotalCharacters = 60_000

/** Limit for all session summaries of the last two days together. */
export const maxExcerptCharacters = 8000

/** Returns true if the line below the heading names a transcript, as in a session summary. */
export function isSessionExcerpt(text: string): boolean {
  return /^# [^\n]*\n\n[^\n]*\bsessions\/[\w.-]+\.jsonl/.test(text)
}

const headShare = 0.7
const tailShare = 0.2

/** Cuts `text` to about `limit` UTF-16 units: head, a marker with the number left out, tail. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = safeEnd(text, Math.floor(limit * headShare))
  const tail = safeStart(text, text.length - Math.floor(limit * tailShare))
  return `${text.slice(0, head)}\n\n[… ${tail - head} characters left out here; read the file for the rest …]\n\n${text.slice(tail)}`
}

/** Avoids a cut between the two halves of a surrogate pair. */
function safeEnd(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at
}

function safeStart(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at + 1 : at
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}
