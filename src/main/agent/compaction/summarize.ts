import { AppError } from '#shared/util/errors.ts'
import { addUsage, messageText, noUsage, type Usage } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { cutToTokens } from '../context/fit-text.ts'
import { renderInParts } from '../context/render-messages.ts'
import { digestText, fitDigest, messagesBehind, parseDigest } from '../sessions/digest.ts'
import type { DigestLine, LinkedMessage } from '../sessions/digest.ts'
import { maxPartTokens, type Budget } from '../context/context-budget.ts'
import { complete, type ChatModel } from '#llm'
import type { Prompts } from '../chat/prompts.ts'

export interface SummaryRequest {
  readonly model: ChatModel
  readonly prompt: Prompts['compaction']
  /** Digest of the messages before `messages`. */
  readonly digest: readonly DigestLine[]
  readonly messages: readonly LinkedMessage[]
  /** Messages after the summarised ones, which later requests contain in full. */
  readonly keptMessages: readonly LinkedMessage[]
  /** All messages of the branch. Links are their numbers, from 1. */
  readonly branch: readonly LinkedMessage[]
  readonly focus: string | undefined
  readonly budget: Budget
  /** Limit in estimated tokens. A longer summary is cut, as every later request contains it. */
  readonly maxTokens: number
  /** Provider tokens for each estimated token. */
  readonly factor: number
  readonly signal: AbortSignal
}

const system = ['You summarise conversations so that they can continue. You answer with the summary only.']

/** Number of the newest saved notes that the digest names. */
const maxNotes = 20

const wordsPerToken = 0.7

/** Limit of the missing identifiers that are added to a summary, as a share of `maxTokens`. */
const appendixShare = 0.25

/**
 * Extends the digest by messages, in parts, and adds identifiers that the kept messages use and the digest lacks.
 * @throws AppError `provider_error` if the answer is empty, or an error of the model
 */
export async function summarize(request: SummaryRequest): Promise<{ lines: DigestLine[]; usage: Usage }> {
  const { model, prompt, focus, budget, factor, messages, keptMessages, branch, maxTokens, signal } = request
  const numbers = new Map(branch.map(({ id }, index) => [id, index + 1]))
  const numberOf = (id: string) => numbers.get(id) ?? 0
  const ids = new Map(messages.map(({ id, message }) => [message, id]))
  const linked = new Set([...messages.map(({ id }) => id), ...request.digest.flatMap((line) => line.messages)])
  const summarized = branch.filter(({ id }) => linked.has(id))
  const messagesOf = (some: readonly LinkedMessage[]) => some.map(({ message }) => message)
  const textsOf = (some: readonly LinkedMessage[]) => renderInParts(messagesOf(some), Infinity).join('\n')
  const notes = request.digest.filter(({ kind }) => kind === 'note').slice(-maxNotes)
  let lines = request.digest.filter(({ kind }) => kind !== 'note')
  const limit = `At most ${Math.floor(maxTokens * wordsPerToken)} words.`
  let usage = noUsage
  const fixedTokens = estimateTokens(prompt({ conversation: '', earlier: '', focus: '' })) + maxTokens
  const parts = renderInParts(messagesOf(messages), maxPartTokens(budget, fixedTokens, factor), (message) =>
    numberOf(ids.get(message) ?? ''),
  )
  for (const part of parts) {
    const earlier = lines.length === 0 ? undefined : digestText(lines, numberOf)
    const content = prompt({
      conversation: part,
      focus: focus ? `Pay special attention to: ${focus}\n${limit}` : limit,
      earlier:
        earlier === undefined
          ? ''
          : `Summary of the earlier conversation; include its content:\n\n<summary>\n${earlier}\n</summary>`,
    })
    const answer = await complete(
      model,
      {
        purpose: { kind: 'summary', conversation: part, earlier },
        system,
        messages: [{ role: 'user', content, timestamp: 0 }],
        tools: [],
        maxOutput: Math.min(model.maxOutput, budget.reserveTokens),
      },
      signal,
    )
    usage = addUsage(usage, answer.usage)
    const parsed = parseDigest(messageText(answer), branch, summarized)
    const fitted = fitDigest(parsed, maxTokens, estimateTokens)
    lines = fitted.map((line) => ({ ...line, text: cutToTokens(line.text, maxTokens) }))
    const data = { provider: model.provider, reason: 'empty summary' }
    if (lines.length === 0) throw new AppError('provider_error', `${model.id} returned an empty summary`, data)
  }
  const sourceText = `${digestText(request.digest)}\n${textsOf(messages)}`
  const missing = missingIdentifiers(sourceText, textsOf(keptMessages), digestText(lines))
  let remainingTokens = maxTokens * appendixShare
  const added = missing.filter((identifier) => (remainingTokens -= estimateTokens(identifier) + 1) >= 0)
  if (added.length > 0) {
    const text = `Also mentioned: ${added.join(', ')}`
    const appendix = { kind: 'fact', text, messages: messagesBehind(text, messages) } as const
    lines = [...fitDigest(lines, maxTokens - estimateTokens(text), estimateTokens), appendix]
  }
  return { lines: [...lines, ...notes], usage }
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
  const searchedText = removeLongTokens(text)
  const matches = identifierPatterns.flatMap((pattern) => searchedText.match(pattern) ?? [])
  return new Set(matches.map((match) => match.replace(/[.,;:]+$/, '')))
}

/** Returns the identifiers in `before` that `after` contains and `summary` lacks. */
export function missingIdentifiers(before: string, after: string, summary: string): string[] {
  return [...identifiersIn(before)].filter((identifier) => after.includes(identifier) && !summary.includes(identifier))
}

/** Longer than any path, URL or identifier. CJK text without spaces does not match. */
const longTokens = /[\w@./:+%=&?#~-]{401,}/g

/** Replaces tokens of more than 400 characters, such as base64 data, with a space. */
function removeLongTokens(text: string): string {
  return text.replace(longTokens, ' ')
}
