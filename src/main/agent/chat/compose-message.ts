import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { recordedSearchSchema } from '#shared/contract/search.ts'
import {
  messageText,
  type Message,
  type RecalledNotes,
  type UserMessage,
  splitAttachments,
  filePart,
} from '#shared/chat/messages.ts'
import { sourcesIn, uniqueSources } from '#shared/markdown/provenance.ts'
import { fold, hasAnyOf, isFirstPerson, isRequest, queryTerms, simplify } from '#search/text'
import { estimateTokens } from '#shared/util/tokens.ts'
import type { Attachment, SendInput } from '#shared/contract/index.ts'
import { privateLinesOf, visibilityOf } from '#shared/markdown/visibility.ts'
import type { ChatModel } from '#llm'
import { recalledText, withoutSpace } from '../context/message-text.ts'
import { searchVisible, type SearchContext, type VisibleLine } from '../tools/built-in-tools.ts'
import { windowProfile } from '../context/context-budget.ts'
import { readChatState } from './model-request.ts'
import { createToolContext, type ChatServices, type TurnTarget } from './turn-context.ts'
import type { Transcript } from '../sessions/transcript.ts'

export async function composeMessage(
  { text, attachments = [] }: Pick<SendInput, 'text' | 'attachments'>,
  target: TurnTarget,
  services: ChatServices,
  signal: AbortSignal,
): Promise<UserMessage> {
  const { transcript, model } = target
  const parts = attachments.map((attachment) => {
    const { name, ...image } = attachment
    return image.type === 'image' ? image : filePart(name, image.text)
  })
  const textParts = text === '' ? [] : [{ type: 'text' as const, text }]
  const content = parts.length === 0 ? text : [...textParts, ...parts]
  const plain: UserMessage = { role: 'user', content, timestamp: services.now().getTime() }
  const { changes, messages, files } = await readChatState(services, transcript, model)
  const message = changes.length === 0 ? plain : { ...plain, changes: [...changes] }
  const isOn = services.config.current.chat.context.recall && !transcript.isWithoutRecall && !transcript.isWithoutMemory
  // The offline model calls the search tool.
  if (!isOn || model.provider === 'offline') return message
  const { recallTokens } = windowProfile(model.contextWindow)
  const context = createToolContext(services, target, signal)
  const recalled = await recallNotes(message, messages, files, recallTokens, context).catch((error: unknown) => {
    services.onFault(error)
    return undefined
  })
  return recalled ? { ...message, recalled } : message
}

/** Limits of the private lines in an error's data, and in its message. */
const maxNamedLines = { data: 200, message: 3 }

/** @throws AppError `message_private` */
export async function assertHasNoPrivateLine(
  privacy: ChatServices['privacy'],
  text: string,
  attachments: readonly Attachment[],
): Promise<void> {
  const files = attachments.flatMap((attachment) => (attachment.type === 'file' ? attachment.text : []))
  const marked = files.flatMap((file) => privateLinesOf(file, visibilityOf(file)).map((line) => line.trim()))
  const equal = await privacy.privateLines([text, ...files].join('\n'), text)
  const lines = [...new Set([...equal, ...marked])]
  if (lines.length === 0) return
  const shown = lines.slice(0, maxNamedLines.message).join('\n')
  const message = `the message has private lines (${lines.length}), and the chat is open (use --private, or --send-anyway):\n${shown}`
  const data = { count: lines.length, lines: lines.slice(0, maxNamedLines.data).join('\n') }
  throw new AppError('message_private', message, data)
}

/** @throws AppError `images_unsupported` */
export function assertSupportsImages(model: ChatModel, attachments: readonly Attachment[]): void {
  if (model.images || !attachments.some(({ type }) => type === 'image')) return
  throw new AppError('images_unsupported', `${model.id} cannot read images`, { model: model.id })
}

export async function recordModelChange(
  transcript: Transcript,
  { id, provider, model }: ChatModel,
  modelOfNewChats: string,
): Promise<void> {
  if ((transcript.modelId ?? modelOfNewChats) !== id)
    await transcript.append({ type: 'model_change', provider, modelId: model })
}

/** Limit of the recalled notes of a message. */
const maxNotes = 5
/** Number of search results to choose from: the request may contain some already. */
const maxLookedAt = 12
/** Time limit of the search. After it, the message is sent without notes. */
const timeoutMs = 1000
/** Time that a remote embedding model has for the query. Then only words are searched. */
const vectorWaitMs = 300

/**
 * Searches memory with the message and returns the best notes to send with it, or undefined if there are none or the
 * search fails.
 * @param earlier messages of the chat before it that the request will contain
 * @param held texts of the request besides messages: files that it contains
 * @param maxTokens limit of the notes' text, estimated
 */
