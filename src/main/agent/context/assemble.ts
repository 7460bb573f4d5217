import type { ContextItem, ContextReport, Layer, ContextWindowEstimate } from '#shared/contract/index.ts'
import { sourceName, sourcesIn, type Source } from '#shared/markdown/provenance.ts'
import type { Message, AssistantMessage } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import type { ChatModel, ModelRequest, ThinkingEffort } from '#llm'
import { localDate, localTime } from '#workspace'
import {
  budgetOf,
  raiseThresholds,
  stepsTurnedOff,
  type ContextSettings,
  cutToTokens,
  escapeTag,
  maxFileTokens,
  fairShare,
  cutMiddle,
  maxFileCharacters,
  maxTotalCharacters,
} from './context-budget.ts'
import { applyPruning, type PruneDecisions } from '../compaction/compaction-state.ts'
import { recalledText, totalTokens, withAdditions, messageTextForModel, messageTokens } from './message-text.ts'

/** A file that every request contains; `text` is null if it does not exist. */
export interface ContextFile {
  /** Relative to the workspace. */
  readonly path: string
  readonly text: string | null
  readonly layer: 'project' | 'logs'
  readonly day?: 'today' | 'yesterday' | 'summary'
}

interface AssemblyInput extends Pick<ModelRequest, 'messages' | 'tools'> {
  readonly purpose: Extract<ModelRequest['purpose'], { kind: 'chat' }>
  readonly model: Pick<ChatModel, 'id' | 'contextWindow' | 'maxOutput'>
  /** Set if the window is an estimate learned from refusals. */
  readonly estimate?: ContextWindowEstimate | undefined
  readonly thinking?: ThinkingEffort | undefined
  readonly systemPrompt: string
  readonly files: readonly ContextFile[]
  readonly summary: string | undefined
  readonly summarySources?: readonly Source[]
  readonly pruned: PruneDecisions
  readonly settings: ContextSettings
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type Assembly = ReturnType<typeof assemble>

/** Builds a request and its report in estimated tokens. Cuts files but not messages, so the request may be too long. */
export function assemble(input: AssemblyInput): { request: ModelRequest; report: ContextReport } {
  const { model, settings } = input
  const modelBudget = budgetOf(model, settings.compaction)
  const prompt = textItem('system', 'system prompt', input.systemPrompt)
  const items: ContextItem[] = [prompt, textItem('system', 'tools', JSON.stringify(input.tools))]
  const sections: string[] = []
  let tagTokens = 0
  for (const { file, sentText } of cutFiles(input.files, maxFileTokens(modelBudget, totalTokens(items)))) {
    const section = fileSection(file, sentText)
    const rawCharacters = file.text?.length ?? 0
    const note = file.text === null ? 'missing' : sentText.length === rawCharacters ? file.day : 'cut'
    const item = textItem(file.layer, file.path, sentText)
    sections.push(section)
    items.push({ ...item, rawCharacters, ...(note && { note }) })
    tagTokens += Math.max(0, estimateTokens(section) - item.tokens)
  }
  // Each file shows its own size; the tags around the files count as part of the prompt.
  items[0] = { ...prompt, tokens: prompt.tokens + tagTokens }
  const budget = raiseThresholds(modelBudget, totalTokens(items))
  const paired = withContinue(pairToolResults(input.messages))
  const conversation = applyPruning(paired, input.pruned, settings.contextPruning).map(withTimestamp)
  const sentConversation = conversation.map(withAdditions)
  const messages = input.summary === undefined ? sentConversation : [summaryMessage(input), ...sentConversation]
  if (input.summary !== undefined) items.push(textItem('summary', 'summary', input.summary))
  const recalled = conversation.map(recalledText).filter((text) => text !== '')
  if (recalled.length > 0) items.push(textItem('recalled', 'recalled', recalled.join('\n\n')))
  const others = conversation.map((message) =>
    message.role === 'user' ? { ...message, recalled: undefined } : message,
  )
  items.push(...conversationItems(others))
  const system = [input.systemPrompt, sections.join('\n\n')].filter((text, index) => index === 0 || text !== '')
  const estimatedTokens = totalTokens(items)
  // Providers refuse a request whose input plus `maxOutput` exceeds the window.
  const freeTokens = Math.floor(budget.contextWindow - estimatedTokens * estimateMargin)
  return {
    request: {
      purpose: endsWithContinue(messages) ? { ...input.purpose, continuesAnswer: true } : input.purpose,
      system,
      messages,
      tools: input.tools,
      maxOutput: Math.max(minOutput, Math.min(model.maxOutput, freeTokens)),
      ...(input.thinking && { thinking: input.thinking }),
    },
    report: {
      model: model.id,
      ...budget,
      off: stepsTurnedOff(settings.compaction),
      learned: input.estimate,
      items,
      estimatedTokens,
      reportedTokens: null,
      sentAt: input.now,
    },
  }
}

function cutFiles(files: readonly ContextFile[], maxTokens: number): { file: ContextFile; sentText: string }[] {
  let remainingCharacters = maxTotalCharacters
  const cut = files.map((file) => {
    const sentText = file.text === null ? '' : cutMiddle(file.text, Math.min(maxFileCharacters, remainingCharacters))
    remainingCharacters = Math.max(0, remainingCharacters - sentText.length)
    return { file, sentText }
  })
  const sizes = cut.map(({ sentText }) => estimateTokens(sentText))
  const tokenLimit = fairShare(sizes, maxTokens)
  return cut.map(({ file, sentText }) => ({ file, sentText: cutToTokens(sentText, tokenLimit) }))
}

const estimateMargin = 1.1
/** Tokens of the shortest answer that a request allows. */
export const minOutput = 256

function summaryMessage({ summary = '', summarySources = [] }: AssemblyInput): Message {
  const escapedSummary = escapeTag(summary, 'summary')
  const content = `The conversation so far was long; this summary stands for its first part.\n\n<summary>\n${escapedSummary}\n</summary>`
  const sources = summarySources.length > 0 ? { sources: [...summarySources] } : {}
  return { role: 'user', content, timestamp: 0, ...sources }
}

export function fileSection({ path, text }: ContextFile, sentText: string): string {
  const name = path.replace(/["<>\n]/g, '_')
  if (text === null) return `<file path="${name}" missing="true"/>`
  const sources = sourcesIn(sentText).map(sourceName).join('; ')
  const sourceAttribute = sources === '' ? '' : ` from="${sources}"`
  return `<file path="${name}"${sourceAttribute}>\n${escapeTag(sentText, 'file').trimEnd()}\n</file>`
}

function conversationItems(messages: readonly Message[]): ContextItem[] {
  const last = messages.findLast(({ role }) => role === 'user')
  const results = messages.filter((message) => message.role === 'toolResult')
  const others = messages.filter((message) => message.role !== 'toolResult' && message !== last)
  return [
    ...(others.length > 0 ? [messagesItem('conversation', 'conversation', others)] : []),
    ...[...Map.groupBy(results, ({ toolName }) => toolName)].map(([name, group]) => messagesItem('tools', name, group)),
    ...(last ? [messagesItem('message', 'message', [last])] : []),
  ]
}

export function messagesItem(layer: Layer, name: string, messages: readonly Message[]): ContextItem {
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message), 0)
  const characters = messages.reduce((sum, message) => sum + messageTextForModel(message).length, 0)
  return { layer, name, tokens, rawCharacters: characters, sentCharacters: characters }
}

export function textItem(layer: Layer, name: string, text: string): ContextItem {
  return { layer, name, tokens: estimateTokens(text), rawCharacters: text.length, sentCharacters: text.length }
}

/**
 * Pairs each tool call with its result, as providers require: an interrupted call gets a substitute result, a result
 * without a call is dropped, and an answer without content is left out.
 */
export function pairToolResults(messages: readonly Message[]): Message[] {
  const paired: Message[] = []
  /** Positions of the substitutes, by call id. Later answers may reuse ids. */
  const open = new Map<string, number>()
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const index = open.get(message.toolCallId)
      if (index !== undefined) paired[index] = message
      continue
    }
    const parts = message.role === 'assistant' ? message.content : []
    if (message.role === 'assistant') open.clear()
    if (message.role === 'assistant' && parts.every((part) => part.type === 'thinking')) continue
    paired.push(message)
    for (const part of parts) {
      if (part.type !== 'toolCall') continue
      open.set(part.id, paired.length)
      paired.push({
        role: 'toolResult',
        toolCallId: part.id,
        toolName: part.name,
        content: [{ type: 'text', text: 'Interrupted: this call was not executed.' }],
        isError: true,
        timestamp: message.timestamp,
      })
    }
  }
  return paired
}

