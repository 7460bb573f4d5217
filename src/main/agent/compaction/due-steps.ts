import type { ContextReport, CompactionStep } from '#shared/contract/index.ts'
import type { Message } from '#shared/chat/messages.ts'
import { recentTokensToKeep, type ContextSettings } from '../context/context-budget.ts'
import { isCoolingDown, type CompactionState } from './compaction-state.ts'
import { planPruning, type PrunePlan } from './prune.ts'
import { messageTokens } from '../context/message-text.ts'

export interface CompactionInput {
  readonly state: Pick<
    CompactionState,
    'liveMessages' | 'pruned' | 'isBehind' | 'hasFlushedInCycle' | 'turnsSinceFailure'
  >
  /** The request that would be sent now, in estimated tokens. */
  readonly report: ContextReport
  /** Size of the request in provider tokens. */
  readonly tokens: number
  /** Provider tokens for each estimated token. */
  readonly factor: number
  readonly settings: ContextSettings
  /** False also in a chat without memory. */
  readonly isFlushEnabled: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type DueStep =
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

/**
 * Returns the number of live messages, from the oldest, that a compaction would summarise.
 * @param share of the tokens that a compaction keeps verbatim
 */
export function cutIndexFor({ state, report, settings, factor }: CompactionInput, share = 1): number {
  const messages = state.liveMessages.map(({ message }) => message)
  const { keepRecentTokens } = settings.compaction
  const providerTokens = recentTokensToKeep(report, keepRecentTokens, fixedTokens(report) * factor)
  const keepTokens = Math.floor((providerTokens / Math.max(1, factor)) * share)
  return findCutIndex(messages, messages.map(messageTokens), keepTokens)
}

/** Returns the estimated tokens of prompt, tools and files, which every request contains. */
export function fixedTokens({ items }: Pick<ContextReport, 'items'>): number {
  return items.reduce(
    (sum, { layer, tokens }) => (layer === 'system' || layer === 'project' || layer === 'logs' ? sum + tokens : sum),
    0,
  )
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
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role !== 'toolResult'),
  )
}
