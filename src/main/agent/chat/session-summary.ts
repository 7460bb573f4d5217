import { frontMatterEnd } from '#shared/markdown/blocks/front-matter.ts'
import { withSource } from '#shared/markdown/provenance.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { messageText, noUsage, type Usage } from '#shared/chat/messages.ts'
import { isRecord } from '#shared/util/json.ts'
import { complete, summarizeStatements, withoutRefused, type ChatModel } from '#llm'
import { blobId } from '#platform'
import { localDate, memoryFolderPath, type WorkspaceWrite } from '#workspace'
import { maxPartTokens } from '../context/context-budget.ts'
import { renderInParts } from '../context/render-messages.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { parseNotesReply } from '../compaction/flush.ts'
import { summarize } from '../compaction/summarize.ts'
import { digestText, fitDigest, parseDigest, type DigestLine, type LinkedMessage } from '../sessions/digest.ts'
import { summaryEntry } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { sourcesOfMessages } from './provenance-tracking.ts'
import type { ChatServices } from './turn-context.ts'

/** Limit of the lines of a summary together; links and the heading are not counted. */
const maxSummaryCharacters = 1200
const maxOutput = 1000
/** Letters of any script: file names follow the conversation's language. */
const slugPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+){0,5}/u
/** Maximum code points of a slug. File names hold 255 bytes, date included. */
const maxSlugLength = 60

interface SummaryInput {
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly signal: AbortSignal
}

interface Topic {
  readonly slug: string
  readonly lines: readonly DigestLine[]
  readonly usage: Usage
}

/**
 * Writes or updates the summary of a session as a note, and records it in the transcript. Proposes the update if the
 * user has edited the note. Writes no note if nothing is worth keeping.
 * @returns the tokens used @throws AppError of the model, or if the note cannot be written
 */
export async function saveSessionSummary(services: ChatServices, input: SummaryInput): Promise<number> {
  const { transcript, session, model } = input
  const { workspace, propose } = services
  const last = transcript.lastCustom(summaryEntry)
  const earlier =
    isRecord(last) && typeof last['path'] === 'string' ? { path: last['path'], hash: last['hash'] } : undefined
  const current =
    earlier && (await workspace.exists(earlier.path)) ? (await workspace.read(earlier.path)).text : undefined
  // After the user has deleted the note, a new one covers the messages since.
  const isNew = current === undefined
  const through = isNew && isRecord(last) ? last['through'] : undefined
  const all = transcript.messages()
  const messages = all.slice(all.findIndex(({ id }) => id === through) + 1)
  const { slug, lines, usage } = await summarizeSession(services, input, messages)
  const record = async (data: object) =>
    transcript.appendCustom(summaryEntry, { through: all.at(-1)?.id, kept: lines.length, ...data })
  if (lines.length === 0) {
    await record(current === undefined ? {} : { ...earlier })
    return usage.totalTokens
  }
  const text = await noteText(services, input, messages, slug, lines)
  const path = isNew || !earlier ? await freePath(services, input, messages, slug) : earlier.path
  const isEdited = current !== undefined && blobId(current) !== earlier?.hash
  if (isEdited) {
    const sources = sourcesOfMessages(
      messages.map(({ message }) => message),
      [],
    )
    await propose({ path, before: current, after: text, sources }, model.id)
    await record({ ...earlier })
    return usage.totalTokens
  }
  const write: WorkspaceWrite = await workspace.edit(path, { cause: 'agent', session }, (before) =>
    before === current ? text : (before ?? ''),
  )
  await record({ path, hash: blobId(write.after ?? ''), change: await workspace.describe(write) })
  return usage.totalTokens
}

