import { AppError } from '#shared/util/errors.ts'
import { addUsage, messageText, noUsage, type Usage } from '#shared/chat/messages.ts'
import { cutAtWord } from '#shared/markdown/log-entry.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { cutToTokens, maxPartTokens, type Budget } from '../context/context-budget.ts'
import { renderInParts } from '../context/message-text.ts'
import { digestText, fitDigest, isJsonDigest, linesSchema, messagesBehind, parseDigest } from '../sessions/digest.ts'
import type { DigestLine, LinkedMessage } from '../sessions/digest.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { complete, objectSchema, questionRequest, type ChatModel, type Question } from '#llm'
import type { Prompts } from '../chat/prompts.ts'
import { checkNote, acknowledgement, parseNotesReply } from './replies.ts'
import { compactionState } from './compaction-state.ts'

type ModelAccess = Readonly<{ model: ChatModel; budget: Budget; signal: AbortSignal }>

interface SummaryRequest extends ModelAccess {
  readonly prompt: Prompts['compaction']
  /** Digest of the messages before `messages`. */
  readonly digest: readonly DigestLine[]
  readonly messages: readonly LinkedMessage[]
  /** Messages after the summarised ones, which later requests contain in full. */
  readonly keptMessages: readonly LinkedMessage[]
  /** All messages of the branch. Links are their numbers, from 1. */
  readonly branch: readonly LinkedMessage[]
  readonly focus: string | undefined
  /** Limit in estimated tokens. A longer summary is cut, as every later request contains it. */
  readonly maxTokens: number
  /** Provider tokens for each estimated token. */
  readonly factor: number
}

const maxNotes = 20

const wordsPerToken = 0.7

/** Limit of the missing identifiers that are added to a summary, as a share of `maxTokens`. */
const appendixShare = 0.25

/**
 * Extends the digest by messages, in parts, and adds identifiers that the kept messages use and the digest lacks.
 * @throws AppError `provider_error` if the answer is empty, or an error of the model
 */
export async function summarize(request: SummaryRequest): Promise<{ lines: DigestLine[]; usage: Usage }> {
  const { model, prompt, focus, budget, factor, messages, keptMessages, branch, maxTokens } = request
  const numberOf = numbersOf(branch)
  const linked = new Set([...messages.map(({ id }) => id), ...request.digest.flatMap((line) => line.messages)])
  const summarized = branch.filter(({ id }) => linked.has(id))
  const notes = request.digest.filter(({ kind }) => kind === 'note').slice(-maxNotes)
  let lines = request.digest.filter(({ kind }) => kind !== 'note')
  const limit = `At most ${Math.floor(maxTokens * wordsPerToken)} words.`
  let usage = noUsage
  const fixedTokens = estimateTokens(prompt({ conversation: '', earlier: '', focus: '' })) + maxTokens
  for (const part of numberedParts(messages, maxPartTokens(budget, fixedTokens, factor), numberOf)) {
    const earlier = lines.length === 0 ? undefined : digestText(lines, numberOf)
    const lead = `Summary of the earlier conversation; include its content:\n\n<summary>\n${earlier}\n</summary>`
    const answer = await ask(request, {
      purpose: { kind: 'summary', conversation: part, earlier },
      system: ['You summarise conversations so that they can continue. You answer with the summary only.'],
      content: prompt({
        conversation: part,
        focus: focus ? `Pay special attention to: ${focus}\n${limit}` : limit,
        earlier: earlier === undefined ? '' : lead,
      }),
      maxOutput: budget.reserveTokens,
      answerSchema: objectSchema({ lines: linesSchema }),
    })
    usage = addUsage(usage, answer.usage)
    const fitted = fitDigest(parseDigest(answer.text, branch, summarized), maxTokens, estimateTokens)
    lines = fitted.map((line) => ({ ...line, text: cutToTokens(line.text, maxTokens) }))
    const data = { provider: model.provider, reason: 'empty summary' }
    if (lines.length === 0) throw new AppError('provider_error', `${model.id} returned an empty summary`, data)
  }
  const textsOf = (some: readonly LinkedMessage[]) => numberedParts(some, Infinity, numberOf).join('\n')
  const [keptText, summary] = [textsOf(keptMessages), digestText(lines)]
  const identifiers = [...identifiersIn(`${digestText(request.digest)}\n${textsOf(messages)}`)]
  const missing = identifiers.filter((identifier) => keptText.includes(identifier) && !summary.includes(identifier))
  let remainingTokens = maxTokens * appendixShare
  const added = missing.filter((identifier) => (remainingTokens -= estimateTokens(identifier) + 1) >= 0)
  if (added.length > 0) {
    const text = `Also mentioned: ${added.join(', ')}`
    const appendix = { kind: 'fact', text, messages: messagesBehind(text, messages) } as const
    lines = [...fitDigest(lines, maxTokens - estimateTokens(text), estimateTokens), appendix]
  }
  return { lines: [...lines, ...notes], usage }
}

/** Limit of the lines of an ended chat's summary together; links are not counted. */
export const maxSummaryCharacters = 1200
const maxLineCharacters = 300
const maxOutput = 1000
/** A first line of an answer that is the topic, not a sentence. */
const topicPattern = /^[^\s.!?:…{}[\]]+(?: [^\s.!?:…{}[\]]+){0,5}$/
const maxTopic = 60
const topicInJson = /"topic"\s*:\s*"([^"\\]+)"/

