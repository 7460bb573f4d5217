import type { FileChange } from '#shared/util/file-change.ts'
import { isRecord } from '#shared/util/json.ts'
import { quotedMemoryLines } from '#shared/chat/offline-answer.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import type { AgentSettings } from '#platform'
import { withoutRefused, type ChatModel, type Sentences } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import { localDate, localTime, memoryFolderPath } from '#workspace'
import { withSource } from '#shared/markdown/provenance.ts'
import { sourcesOfMessages } from './provenance-tracking.ts'
import { summaryEntry } from '../sessions/session-events.ts'
import { askBriefly } from './title.ts'
import type { ChatServices } from './turn-context.ts'

/** Returns the number of messages, from the oldest, that earlier summaries of the session cover. */
export function summarizedCount(transcript: Transcript): number {
  const marker = transcript.lastCustom(summaryEntry)
  return isRecord(marker) ? transcript.messages().findIndex(({ id }) => id === marker['through']) + 1 : 0
}

const maxMessages = 15
const maxCharacters = 2000
const slugTimeoutMs = 15_000
/** Letters of any script: file names follow the conversation's language. */
const slugPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+){0,5}/u
/** Maximum code points of a slug. File names hold 255 bytes, date included. */
const maxSlugLength = 60

/** Writes a note with the newest messages of a session. @returns undefined if none is from the user */
export async function saveSessionSummary(
  { workspace, models, requests, now }: ChatServices,
  model: ChatModel,
  session: string,
  messages: readonly Message[],
  isPrivate: boolean,
): Promise<FileChange | undefined> {
  const at = now()
  const summarizedMessages = withoutRefused(messages)
    .filter(
      (message) =>
        message.role !== 'toolResult' && messageText(message).trim() !== '' && !isEmptyOfflineAnswer(message),
    )
    .slice(-maxMessages)
  const userMessages = summarizedMessages.filter(({ role }) => role === 'user')
  if (userMessages.length === 0) return undefined
  const firstLines = userMessages.map((message) => messageText(message).trim().split('\n', 1)[0] ?? '')
  const sentences = models.sentencesFor(firstLines.toReversed())
  const text = summarizedMessages.map((message) => formatMessage(message, sentences)).join('\n\n')
  const prompt = (await requests.prompts()).slug({ conversation: text })
  const signal = AbortSignal.timeout(slugTimeoutMs)
  const topic = await askBriefly(model, 'topic', 'You name conversations.', prompt, 50, signal)
  const slug = (topic === undefined ? undefined : parseSlug(topic)) ?? localTime(at).replace(':', '')
  const date = localDate(at)
  const heading = `# ${date}: ${slug.replaceAll('-', ' ')}\n\n${sentences.ending(`sessions/${session}.jsonl`)}`
  for (let number = 1; ; number += 1) {
    const path = `${memoryFolderPath(workspace.layout)}/${date}-${slug}${number === 1 ? '' : `-${number}`}.md`
    if (await workspace.exists(path)) continue
    const sources = sourcesOfMessages(messages, [])
    const content = `${heading}\n\n${text}\n`
    const marked = sources.length === 0 ? content : withSource(content, sources, date)
    const note = isPrivate ? withVisibility(marked, true) : marked
    return workspace.describe(await workspace.write(path, note, { cause: 'agent', session }))
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

function parseSlug(answer: string): string | undefined {
  const [slug] = answer.normalize('NFC').toLowerCase().match(slugPattern) ?? []
  return slug && [...slug].slice(0, maxSlugLength).join('').replace(/-+$/, '')
}

type ResetRule = AgentSettings['session']['reset']

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