async function summarizeSession(
  services: ChatServices,
  { transcript, model, signal }: SummaryInput,
  messages: readonly LinkedMessage[],
): Promise<Topic> {
  const allowed = new Set(withoutRefused(messages.map(({ message }) => message)))
  const usable = messages.filter(({ message }) => allowed.has(message) && messageText(message).trim() !== '')
  const statements = usable.filter(({ message }) => message.role === 'user')
  const title = transcript.name ?? messageText(statements[0]?.message ?? { role: 'user', content: '', timestamp: 0 })
  if (statements.length === 0) return { slug: '', lines: [], usage: noUsage }
  if (model.provider === 'offline') {
    const texts = statements.map(({ id, message }) => ({ text: messageText(message), key: id }))
    const lines = summarizeStatements(texts, maxSummaryCharacters).map(({ text, key }): DigestLine => ({
      kind: 'fact',
      text,
      messages: [key],
    }))
    return { slug: slugOf(title.split(/\s+/).slice(0, 4).join('-')), lines, usage: noUsage }
  }
  const { requests } = services
  const prompts = await requests.prompts()
  const budget = requests.budget(model)
  const { digest, liveMessages } = compactionState(transcript.branch())
  const branch = transcript.messages()
  const numbers = new Map(branch.map(({ id }, index) => [id, index + 1]))
  const numberOf = (id: string) => numbers.get(id) ?? 0
  const isLive = new Set(liveMessages.map(({ id }) => id))
  const live = usable.filter(({ id }) => isLive.has(id))
  const ids = new Map(live.map(({ id, message }) => [message, id]))
  const limit = maxPartTokens(budget, maxOutput, 1)
  let [conversation, ...more] = renderInParts(
    live.map(({ message }) => message),
    limit,
    (message) => numberOf(ids.get(message) ?? ''),
  )
  let lines: readonly DigestLine[] = digest
  let usage = noUsage
  if (more.length > 0) {
    const maxTokens = Math.floor(limit / 2)
    const options = { model, prompt: prompts.compaction, digest, messages: live, keptMessages: [], branch }
    const summary = await summarize({ ...options, focus: undefined, budget, maxTokens, factor: 1, signal })
    ;({ lines, usage } = summary)
    conversation = ''
  }
  const content = prompts.sessionSummary({
    conversation: [digestText(lines, numberOf), conversation ?? ''].filter(Boolean).join('\n\n'),
  })
  const answer = await complete(
    model,
    {
      purpose: { kind: 'topic' },
      system: ['You summarise ended conversations for the memory of the user.'],
      messages: [{ role: 'user', content, timestamp: 0 }],
      tools: [],
      maxOutput: Math.min(model.maxOutput, maxOutput),
    },
    signal,
  )
  const { totalTokens } = answer.usage
  usage = { ...usage, totalTokens: usage.totalTokens + totalTokens }
  const reply = parseNotesReply(messageText(answer))
  if (reply === undefined) return { slug: '', lines: [], usage }
  const [topic = '', ...rows] = reply.split('\n')
  const hasTopic = !/^\s*[-*+•#\d]/.test(topic) && topic.length <= maxSlugLength
  const parsed = parseDigest(hasTopic ? rows.join('\n') : reply, branch)
  const fitted = fitDigest(parsed, maxSummaryCharacters, (text) => text.length)
  return { slug: slugOf(hasTopic ? topic : title.split(/\s+/).slice(0, 4).join('-')), lines: fitted, usage }
}

async function noteText(
  { models }: ChatServices,
  { session, transcript }: SummaryInput,
  messages: readonly LinkedMessage[],
  slug: string,
  lines: readonly DigestLine[],
): Promise<string> {
  const path = `sessions/${session}.jsonl`
  const placeOf = await transcript.linesOf(lines.flatMap((line) => line.messages))
  const items = lines.map((line) => {
    const links = line.messages.flatMap((id) => placeOf.get(id) ?? []).map((number) => `[${path}:${number}]`)
    return [`- ${line.text}`, ...links].join(' ')
  })
  const sentences = models.sentencesFor(lines.map(({ text }) => text))
  const date = dateOf(transcript, messages)
  const note = `# ${date}: ${slug.replaceAll('-', ' ')}\n\n${sentences.ending(`[${path}]`)}\n\n${items.join('\n')}\n`
  const sources = sourcesOfMessages(
    messages.map(({ message }) => message),
    [],
  )
  const marked = sources.length === 0 ? note : withSource(note, sources, date)
  return transcript.isPrivate ? withVisibility(marked, true) : marked
}

async function freePath(
  { workspace }: ChatServices,
  { transcript }: SummaryInput,
  messages: readonly LinkedMessage[],
  slug: string,
): Promise<string> {
  const base = `${memoryFolderPath(workspace.layout)}/${dateOf(transcript, messages)}-${slug}`
  for (let number = 1; ; number += 1) {
    const path = `${base}${number === 1 ? '' : `-${number}`}.md`
    if (!(await workspace.exists(path))) return path
  }
}

/** Returns the day of the last user message, in the time zone where the session began. */
function dateOf(transcript: Transcript, messages: readonly LinkedMessage[]): string {
  const last = messages.findLast(({ message }) => message.role === 'user')
  return localDate(new Date(last?.message.timestamp ?? transcript.header.createdAt), transcript.header.timeZone)
}

function slugOf(text: string): string {
  const [slug = ''] =
    text
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[\s_]+/g, '-')
      .match(slugPattern) ?? []
  return [...slug].slice(0, maxSlugLength).join('').replace(/-+$/, '') || 'chat'
}

/** Returns the text of a session's summary without its links; undefined for other notes. */
export function sessionSummaryText(text: string): string | undefined {
  const body = text.slice(frontMatterEnd(text)).trimStart()
  if (!/^# [^\n]*\n\n[^\n]*\[sessions\/[\w.-]+\.jsonl\]/.test(body)) return undefined
  return body.replaceAll(/ ?\[sessions\/[\w.-]+\.jsonl(?::\d+)?\]/g, '')
}
