import { AppError } from '#shared/util/errors.ts'
import { addUsage, messageText, noUsage, type Message, type Usage } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { cutToTokens } from '../context/fit-text.ts'
import { renderInParts } from '../context/render-messages.ts'
import { maxPartTokens, type Budget } from '../context/context-budget.ts'
import { complete, type ChatModel } from '#llm'
import type { Prompts } from '../chat/prompts.ts'
import { removeLongTokens } from '#shared/util/skip-long-tokens.ts'

export interface SummaryRequest {
  readonly model: ChatModel
  readonly prompt: Prompts['compaction']
  readonly earlierSummary: string | undefined
  readonly messages: readonly Message[]
  /** Messages after the summarised ones, which later requests contain in full. */
  readonly keptMessages: readonly Message[]
  readonly focus: string | undefined
  readonly budget: Budget
  /** Limit in estimated tokens. A longer summary is cut, as every later request contains it. */
  readonly maxTokens: number
  /** Provider tokens for each estimated token. */
  readonly factor: number
  readonly signal: AbortSignal
}

export interface Summary {
  readonly text: string
  readonly usage: Usage
}

const system = ['You summarise conversations so that they can continue. You answer with the summary only.']

/** Limit of the missing identifiers that are added to a summary, as a share of `maxTokens`. */
const appendixShare = 0.25

/**
 * Summarises messages in parts and restores identifiers that the kept messages still use.
 * @throws AppError `provider_error` if there is nothing to summarise or the answer is empty, or an error of the model
 */
export async function summarize(request: SummaryRequest): Promise<Summary> {
  const { messages, keptMessages, maxTokens } = request
  let text = request.earlierSummary
  let usage = noUsage
  const { prompt, budget, factor } = request
  const fixedTokens = estimateTokens(prompt({ conversation: '', earlier: '', focus: '' })) + maxTokens
  for (const part of renderInParts(messages, maxPartTokens(budget, fixedTokens, factor))) {
    const answer = await askForSummary(request, part, text, [])
    usage = addUsage(usage, answer.usage)
    text = cutToTokens(answer.text, maxTokens)
  }
  if (text === undefined)
    throw new AppError('provider_error', 'there was nothing to summarise', {
      provider: request.model.provider,
      reason: '',
    })
  const sourceText = `${request.earlierSummary ?? ''}\n${renderInParts(messages, Number.MAX_SAFE_INTEGER).join('\n')}`
  const keptText = renderInParts(keptMessages, Number.MAX_SAFE_INTEGER).join('\n')
  const missing = takeWithinLimit(missingIdentifiers(sourceText, keptText, text), maxTokens)
  if (missing.length === 0) return { text, usage }
  const revision = await askForSummary(request, text, undefined, missing)
  usage = addUsage(usage, revision.usage)
  const revisedText = cutToTokens(revision.text, maxTokens)
  const stillMissing = missingIdentifiers(sourceText, keptText, revisedText)
  if (stillMissing.length === 0) return { text: revisedText, usage }
  const appendix = `\n\nAlso mentioned: ${takeWithinLimit(stillMissing, maxTokens).join(', ')}`
  return { text: cutToTokens(revision.text, maxTokens - estimateTokens(appendix)) + appendix, usage }
}

function takeWithinLimit(identifiers: readonly string[], maxTokens: number): string[] {
  let remainingTokens = maxTokens * appendixShare
  return identifiers.filter((identifier) => (remainingTokens -= estimateTokens(identifier) + 1) >= 0)
}

const wordsPerToken = 0.7

/** @param missing identifiers that the previous summary left out; `conversation` is then this summary */
async function askForSummary(
  { model, prompt, focus, budget, maxTokens, signal }: SummaryRequest,
  conversation: string,
  earlierSummary: string | undefined,
  missing: readonly string[],
): Promise<Summary> {
  const instruction = `This is a summary that lacks identifiers which are needed later. Write it again with these in it, exactly as they are: ${missing.join(', ')}`
  const content = prompt({
    conversation,
    focus: [
      missing.length > 0 ? instruction : '',
      focus ? `Pay special attention to: ${focus}` : '',
      `At most ${Math.floor(maxTokens * wordsPerToken)} words.`,
    ]
      .filter(Boolean)
      .join('\n'),
    earlier:
      earlierSummary === undefined
        ? ''
        : `Summary of the earlier conversation; include its content:\n\n<summary>\n${earlierSummary}\n</summary>`,
  })
  const answer = await complete(
    model,
    {
      purpose: { kind: 'summary', conversation, earlier: earlierSummary, missing },
      system,
      messages: [{ role: 'user', content, timestamp: 0 }],
      tools: [],
      maxOutput: Math.min(model.maxOutput, budget.reserveTokens),
    },
    signal,
  )
  const text = messageText(answer).trim()
  if (text === '')
    throw new AppError('provider_error', `${model.id} returned an empty summary`, {
      provider: model.provider,
      reason: 'empty summary',
    })
  return { text, usage: answer.usage }
}

const identifierPatterns = [
  /https?:\/\/[^\s<>"')\]]+/g,
  /\b[\w.+-]+@[\w-]+\.[\w.]+\b/g,
  /(?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)+/g,
  /\b[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+\b/g,
  /\bv?\d+\.\d+(?:\.\d+)*\b/g,
  /\b\d{4}-\d{2}-\d{2}\b/g,
  /\b\d+(?:[.,]\d+)?\s?(?:ms|s|min|h|kB|MB|GB|TB|%|€|\$|USD|EUR|km|m|kg|requests|tokens|users)(?!\w)/g,
  /\b[0-9a-f]{7,40}\b/g,
]

/** Returns URLs, paths, versions, dates, quantities and hashes in a text. */
export function identifiersIn(text: string): Set<string> {
  const identifiers = new Set<string>()
  const searchedText = removeLongTokens(text)
  for (const pattern of identifierPatterns)
    for (const [match] of searchedText.matchAll(pattern)) identifiers.add(match.replace(/[.,;:]+$/, ''))
  return identifiers
}

/** Returns the identifiers in `before` that `after` contains and `summary` lacks. */
export function missingIdentifiers(before: string, after: string, summary: string): string[] {
  return [...identifiersIn(before)].filter((identifier) => after.includes(identifier) && !summary.includes(identifier))
}
