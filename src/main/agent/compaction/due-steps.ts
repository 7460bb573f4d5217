import type { ContextReport, CompactionStep } from '#shared/contract/index.ts'
import type { Message } from '#shared/chat/messages.ts'
import { keepRecentTokens } from '../context/context-budget.ts'
import { isCoolingDown, type CompactionState } from './compaction-state.ts'
import { applyPruning, planPruning, type PrunePlan } from './prune.ts'
import { calibrationRatio, messageTokens } from '../context/message-tokens.ts'

export interface CompactionInput {
  readonly state: Pick<CompactionState, 'live' | 'pruned' | 'hasFlushedInCycle' | 'turnsSinceFailure'>
  /** The request that would be sent now, in estimated tokens. */
  readonly report: ContextReport
  /** The last request for which the provider reported its token count. */
  readonly last: ContextReport | undefined
  readonly flushes: boolean
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
  const { state, report, flushes } = input
  const tokens = requestTokens(input)
  const plan = tried.has('prune') ? undefined : pruningOf(input, tokens)
  if (plan) return { kind: 'prune', plan }
  if (isCoolingDown(state)) return undefined
  const mayFlush = flushes && !state.hasFlushedInCycle && !tried.has('flush')
  if (mayFlush && tokens > report.flushAt && state.live.length > 0) return { kind: 'flush' }
  if (tokens <= report.compactAt || tried.has('compact')) return undefined
  const cut = cutIndexOf(input)
  return cut > 0 ? { kind: 'compact', cut } : undefined
}

/** Returns the steps due before the next request, in order. Assumes that a flush changes no size. */
export function predictDueSteps(input: CompactionInput): CompactionStep[] {
  const tried = new Set<CompactionStep>()
  let simulated = input
  for (let step = nextDueStep(simulated, tried); step; step = nextDueStep(simulated, tried)) {
    tried.add(step.kind)
    if (step.kind === 'prune') simulated = afterPruning(simulated, step.plan)
  }
  return [...tried]
}

/** Returns the size of the request in provider tokens, calibrated by the last report. */
export function requestTokens({ report, last }: Pick<CompactionInput, 'report' | 'last'>): number {
  return Math.ceil(report.estimatedTokens * calibrationFactor(last))
}

/** Returns the number of live messages that a compaction would summarize. @param keep tokens to keep; default: the budget's */
export function cutIndexOf(
  input: Omit<CompactionInput, 'now' | 'flushes'>,
  keep: number = keepTokensOf(input),
): number {
  const messages = input.state.live.map(({ message }) => message)
  return findCutPoint(messages, messages.map(messageTokens), keep)
}

/** Returns the estimated tokens of conversation that a compaction leaves verbatim. */
export function keepTokensOf({ report, last }: Pick<CompactionInput, 'report' | 'last'>): number {
  const factor = calibrationFactor(last)
  const kept = keepRecentTokens(report, fixedTokens(report) * factor)
  return Math.floor(kept / Math.max(1, factor))
}

/** Returns the estimated tokens of prompt, tools and files, which every request contains. */
export function fixedTokens({ items }: Pick<ContextReport, 'items'>): number {
  return items.reduce(
    (sum, { layer, tokens }) => (layer === 'system' || layer === 'project' || layer === 'logs' ? sum + tokens : sum),
    0,
  )
}

/** Returns provider tokens for each estimated token; 1 without a last report. */
export function calibrationFactor(last: ContextReport | undefined): number {
  return last ? calibrationRatio(last.estimatedTokens, last.reportedTokens) : 1
}

function pruningOf({ state, report, now }: CompactionInput, tokens: number): PrunePlan | undefined {
  const lastAnswer = state.live.findLast(({ message }) => message.role === 'assistant')
  return planPruning({
    messages: messagesOf(state),
    decisions: state.pruned,
    tokens,
    contextWindow: report.contextWindow,
    idleMs: lastAnswer ? now - lastAnswer.message.timestamp : Infinity,
  })
}

function afterPruning(input: CompactionInput, plan: PrunePlan): CompactionInput {
  const { state, report } = input
  const pruned = {
    trimmed: new Set([...state.pruned.trimmed, ...plan.trimmed]),
    cleared: new Set([...state.pruned.cleared, ...plan.cleared]),
  }
  const size = (decided: typeof pruned | typeof state.pruned) =>
    applyPruning(messagesOf(state), decided).reduce((sum, message) => sum + messageTokens(message), 0)
  const estimatedTokens = report.estimatedTokens - size(state.pruned) + size(pruned)
  return { ...input, state: { ...state, pruned }, report: { ...report, estimatedTokens } }
}

function messagesOf({ live }: Pick<CompactionState, 'live'>): Message[] {
  return live.map(({ message }) => message)
}

/** Returns the index of the first kept message; 0 if there is nothing to cut. Never splits a call from its results. */
export function findCutPoint(messages: readonly Message[], tokens: readonly number[], keepTokens: number): number {
  let kept = 0
  let cut = messages.length
  while (cut > 0 && kept + (tokens[cut - 1] ?? 0) <= keepTokens) {
    cut -= 1
    kept += tokens[cut] ?? 0
  }
  while (cut < messages.length && messages[cut]?.role === 'toolResult') cut += 1
  // Never cut the last message: the next answer refers to it.
  return cut < messages.length ? cut : lastStart(messages)
}

function lastStart(messages: readonly Message[]): number {
  const start = messages.findLastIndex((message) => message.role !== 'toolResult')
  return Math.max(0, start)
}