export async function recallNotes(
  message: UserMessage,
  earlier: readonly Message[],
  held: readonly string[],
  maxTokens: number,
  context: SearchContext,
): Promise<RecalledNotes | undefined> {
  const options = { isRecall: true, hasChats: false, maxResults: maxLookedAt, vectorWaitMs }
  const texts = [...held, ...earlier.map(messageText), ...earlier.map(recalledText)].map(withoutSpace)
  const isNew = ({ result: { snippet } }: VisibleLine) => {
    const note = withoutSpace(snippet)
    return !texts.some((text) => text.includes(note))
  }
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)])
  const searchNew = async () => {
    for (const { text, about } of recallQueries(message, earlier)) {
      const { response, lines } = await searchVisible(text, options, { ...context, signal })
      const isAbout = ({ result: { snippet } }: VisibleLine) =>
        about === undefined || about.some((word) => fold(snippet).includes(word))
      const unknown = lines.filter(isNew).filter(isAbout)
      if (unknown.length > 0) return { response, unknown }
    }
    return undefined
  }
  const found = await Promise.race([orUndefined(searchNew(), signal), sleep(timeoutMs, undefined, { ref: false })])
  if (!found) return undefined
  const { unknown } = found
  let tokens = 0
  const places = new Set(unknown.map(({ result: { path, startLine } }) => `${path}:${startLine}`))
  const given = unknown
    // A replaced note without its successor would mislead.
    .filter(({ result: { superseded } }) => !superseded || places.has(superseded.by ?? ''))
    .slice(0, maxNotes)
    .filter(({ line }) => (tokens += estimateTokens(line) + 1) <= maxTokens)
  if (given.length === 0) return undefined
  const recorded = recordedSearchSchema.parse({ ...found.response, results: given.map(({ result }) => result) })
  const text = given.map(({ line }) => line).join('\n')
  const sources = uniqueSources([...given.flatMap((note) => [...note.sources]), ...sourcesIn(text)])
  return { text, search: recorded, sources }
}

const maxCharacters = 1000
const maxFollowUpWords = 2
/** Limits of the words that a follow-up takes from the last exchange, and of the beginning of its answer. */
const maxEarlierWords = 8
const maxAnswerCharacters = 200

/** A source in an answer, such as `[memory/2026-01-20.md:45]`. */
const citation = /\[[^\]\n]+:\d+(?:[-–]\d+)?\]/g

const refersBack = hasAnyOf(
  `it its they them their he him his she her hers that this those these there ones? ^\\s*(?:and|but|so|also|then)\\b
  (?:what|how)_about [它他她其] [那这](?!里有) ^还有 ^然后 [それあ]の それ あれ 그(?:것|건|게|녀)?\\s`,
)

/**
 * Returns the queries for a message, in the order to try. For a short follow-up, the first one has the words of the last
 * exchange too. The notes of that exchange may outdo all others there, so the message alone is tried next.
 * @returns `about`: only notes with one of these words count
 */
export function recallQueries(
  message: UserMessage,
  earlier: readonly Message[],
): { text: string; about?: readonly string[] }[] {
  const text = withoutSyntax(splitAttachments(message).text.slice(0, maxCharacters).toWellFormed())
  if (text === '') return []
  if (!isFollowUp(text)) return [{ text }]
  const questionAt = earlier.findLastIndex(({ role }) => role === 'user')
  const question = earlier[questionAt]
  const answer = earlier.slice(questionAt + 1).find((one) => one.role === 'assistant' && messageText(one) !== '')
  const questionText = question?.role === 'user' ? splitAttachments(question).text.slice(0, maxCharacters) : ''
  const answerText = answer ? messageText(answer).replaceAll(citation, ' ').slice(0, maxAnswerCharacters) : ''
  const words = [questionText, answerText].flatMap((one) =>
    subjectWords(withoutSyntax(one.toWellFormed())).slice(0, maxEarlierWords),
  )
  if (words.length === 0) return [{ text }]
  return [{ text: [text, ...new Set(words)].join(' ') }, { text, about: words }]
}

function isFollowUp(text: string): boolean {
  const count = subjectWords(text).length
  if (count > maxFollowUpWords || !isRequest(text)) return false
  const plain = simplify(text)
  return refersBack(plain) || (count <= 1 && !isFirstPerson(plain))
}

function subjectWords(text: string): string[] {
  return queryTerms(text).flatMap(({ role, shown }) => (role === 'function' || role === 'filler' ? [] : shown))
}

/** Makes quotes, filters (`path:x`, `[status:open]`) and exclusions (`-word`) plain words. */
function withoutSyntax(text: string): string {
  return text
    .replaceAll(/["“”「」『』[\]]/g, ' ')
    .replaceAll(/(?<![^\s(（])-+(?=\S)/g, '')
    .replaceAll(/(?<=\p{L}[\p{L}\p{N}_-]*)[:：](?=\S)/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
