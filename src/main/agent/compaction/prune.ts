import { messageText, type Message, type ToolResultMessage } from '#shared/chat/messages.ts'
import { messageTokens } from '../context/message-tokens.ts'

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

/** Number of newest answers whose tool results are never pruned. */
const unprunedAnswers = 3
export const softTrim = { maxChars: 4000, headChars: 1500, tailChars: 1500 }
const clearedText = '[Old tool result content cleared]'
/** Shares of the context window at which results are trimmed and cleared. */
const trimShare = 0.3
const clearShare = 0.5
/** Results are cleared only if they have at least this many characters together. */
const minClearCharacters = 50_000
/**
 * Lifetime of a provider's prompt cache, ms. Pruning before it expires would invalidate the cached prefix. Anthropic's
 * cache: 5 minutes from its last use (platform.claude.com/docs/en/build-with-claude/prompt-caching); OpenAI's: 5 to 10.
 */
export const cacheMs = 300_000

/**
 * Returns the results to prune in addition to earlier decisions; undefined if there are none.
 * @param tokens size of the request in provider tokens
 * @param now milliseconds since the epoch
 */
export function planPruning(
  messages: readonly Message[],
  decisions: PruneDecisions,
  { tokens, contextWindow, now }: Readonly<Record<'tokens' | 'contextWindow' | 'now', number>>,
): PrunePlan | undefined {
  const lastAnswer = messages.findLast(({ role }) => role === 'assistant')
  const idleMs = lastAnswer ? now - lastAnswer.timestamp : Infinity
  if (idleMs <= cacheMs || tokens < trimShare * contextWindow) return undefined
  const firstUserIndex = messages.findIndex((message) => message.role === 'user')
  const answerIndices = messages.flatMap((message, index) => (message.role === 'assistant' ? [index] : []))
  const end = answerIndices.at(-unprunedAnswers) ?? 0
  const candidates = messages.slice(Math.max(0, firstUserIndex), end).filter((message) => message.role === 'toolResult')
  const sumOf = (sizeOf: (result: ToolResultMessage) => number, applied: PruneDecisions) =>
    candidates.reduce((sum, result) => sum + sizeOf(pruneResult(result, applied)), 0)
  const trimmed = candidates
    .filter((result) => !decisions.trimmed.has(result.toolCallId) && lengthOf(result) > softTrim.maxChars)
    .map(({ toolCallId }) => toolCallId)
  const afterTrim = addDecisions(decisions, { trimmed, cleared: [] })
  const tokensAfterTrim = tokens - sumOf(messageTokens, decisions) + sumOf(messageTokens, afterTrim)
  const shouldClear = tokensAfterTrim >= clearShare * contextWindow && sumOf(lengthOf, afterTrim) >= minClearCharacters
  const uncleared = candidates.map(({ toolCallId }) => toolCallId).filter((id) => !decisions.cleared.has(id))
  const cleared = shouldClear ? uncleared : []
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

export function applyPruning(messages: readonly Message[], decisions: PruneDecisions): Message[] {
  return messages.map((message) => (message.role === 'toolResult' ? pruneResult(message, decisions) : message))
}

function pruneResult(result: ToolResultMessage, { trimmed, cleared }: PruneDecisions): ToolResultMessage {
  if (cleared.has(result.toolCallId)) return withText(result, clearedText)
  if (!trimmed.has(result.toolCallId)) return result
  const text = messageText(result)
  const { headChars, tailChars, maxChars } = softTrim
  if (text.length <= maxChars) return result
  return withText(result, `${text.slice(0, headChars)}\n…\n${text.slice(-tailChars)}`.toWellFormed())
}

function withText(result: ToolResultMessage, text: string): ToolResultMessage {
  return { ...result, content: [{ type: 'text', text }] }
}

function lengthOf(result: ToolResultMessage): number {
  return messageText(result).length
}