/** @returns `lines`: undefined without a summary, empty if nothing is worth keeping @throws AppError of the model */
export async function summarizeChat(
  transcript: Transcript,
  all: readonly LinkedMessage[],
  prompts: Prompts,
  access: ModelAccess,
): Promise<{ topic?: string | undefined; lines?: DigestLine[] | undefined }> {
  const branch = transcript.messages()
  const numberOf = numbersOf(branch)
  const { digest, liveMessages, untaken } = compactionState(transcript.branch())
  const covered = new Set(digest.flatMap((line) => line.messages))
  const uncovered = new Set([...liveMessages, ...untaken].map(({ id }) => id))
  const messages = all.filter(({ id }) => !covered.has(id) || uncovered.has(id))
  const limit = maxPartTokens(access.budget, maxOutput, 1)
  let parts = numberedParts(messages, limit, numberOf)
  let lines: readonly DigestLine[] = digest
  if (parts.length > 1) {
    const long = { keptMessages: [], focus: undefined, maxTokens: Math.floor(limit / 2), factor: 1 }
    const summary = await summarize({ ...access, ...long, prompt: prompts.compaction, digest, messages, branch })
    lines = summary.lines
    parts = []
  }
  const conversation = [digestText(lines, numberOf), ...parts]
  const { text } = await ask(access, {
    purpose: { kind: 'topic' },
    system: ['You summarise ended conversations for the memory of the user.'],
    content: prompts.sessionSummary({ conversation: conversation.filter(Boolean).join('\n\n') }),
    maxOutput,
    answerSchema: objectSchema({ topic: { type: 'string' }, lines: linesSchema }),
  })
  const written = isJsonDigest(text) ? { topic: topicInJson.exec(text)?.[1], list: text } : topicAndItems(text)
  if (!written) return {}
  const instructions = prompts.sessionSummary({ conversation: '' })
  return { topic: written.topic, lines: goodLines(parseDigest(written.list, branch), messages, instructions) }
}

/** Splits an answer without JSON; `list` is empty if nothing is worth keeping. @returns undefined if it is no summary */
function topicAndItems(text: string): { topic: string | undefined; list: string } | undefined {
  if (text === '' || acknowledgement.test(text)) return undefined
  const [firstRow = '', ...rows] = parseNotesReply(text)?.split('\n') ?? []
  if (firstRow === '') return { topic: undefined, list: '' }
  const items = rows.filter((row) => /^\s*(?:[-*+•]|\d+[.)])\s/.test(row))
  if (items.length === 0) return undefined
  const isTopic = topicPattern.test(firstRow) && firstRow.length <= maxTopic
  return { topic: isTopic ? firstRow : undefined, list: (isTopic ? items : [firstRow, ...items]).join('\n') }
}

/** Returns the lines that are about the chat; undefined if the model has written none of them. */
function goodLines(parsed: readonly DigestLine[], messages: readonly LinkedMessage[], instructions: string) {
  const said = (some: readonly LinkedMessage[]) => some.map(({ message }) => messageText(message)).join('\n')
  const [conversation, userText] = [said(messages), said(messages.filter(({ message }) => message.role === 'user'))]
  const lines = parsed
    .map((line) => ({ ...line, text: cutAtWord(line.text, maxLineCharacters) }))
    .filter(({ text }) => checkNote(text, conversation, instructions, userText) === 'good')
  // A model that counts on and on writes the same line with other numbers.
  const isCounting = new Set(lines.map(({ text }) => text.replace(/\d+/g, ''))).size < lines.length - 1
  if (isCounting || (lines.length === 0 && parsed.length > 0)) return undefined
  return fitDigest(lines, maxSummaryCharacters, (text) => text.length)
}

/** Returns the answer without thinking and code fences. */
async function ask({ model, signal }: ModelAccess, question: Question): Promise<{ text: string; usage: Usage }> {
  const maxTokens = Math.min(model.maxOutput, question.maxOutput)
  const answer = await complete(model, questionRequest({ ...question, maxOutput: maxTokens }), signal)
  const text = messageText(answer).replaceAll(/<think>[\s\S]*?<\/think>|^```.*$/gm, '')
  return { text: text.trim(), usage: answer.usage }
}

/** Returns a function from the id of a message to its number in the branch, from 1; 0 if it is not there. */
function numbersOf(branch: readonly LinkedMessage[]): (id: string) => number {
  const numbers = new Map(branch.map(({ id }, index) => [id, index + 1]))
  return (id) => numbers.get(id) ?? 0
}

function numberedParts(messages: readonly LinkedMessage[], limit: number, numberOf: (id: string) => number): string[] {
  const ids = new Map(messages.map(({ id, message }) => [message, id]))
  const texts = messages.map(({ message }) => message)
  return renderInParts(texts, limit, (message) => numberOf(ids.get(message) ?? '')).map(({ text }) => text)
}

/** Longer than any identifier, such as base64 data. CJK text without spaces does not match. */
const longTokens = /[\w@./:+%=&?#~-]{401,}/g
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

/** Returns URLs, paths, versions, dates, quantities and hashes. */
export function identifiersIn(text: string): Set<string> {
  const searchedText = text.replace(longTokens, ' ')
  const matches = identifierPatterns.flatMap((pattern) => searchedText.match(pattern) ?? [])
  return new Set(matches.map((match) => match.replace(/[.,;:]+$/, '')))
}
