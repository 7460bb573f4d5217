/**
 * Derives the compaction state from a transcript's branch. Only its entries determine the state, so it survives a restart.
 *
 *   entries   m m m m F m m C m m m     F flush: notes are taken from the messages before it
 *                       └──┬──┘         C compaction: its summary replaces the messages before its first kept entry
 *   live messages: from C's first kept entry on
 *
 * Invariant: a message is only summarised after notes were taken from it. If that fails, requests leave out the oldest
 * messages, and the flush reads them later from the transcript.
 */
import type { Source } from '#shared/markdown/provenance.ts'
import type { ContextReport, CompactionStep } from '#shared/contract/index.ts'
import { type Message, messageText, type ToolResultMessage } from '#shared/chat/messages.ts'
import type { AgentSettings } from '#platform'
import { parseDigest, type DigestLine, type LinkedMessage } from '../sessions/digest.ts'
import { compactionFailureEntry } from '../sessions/session-events.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import { recentTokensToKeep, type ContextSettings } from '../context/context-budget.ts'
import { calibrationFactor, messageTokens, totalTokens } from '../context/message-text.ts'
import type { Transcript } from '../sessions/transcript.ts'

/** Number of user messages after a failure before compaction calls a model again. */
const cooldownTurns = 2

/** Returns true if compaction must not call a model because a request failed recently. */
export function isCoolingDown({ turnsSinceFailure }: { readonly turnsSinceFailure: number }): boolean {
  return turnsSinceFailure < cooldownTurns
}

export function compactionState(branch: readonly TranscriptEntry[]) {
  const messages: LinkedMessage[] = []
  const countThrough = (entry: string | undefined) => messages.findIndex(({ id }) => id === entry) + 1
  // Numbers of messages: `missing` is behind the last one whose notes a flush should have taken.
  let [firstLive, taken, missing] = [0, 0, 0]
  let summary: string | undefined
  let digest: DigestLine[] = []
  let summarySources: readonly Source[] = []
  let hasFlushedInCycle = false
  let turnsSinceFailure = Infinity
  let pruned: PruneDecisions = { trimmed: new Set(), cleared: new Set() }
  for (const entry of branch) {
    if (entry.type === 'message') {
      if (entry.message.role === 'user') turnsSinceFailure += 1
      messages.push({ id: entry.id, message: entry.message })
    } else if (entry.type === 'flush') {
      taken = Math.max(taken, countThrough(entry.throughEntryId))
      missing = Math.max(missing, countThrough(entry.missingEntryId))
      digest.push(...entry.lines)
      if (entry.status === 'failed') turnsSinceFailure = 0
      else [hasFlushedInCycle, turnsSinceFailure] = [true, Infinity]
    } else if (entry.type === 'compaction') {
      const kept = countThrough(entry.firstKeptEntryId)
      firstLive = Math.max(firstLive, kept === 0 ? messages.length : kept - 1)
      if (!entry.leftOut) [taken, turnsSinceFailure] = [Math.max(taken, firstLive), Infinity]
      else if (missing > taken) missing = Math.max(missing, firstLive)
      summary = entry.summary
      digest = [...(entry.lines ?? parseDigest(entry.summary, []))]
      summarySources = entry.sources ?? []
      hasFlushedInCycle = false
    } else if (entry.type === 'prune') pruned = addDecisions(pruned, entry)
    else if (entry.type === 'custom' && entry.customType === compactionFailureEntry) turnsSinceFailure = 0
  }
  return {
    summary,
    /** The summary's lines, and the notes that flushes saved since. */
    digest,
    /** Sources of the summarised messages that are less trusted than the user. */
    summarySources,
    liveMessages: messages.slice(firstLive),
    /** Messages from which no notes were taken, oldest first. Requests may no longer contain the first ones. */
    untaken: messages.slice(taken),
    /** Id of the last message before `untaken`; '' if there is none. */
    takenThrough: messages[taken - 1]?.id ?? '',
    /** True if a flush has failed, and notes are still missing from the messages that it should have read. */
    isBehind: missing > taken,
    /** True if a flush has run since the last compaction. Only one runs before each compaction. */
    hasFlushedInCycle,
    /** Number of user messages since the last request for notes or a summary if it failed; otherwise Infinity. */
    turnsSinceFailure,
    pruned,
  }
}

export type CompactionInput = Readonly<ReturnType<typeof compactionInput>>

/**
 * @param report of the request that would be sent now, in estimated tokens
 * @param lastReport of the last answered request
 * @param now milliseconds since the epoch
 * @returns `factor`: provider tokens for each estimated token; `tokens`: size of the request in provider tokens
 */
export function compactionInput(
  transcript: Transcript | undefined,
  report: ContextReport,
  lastReport: ContextReport | undefined,
  settings: ContextSettings,
  now: number,
) {
  const state = compactionState(transcript?.branch() ?? [])
  const factor = calibrationFactor(lastReport)
  const tokens = Math.ceil(report.estimatedTokens * factor)
  const isFlushEnabled = settings.compaction.memoryFlush.enabled && transcript?.isWithoutMemory !== true
  return { state, report, factor, tokens, settings, isFlushEnabled, now }
}

type DueStep =
  | { readonly kind: 'prune'; readonly plan: PrunePlan }
  | { readonly kind: 'flush' }
  /** `cut` is the number of live messages to summarise, from the oldest. */
  | { readonly kind: 'compact'; readonly cut: number }

