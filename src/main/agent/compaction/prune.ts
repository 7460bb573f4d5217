import { messageText, type Message, type ToolResultMessage } from '#shared/chat/messages.ts'
import type { AgentSettings } from '#platform'
import { messageTokens } from '../context/message-text.ts'

/** Ids of tool calls whose results are cut to head and tail (`trimmed`) or replaced entirely (`cleared`). */
export interface PruneDecisions {
  readonly trimmed: ReadonlySet<string>
  readonly cleared: ReadonlySet<string>
}

export interface PrunePlan {
  readonly trimmed: string[]
  readonly cleared: string[]
  readonly charactersBefore: number
  readonly charactersAfter: number
  /** Estimated tokens. */
  readonly savedTokens: number
}

export type PruneSettings = AgentSettings['contextPruning']

const trimMarker = '\n…\n'
/** Shares of the context window at which results are trimmed and cleared. */
const trimShare = 0.3
const clearShare = 0.5
/** Results are cleared only if they have at least this many characters together. */
const minClearCharacters = 50_000

/**
 * Returns the results to prune in addition to earlier decisions; undefined if there are none. With `cache-ttl`, nothing
 * is pruned while the provider's prompt cache may be alive, as that would invalidate the cached prefix. Anthropic's
 * cache: 5 minutes from its last use (platform.claude.com/docs/en/build-with-claude/prompt-caching); OpenAI's: 5 to 10.
 * @param tokens size of the request in provider tokens
 * @param now milliseconds since the epoch
 */
export function planPruning(
  messages: readonly Message[],
  decisions: PruneDecisions,
  { tokens, contextWindow, now }: Readonly<Record<'tokens' | 'contextWindow' | 'now', number>>,
  settings: PruneSettings,
): PrunePlan | undefined {
  const { mode, ttl, keepLastAssistants, hardClear } = settings
  const lastAnswer = messages.findLast(({ role }) => role === 'assistant')
  const idleMs = lastAnswer ? now - lastAnswer.timestamp : Infinity
  if (mode === 'off' || (mode === 'cache-ttl' && idleMs <= ttl)) return undefined
  if (tokens < trimShare * contextWindow) return undefined
  const firstUserIndex = messages.findIndex((message) => message.role === 'user')
  const answerIndices = messages.flatMap((message, index) => (message.role === 'assistant' ? [index] : []))
  const end = keepLastAssistants === 0 ? messages.length : (answerIndices.at(-keepLastAssistants) ?? 0)
  const candidates = messages.slice(Math.max(0, firstUserIndex), end).filter((message) => message.role === 'toolResult')
  const sumOf = (sizeOf: (result: ToolResultMessage) => number, applied: PruneDecisions) =>
    candidates.reduce((sum, result) => sum + sizeOf(pruneResult(result, applied, settings)), 0)
  const trimmed = candidates
    .filter((result) => !decisions.trimmed.has(result.toolCallId) && isTrimmed(messageText(result), settings))
    .map(({ toolCallId }) => toolCallId)
  const afterTrim = addDecisions(decisions, { trimmed, cleared: [] })
  const tokensAfterTrim = tokens - sumOf(messageTokens, decisions) + sumOf(messageTokens, afterTrim)
  const shouldClear = tokensAfterTrim >= clearShare * contextWindow && sumOf(lengthOf, afterTrim) >= minClearCharacters
  const uncleared = candidates.map(({ toolCallId }) => toolCallId).filter((id) => !decisions.cleared.has(id))
  const cleared = shouldClear && hardClear.enabled ? uncleared : []
  if (trimmed.length === 0 && cleared.length === 0) return undefined
  const afterClear = addDecisions(afterTrim, { trimmed: [], cleared })
  return {
    trimmed,
    cleared,
    charactersBefore: sumOf(lengthOf, decisions),
    charactersAfter: sumOf(lengthOf, afterClear),
    savedTokens: sumOf(messageTokens, decisions) - sumOf(messageTokens, afterClear),
  }
}

/** Returns the decisions with those of a plan. */
export function addDecisions(
  { trimmed, cleared }: PruneDecisions,
  plan: Pick<PrunePlan, 'trimmed' | 'cleared'>,
): PruneDecisions {
  return { trimmed: trimmed.union(new Set(plan.trimmed)), cleared: cleared.union(new Set(plan.cleared)) }
}

export function applyPruning(
  messages: readonly Message[],
  decisions: PruneDecisions,
  settings: PruneSettings,
): Message[] {
  return messages.map((message) =>
    message.role === 'toolResult' ? pruneResult(message, decisions, settings) : message,
  )
}

function pruneResult(
  result: ToolResultMessage,
  { trimmed, cleared }: PruneDecisions,
  settings: PruneSettings,
): ToolResultMessage {
  if (cleared.has(result.toolCallId)) return withText(result, settings.hardClear.placeholder)
  const text = messageText(result)
  if (!trimmed.has(result.toolCallId) || !isTrimmed(text, settings)) return result
  return withText(result, trimText(text, settings))
}

/** Returns true if a result is cut once it is old. False if its head and tail would not be shorter. */
export function isTrimmed(text: string, { softTrim }: PruneSettings): boolean {
  const { maxChars, headChars, tailChars } = softTrim
  return text.length > Math.max(maxChars, headChars + tailChars + trimMarker.length)
}

/** Cuts a result to its head and tail. Call it only if `isTrimmed` returns true. */
export function trimText(text: string, { softTrim: { headChars, tailChars } }: PruneSettings): string {
  return `${text.slice(0, headChars)}${trimMarker}${text.slice(text.length - tailChars)}`.toWellFormed()
}

function withText(result: ToolResultMessage, text: string): ToolResultMessage {
  return { ...result, content: [{ type: 'text', text }] }
}

function lengthOf(result: ToolResultMessage): number {
  return messageText(result).length
}
