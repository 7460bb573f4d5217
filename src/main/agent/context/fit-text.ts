import { frontMatterEnd } from '#shared/markdown/blocks/front-matter.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { type Budget, windowProfile } from './context-budget.ts'

/** Share of the compaction threshold that files may always use. */
const minFileShare = 0.1

/** Returns the token limit of all files together. @param systemTokens tokens of prompt and tools */
export function maxFileTokens(
  { contextWindow, compactAt }: Pick<Budget, 'contextWindow' | 'compactAt'>,
  systemTokens: number,
): number {
  const { fixedShare } = windowProfile(contextWindow)
  return Math.floor(Math.max(compactAt * minFileShare, compactAt * fixedShare - systemTokens))
}

/** Returns the largest size limit per file that keeps their sum within `total`; Infinity if no file needs cutting. */
export function fairShare(sizes: readonly number[], total: number): number {
  let remaining = total
  const ascending = sizes.toSorted((one, other) => one - other)
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(remaining / (ascending.length - index))
    if (size > share) return share
    remaining -= size
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

const headShare = 0.7
const tailShare = 0.2

/** Cuts `text` to about `limit` UTF-16 units: head, a marker with the number of characters left out, tail. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  // Moves a cut out of a surrogate pair, so that the text gets shorter.
  const splitsPair = (index: number) => /[\ud800-\udbff]/.test(text[index - 1] ?? '')
  const head = Math.floor(limit * headShare)
  const tail = text.length - Math.floor(limit * tailShare)
  const headEnd = splitsPair(head) ? head - 1 : head
  const tailStart = splitsPair(tail) ? tail + 1 : tail
  return `${text.slice(0, headEnd)}\n\n[… ${tailStart - headEnd} characters left out here; read the file for the rest …]\n\n${text.slice(tailStart)}`
}

/** Returns the text of a session's summary without its links; undefined for other notes. */
export function sessionSummaryText(text: string): string | undefined {
  const body = text.slice(frontMatterEnd(text)).trimStart()
  if (!/^# [^\n]*\n\n[^\n]*\[sessions\/[\w.-]+\.jsonl\]/.test(body)) return undefined
  return body.replaceAll(/ ?\[sessions\/[\w.-]+\.jsonl(?::\d+)?\]/g, '')
}

/** Escapes tags, so that the text can neither close its element nor open another one. */
export function escapeTag(text: string, tag: 'file' | 'summary' | 'changes' | 'memory'): string {
  return text.replace(new RegExp(`<(\\s*/?\\s*${tag}\\b)`, 'gi'), '<\\$1')
}