/** Returns the first step that is due and not in `tried`; undefined if none is. */
export function nextDueStep(input: CompactionInput, tried: ReadonlySet<CompactionStep>): DueStep | undefined {
  const { state, report, tokens, settings, isFlushEnabled, now } = input
  const { contextWindow } = report
  const messages = state.liveMessages.map(({ message }) => message)
  const plan = planPruning(messages, state.pruned, { tokens, contextWindow, now }, settings.contextPruning)
  if (plan && !tried.has('prune')) return { kind: 'prune', plan }
  if (isCoolingDown(state) || !settings.compaction.enabled) return undefined
  const isFlushDue = state.isBehind || (!state.hasFlushedInCycle && tokens > report.flushAt)
  if (isFlushEnabled && isFlushDue && messages.length > 0 && !tried.has('flush')) return { kind: 'flush' }
  if (tokens <= report.compactAt || tried.has('compact')) return undefined
  const cut = cutIndexFor(input)
  return cut > 0 ? { kind: 'compact', cut } : undefined
}

/** Returns the steps due before the next request, in order. Assumes that a flush does not change the request's size. */
export function predictDueSteps(input: CompactionInput): CompactionStep[] {
  const tried = new Set<CompactionStep>()
  let simulated = input
  for (let step = nextDueStep(simulated, tried); step; step = nextDueStep(simulated, tried)) {
    tried.add(step.kind)
    if (step.kind === 'prune') simulated = { ...input, tokens: input.tokens - step.plan.savedTokens * input.factor }
  }
  return [...tried]
}

/** Returns the number of live messages that a compaction would summarise. @param share of the tokens that it keeps */
export function cutIndexFor({ state, report, settings, factor }: CompactionInput, share = 1): number {
  const messages = state.liveMessages.map(({ message }) => message)
  const { keepRecentTokens } = settings.compaction
  const providerTokens = recentTokensToKeep(report, keepRecentTokens, fixedTokens(report) * factor)
  const keepTokens = Math.floor((providerTokens / Math.max(1, factor)) * share)
  return findCutIndex(messages, messages.map(messageTokens), keepTokens)
}

/** Returns the estimated tokens of prompt, tools and files, which every request contains. */
export function fixedTokens({ items }: Pick<ContextReport, 'items'>): number {
  return totalTokens(items.filter(({ layer }) => layer === 'system' || layer === 'project' || layer === 'logs'))
}

/** Returns the index of the first kept message; 0 if there is nothing to cut. Never splits a call from its results. */
export function findCutIndex(messages: readonly Message[], tokens: readonly number[], keepTokens: number): number {
  let keptTokens = 0
  let cut = messages.length
  while (cut > 0 && keptTokens + (tokens[cut - 1] ?? 0) <= keepTokens) {
    cut -= 1
    keptTokens += tokens[cut] ?? 0
  }
  while (cut < messages.length && messages[cut]?.role === 'toolResult') cut += 1
  // Never cut the last message: the next answer refers to it.
  if (cut < messages.length) return cut
  const lastNonResult = messages.findLastIndex(({ role }) => role !== 'toolResult')
  return Math.max(0, lastNonResult)
}

/** Ids of tool calls whose results are cut to head and tail (`trimmed`) or replaced entirely (`cleared`). */
export interface PruneDecisions {
  readonly trimmed: ReadonlySet<string>
  readonly cleared: ReadonlySet<string>
}

type PrunePlan = NonNullable<ReturnType<typeof planPruning>>
type PruneSettings = AgentSettings['contextPruning']

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
 * @returns `savedTokens` are estimated
 */
export function planPruning(
  messages: readonly Message[],
  decisions: PruneDecisions,
  { tokens, contextWindow, now }: Readonly<Record<'tokens' | 'contextWindow' | 'now', number>>,
  settings: PruneSettings,
) {
  const { mode, ttl, keepLastAssistants, hardClear } = settings
  const lastAnswer = messages.findLast(({ role }) => role === 'assistant')
  const idleMs = lastAnswer ? now - lastAnswer.timestamp : Infinity
  if (mode === 'off' || (mode === 'cache-ttl' && idleMs <= ttl)) return undefined
  if (tokens < trimShare * contextWindow) return undefined
  const firstUserIndex = messages.findIndex((message) => message.role === 'user')
  const lengthOf = (result: ToolResultMessage) => messageText(result).length
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

function addDecisions(
  { trimmed, cleared }: PruneDecisions,
  plan: Readonly<Record<keyof PruneDecisions, readonly string[]>>,
): PruneDecisions {
  return { trimmed: trimmed.union(new Set(plan.trimmed)), cleared: cleared.union(new Set(plan.cleared)) }
}

export function applyPruning(messages: readonly Message[], decisions: PruneDecisions, settings: PruneSettings) {
  return messages.map((message) =>
    message.role === 'toolResult' ? pruneResult(message, decisions, settings) : message,
  )
}

function pruneResult(
  result: ToolResultMessage,
  { trimmed, cleared }: PruneDecisions,
  settings: PruneSettings,
): ToolResultMessage {
  const isCleared = cleared.has(result.toolCallId)
  const text = messageText(result)
  if (!isCleared && (!trimmed.has(result.toolCallId) || !isTrimmed(text, settings))) return result
  const pruned = isCleared ? settings.hardClear.placeholder : trimText(text, settings)
  return { ...result, content: [{ type: 'text', text: pruned }] }
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
