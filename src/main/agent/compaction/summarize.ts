import { AppError } from '#shared/util/errors.ts'
import { addUsage, messageText, noUsage, type Message, type Usage } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { cutToTokens } from '../context/fit-text.ts'
import { renderInParts } from '../context/render-messages.ts'
import type { Budget } from '../context/context-budget.ts'
import { ask, type ChatModel } from '#llm'
import type { Prompts } from '../chat/prompts.ts'
import { withoutLongRuns } from '#shared/util/skip-long-tokens.ts'

export interface SummaryRequest {
  readonly model: ChatModel
  readonly prompt: Prompts['compaction']
  /** The summary that stood for what came before. */
  readonly earlier: string | undefined
  readonly messages: readonly Message[]
  /** What stays word for word. */
  readonly kept: readonly Message[]
  /** What the user wants the summary to be about. */
  readonly focus: string | undefined
  readonly budget: Budget
  /** Most tokens of the summary, in our own estimate: a longer one is cut, for it stands in every request from now on. */
  readonly maxTokens: number
  /** Provider tokens for each of ours. */
  readonly factor: number
  /** A local model is given what only local ones may see. */
  readonly isLocal: boolean
  readonly signal: AbortSignal
}

export interface Summary {
  readonly text: string
  readonly usage: Usage
  /** Made of local notes. */
  readonly isLocal: boolean
}

const system = ['You summarise conversations so that they can go on. You answer with the summary only.']

/** Of a request's room, a part of the conversation leaves so much for the estimate's error. */
const partShare = 0.85
const minPartTokens = 300
/** Identifiers that the model left out are added, within this share of the summary. */
const appendixShare = 0.25

/** @throws AppError when the model fails or says nothing; nothing is lost then, for nothing was cut */
export async function summarize(request: SummaryRequest): Promise<Summary> {
  const { messages, kept, maxTokens } = request
  let text = request.earlier
  let usage = noUsage
  let isLocal = request.isLocal
  for (const part of renderInParts(messages, partTokens(request))) {
    const answer = await askForSummary(request, part, text, [])
    usage = addUsage(usage, answer.usage)
    isLocal ||= answer.isLocal
    text = cutToTokens(answer.text, maxTokens)
  }
  if (text === undefined)
    throw new AppError('provider_error', 'there was nothing to summarise', {
      provider: request.model.provider,
      reason: '',
    })
  const before = `${request.earlier ?? ''}\n${renderInParts(messages, Number.MAX_SAFE_INTEGER).join('\n')}`
  const after = renderInParts(kept, Number.MAX_SAFE_INTEGER).join('\n')
  const lost = fitting(lostIdentifiers(before, after, text), maxTokens)
  if (lost.length === 0) return { text, usage, isLocal }
  const again = await askForSummary(request, text, undefined, lost)
  usage = addUsage(usage, again.usage)
  const whole = cutToTokens(again.text, maxTokens)
  const stillLost = lostIdentifiers(before, after, whole)
  if (stillLost.length === 0) return { text: whole, usage, isLocal }
  const appendix = `\n\nAlso spoken of: ${fitting(stillLost, maxTokens).join(', ')}`
  return { text: cutToTokens(again.text, maxTokens - estimateTokens(appendix)) + appendix, usage, isLocal }
}

/** As many as an appendix takes. */
function fitting(names: readonly string[], maxTokens: number): string[] {
  let left = maxTokens * appendixShare
  return names.filter((name) => (left -= estimateTokens(name) + 1) >= 0)
}

/** Tokens of the conversation in one request, beside the prompt and the summary so far. */
function partTokens({ prompt, budget, maxTokens, factor }: SummaryRequest): number {
  const beside = estimateTokens(prompt({ conversation: '', earlier: '', focus: '' })) + maxTokens
  const room = (budget.contextWindow - budget.reserveTokens) / Math.max(1, factor) - beside
  return Math.max(minPartTokens, Math.floor(room * partShare))
}

/** A word is a little more than a token. */
const wordsPerToken = 0.7

/** @param missing what an earlier try left out; the conversation is that try */
async function askForSummary(
  { model, prompt, focus, budget, maxTokens, signal }: SummaryRequest,
  conversation: string,
  earlier: string | undefined,
  missing: readonly string[],
): Promise<Summary> {
  const note = `This is a summary that lacks identifiers which are needed later. Write it again with these in it, exactly as they are: ${missing.join(', ')}`
  const content = prompt({
    conversation,
    focus: [
      missing.length > 0 ? note : '',
      focus ? `Pay special attention to: ${focus}` : '',
      `At most ${Math.floor(maxTokens * wordsPerToken)} words.`,
    ]
      .filter(Boolean)
      .join('\n'),
    earlier:
      earlier === undefined ? '' : `What was summarised before, to be taken over:\n\n<summary>\n${earlier}\n</summary>`,
  })
  const answer = await ask(
    model,
    {
      purpose: { kind: 'summary', conversation, earlier, missing },
      system,
      messages: [{ role: 'user', content, timestamp: 0 }],
      tools: [],
      maxOutput: Math.min(model.maxOutput, budget.reserveTokens),
    },
    signal,
  )
  const text = messageText(answer).trim()
  if (text === '')
    throw new AppError('provider_error', `${model.id} gave an empty summary`, {
      provider: model.provider,
      reason: 'empty summary',
    })
  return { text, usage: answer.usage, isLocal: answer.local === true }
}

/** Paths, addresses, ids, versions, days, numbers with a unit: what a summary must not lose. */
const identifiers = [
  /https?:\/\/[^\s<>"')\]]+/g,
  /\b[\w.+-]+@[\w-]+\.[\w.]+\b/g,
  /(?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)+/g,
  /\b[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+\b/g,
  /\bv?\d+\.\d+(?:\.\d+)*\b/g,
  /\b\d{4}-\d{2}-\d{2}\b/g,
  /\b\d+(?:[.,]\d+)?\s?(?:ms|s|min|h|kB|MB|GB|TB|%|€|\$|USD|EUR|km|m|kg|requests|tokens|users)(?!\w)/g,
  /\b[0-9a-f]{7,40}\b/g,
]

export function identifiersIn(text: string): Set<string> {
  const found = new Set<string>()
  const names = withoutLongRuns(text)
  for (const pattern of identifiers)
    for (const [match] of names.matchAll(pattern)) found.add(match.replace(/[.,;:]+$/, ''))
  return found
}

/** Those of `before` that are spoken of again in `after` and that `summary` lacks. */
export function lostIdentifiers(before: string, after: string, summary: string): string[] {
  return [...identifiersIn(before)].filter((identifier) => after.includes(identifier) && !summary.includes(identifier))
}
