import type { LoweredSetting } from '#shared/contract/index.ts'
import type { AgentSettings } from '#platform'
import { frontMatterEnd } from '#shared/markdown/blocks/front-matter.ts'
import { estimateTokens } from '#shared/util/tokens.ts'

type CompactionSettings = AgentSettings['compaction']
export type ContextSettings = Pick<AgentSettings, 'compaction' | 'contextPruning'>

export type Budget = Readonly<ReturnType<typeof budgetOf>>

/**
 * @returns `flushAt`, `compactAt`: above this many tokens, notes are taken, and older turns are summarised; `lowered`:
 * settings that ask for more tokens than the window allows
 */
export function budgetOf(
  { contextWindow, maxOutput }: Readonly<Record<'contextWindow' | 'maxOutput', number>>,
  settings: CompactionSettings,
) {
  const { reserveTokensFloor, keepRecentTokens, memoryFlush } = settings
  const { reserveShare, maxFlushMargin } = windowProfile(contextWindow)
  const maxReserve = Math.floor(contextWindow * reserveShare)
  const reserveTokens = Math.min(Math.max(reserveTokensFloor, maxOutput), maxReserve)
  const compactAt = contextWindow - reserveTokens
  const flushAt = Math.max(0, compactAt - Math.min(memoryFlush.softThresholdTokens, maxFlushMargin))
  const limits: LoweredSetting[] = [
    { setting: 'reserveTokensFloor', from: reserveTokensFloor, to: maxReserve },
    { setting: 'keepRecentTokens', from: keepRecentTokens, to: maxKeptTokens(contextWindow) },
    { setting: 'softThresholdTokens', from: memoryFlush.softThresholdTokens, to: maxFlushMargin },
  ]
  const lowered = limits.filter(({ from, to }) => from > to)
  return { contextWindow, reserveTokens, flushAt, compactAt, lowered }
}

export function stepsTurnedOff({ enabled, memoryFlush }: CompactionSettings): ('flush' | 'compact')[] {
  if (!enabled) return ['flush', 'compact']
  return memoryFlush.enabled ? [] : ['flush']
}

/** Minimum share of the window for the chat, if prompt, tools and files leave that much. */
const minConversationShare = 0.2
const maxThresholdShare = 0.97

/**
 * Raises both thresholds if prompt, tools and files (`fixedTokens`) come close to them. Otherwise each message would
 * trigger a flush and a compaction without effect. Common windows are not affected.
 */
export function raiseThresholds(budget: Budget, fixedTokens: number): Budget {
  const { contextWindow } = budget
  const minCompactAt = Math.min(fixedTokens + contextWindow * minConversationShare, contextWindow * maxThresholdShare)
  const compactAt = Math.floor(Math.max(budget.compactAt, minCompactAt))
  const midpoint = Math.floor(compactAt - Math.max(0, compactAt - fixedTokens) / 2)
  return { ...budget, compactAt, flushAt: Math.max(budget.flushAt, midpoint) }
}

/** Share of the reserve that a request may use before the oldest messages are dropped. */
const usableReserveShare = 1 / 3

export function hardTokenLimit({ contextWindow, compactAt }: Pick<Budget, 'contextWindow' | 'compactAt'>): number {
  return Math.floor(compactAt + (contextWindow - compactAt) * usableReserveShare)
}

const maxSummaryShare = 0.1
const minSummaryTokens = 200

export function maxSummaryTokens(compactAt: number): number {
  return Math.max(minSummaryTokens, Math.floor(compactAt * maxSummaryShare))
}

/** Share of the available tokens that a part may use; the rest absorbs estimation errors and tool results. */
const partShare = 0.85
const minPartTokens = 300

/** In estimated tokens. @param fixedTokens of the rest of the request @param factor provider tokens for each one */
export function maxPartTokens({ contextWindow, reserveTokens }: Budget, fixedTokens: number, factor: number): number {
  const availableTokens = (contextWindow - reserveTokens) / Math.max(1, factor) - fixedTokens
  return Math.max(minPartTokens, Math.floor(availableTokens * partShare))
}

function maxKeptTokens(contextWindow: number): number {
  return Math.floor(contextWindow * windowProfile(contextWindow).keptShare)
}

/** Limits of the space for the next messages, as shares of the window and of the free tokens. */
const maxNextWindowShare = 0.2
const maxNextFreeShare = 0.5

/**
 * Returns how many of the newest tokens a compaction keeps verbatim, at least 0.
 * @param keepRecentTokens the setting
 * @param fixedTokens tokens of prompt, tools and files
 */
export function recentTokensToKeep(
  { contextWindow, compactAt }: Pick<Budget, 'contextWindow' | 'compactAt'>,
  keepRecentTokens: number,
  fixedTokens: number,
): number {
  const freeTokens = Math.max(0, compactAt - fixedTokens - maxSummaryTokens(compactAt))
  const nextMessageTokens = Math.min(contextWindow * maxNextWindowShare, freeTokens * maxNextFreeShare)
  return Math.min(keepRecentTokens, maxKeptTokens(contextWindow), Math.floor(freeTokens - nextMessageTokens))
}

/** Limits of a request, by the context window of the model: one row for each range of windows. */
const large = {
  fromTokens: 32_000,
  /** True if requests name the project files that do not exist. */
  namesMissing: true,
  /** Short prompt, and only the tools `memory_search` and `remember`. */
  isSmall: false,
  /** Maximum share of the window that is reserved for the answer. */
  reserveShare: 0.25,
  /** Most tokens between the flush and the compaction threshold. With 0, notes are saved just before each compaction. */
  maxFlushMargin: Infinity,
  /** Share of the compaction threshold that prompt, tools and files may use together. */
  fixedShare: 0.5,
  /** Share of the window that a compaction keeps verbatim at most. */
  keptShare: 0.4,
  recallTokens: 400,
}
const medium = { ...large, fromTokens: 8000, namesMissing: false, maxFlushMargin: 1000, keptShare: 0.3 }
const small = {
  ...medium,
  fromTokens: 4000,
  isSmall: true,
  reserveShare: 0.15,
  maxFlushMargin: 0,
  fixedShare: 0.35,
  keptShare: 0.12,
  recallTokens: 250,
}
const smallest = { ...small, fromTokens: 0, fixedShare: 0.4, recallTokens: 120 }

export function windowProfile(contextWindow: number): typeof large {
  return [large, medium, small].find(({ fromTokens }) => contextWindow >= fromTokens) ?? smallest
}

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
