/**
 * Files in a small window: what is read into every request may take half of what a request may have, so that a
 * conversation always has room (M3, M31). Small files stay whole; the large ones are cut to the same size. Pure.
 */
import { estimateTokens } from '#shared/util/tokens.ts'
import { cutMiddle } from './cut-text.ts'

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