/** Makes call ids unique in the chat: some servers reuse them in each answer. */
export function withUniqueCallIds(answer: AssistantMessage, earlier: readonly Message[]): AssistantMessage {
  const earlierParts = earlier.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const usedIds = new Set(earlierParts.flatMap((part) => (part.type === 'toolCall' ? [part.id] : [])))
  const toUniqueId = (id: string): string => {
    let candidate = id
    for (let number = 2; usedIds.has(candidate); number += 1) candidate = `${id}_${number}`
    usedIds.add(candidate)
    return candidate
  }
  return {
    ...answer,
    content: answer.content.map((part) => (part.type === 'toolCall' ? { ...part, id: toUniqueId(part.id) } : part)),
  }
}

function withContinue(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  return [...messages, { role: 'user', content: continuePrompt, timestamp: last.timestamp }]
}

const continuePrompt = 'Your answer was cut off. Continue exactly where it stopped, without repeating anything.'

/** Returns true if the chat ends with the request that `withContinue` appends. */
export function endsWithContinue(messages: readonly Message[]): boolean {
  const last = messages.at(-1)
  return last?.role === 'user' && typeof last.content === 'string' && last.content.endsWith(continuePrompt)
}

/** Prefixes a user message with the local time at which it was sent. The prefix is the same in every request. */
export function withTimestamp(message: Message): Message {
  if (message.role !== 'user') return message
  const date = new Date(message.timestamp)
  const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getDay()]
  const prefix = `[${day} ${localDate(date)} ${localTime(date)}] `
  if (typeof message.content === 'string') return { ...message, content: prefix + message.content }
  return { ...message, content: [{ type: 'text', text: prefix.trimEnd() }, ...message.content] }
}
