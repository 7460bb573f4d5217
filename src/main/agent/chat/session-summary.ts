import { AppError } from '#shared/util/errors.ts'
import { isRecord } from '#shared/util/json.ts'
import { quotedMemoryLines } from '#shared/chat/offline-answer.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { complete, redactMessages, type TakeSnapshot, withoutRefused, type ChatModel, type Sentences } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import { localDate, memoryFolderPath, type Workspace } from '#workspace'
import { withSource } from '#shared/markdown/provenance.ts'
import { sourcesOfMessages } from './provenance-tracking.ts'
import type { Prompts } from './prompts.ts'

export interface SessionSummaryOptions {
  readonly workspace: Workspace
  readonly model: ChatModel
  readonly prompt: Prompts['slug']
  /** Returns sentences in the user's language. @param userTexts user messages, latest first */
  readonly sentencesFor: (userTexts: readonly string[]) => Sentences
  readonly messages: readonly Message[]
  readonly count: number
  readonly session: string
  readonly at: Date
  readonly look: TakeSnapshot
}

/** Custom entry with the id of the last message that a summary covers. */
export const summaryEntry = 'commonplace.left'

/** Returns the number of messages, from the oldest, that earlier summaries of the session cover. */
export function summarizedCount(transcript: Transcript): number {
  const marker = transcript.lastCustom(summaryEntry)
  return isRecord(marker) ? transcript.messages().findIndex(({ id }) => id === marker['through']) + 1 : 0
}

const maxCharacters = 2000
const slugTimeoutMs = 15_000
/** Letters of any script: file names follow the conversation's language. */
const slugPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+){0,5}/u
/** Maximum code points of a slug. File names hold 255 bytes, date included. */
const maxSlugLength = 60

/**
 * Writes a note with the newest `count` messages of a session, marked local if they contain local text.
 * @returns its workspace-relative path; undefined if no message is from the user
 */
export async function saveSessionSummary(options: SessionSummaryOptions): Promise<string | undefined> {
  const { workspace, messages, count, at, session } = options
  const summarizedMessages = withoutRefused(messages)
    .filter(
      (message) =>
        message.role !== 'toolResult' && messageText(message).trim() !== '' && !isEmptyOfflineAnswer(message),
    )
    .slice(-count)
  if (!summarizedMessages.some((message) => message.role === 'user')) return undefined
  const firstLines = firstUserLines(summarizedMessages)
  const sentences = options.sentencesFor(firstLines.toReversed())
  const text = summarizedMessages.map((message) => formatMessage(message, sentences)).join('\n\n')
  const sight = await options.look()
  const isLocal = summarizedMessages.some(({ local }) => local) || sight.net.contains(text)
  const redacted = options.model.isLocal ? summarizedMessages : redactMessages(summarizedMessages, sight)
  const conversation = redacted.map((message) => formatMessage(message, sentences)).join('\n\n')
  const slug = (await generateSlug(options, conversation)) ?? timeSlug(at)
  const date = localDate(at)
  const heading = `# ${date}: ${slug.replaceAll('-', ' ')}\n\n${sentences.ending(`sessions/${session}.jsonl`)}`
  for (let number = 1; ; number += 1) {
    const path = `${memoryFolderPath(workspace.layout)}/${date}-${slug}${number === 1 ? '' : `-${number}`}.md`
    if (await workspace.exists(path)) continue
    const sources = sourcesOfMessages(messages, [])
    const content = `${heading}\n\n${text}\n`
    const marked = sources.length === 0 ? content : withSource(content, sources, date)
    await workspace.write(path, isLocal ? withVisibility(marked, true) : marked, { cause: 'agent', session })
    return path
  }
}

/** Returns true for an answer of the offline model without quotes, which must not become memory. */
function isEmptyOfflineAnswer(message: Message): boolean {
  return (
    message.role === 'assistant' && message.provider === 'offline' && quotedMemoryLines(messageText(message)) === ''
  )
}

function formatMessage(message: Message, { user, assistant }: Sentences): string {
  const text = messageText(message).trim()
  const shortened = text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()} …` : text
  return `**${message.role === 'user' ? user : assistant}:** ${shortened}`
}

async function generateSlug(
  { model, prompt }: SessionSummaryOptions,
  conversation: string,
): Promise<string | undefined> {
  const content = prompt({ conversation })
  try {
    const signal = AbortSignal.timeout(slugTimeoutMs)
    const answer = await complete(
      model,
      {
        purpose: { kind: 'topic' },
        system: ['You name conversations.'],
        messages: [{ role: 'user', content, timestamp: 0 }],
        tools: [],
        maxOutput: 50,
      },
      signal,
    )
    const [slug] = messageText(answer).normalize('NFC').toLowerCase().match(slugPattern) ?? []
    return slug && [...slug].slice(0, maxSlugLength).join('').replace(/-+$/, '')
  } catch (error) {
    // The topic is optional; the time serves as the name.
    if (error instanceof AppError || (error instanceof Error && /abort|timeout/i.test(error.name))) return undefined
    throw error
  }
}

function firstUserLines(messages: readonly Message[]): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .map((message) => messageText(message).trim().split('\n', 1)[0] ?? '')
}

function timeSlug(at: Date): string {
  return `${String(at.getHours()).padStart(2, '0')}${String(at.getMinutes()).padStart(2, '0')}`
}

interface ResetRule {
  readonly mode: 'daily' | 'idle' | 'daily+idle' | 'off'
  /** Local hour, 0 to 23. */
  readonly atHour: number
  readonly idleMinutes: number
}

/** Returns true if a reset boundary lies between the last activity and now; false if the clock was set back. */
export function isSessionOver(lastActivity: Date, now: Date, rule: ResetRule): boolean {
  if (now <= lastActivity) return false
  const isDaily = rule.mode === 'daily' || rule.mode === 'daily+idle'
  const isIdle = rule.mode === 'idle' || rule.mode === 'daily+idle'
  if (isDaily && lastActivity < lastBoundary(now, rule.atHour)) return true
  return isIdle && now.getTime() - lastActivity.getTime() >= rule.idleMinutes * 60_000
}

/**
 * Returns the latest time up to `now` at which the local clock showed `atHour`. Handles days of 23 and 25 hours; an
 * hour that daylight saving time skips counts as the next one.
 */
function lastBoundary(now: Date, atHour: number): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), atHour)
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, atHour)
}
