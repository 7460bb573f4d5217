import { cutAtWord } from '#shared/markdown/log-entry.ts'
import { withSource } from '#shared/markdown/provenance.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { addUsage, messageText, noUsage, type Usage } from '#shared/chat/messages.ts'
import { isRecord } from '#shared/util/json.ts'
import { complete, isTransient, summarizeStatements, withoutRefused, type ChatModel } from '#llm'
import { blobId } from '#platform'
import { localDate, memoryFolderPath, type WorkspaceWrite } from '#workspace'
import { budgetOf, maxPartTokens } from '../context/context-budget.ts'
import { sessionSummaryText } from '../context/fit-text.ts'
import { renderInParts } from '../context/render-messages.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { parseNotesReply } from '../compaction/flush.ts'
import { summarize } from '../compaction/summarize.ts'
import { digestText, fitDigest, parseDigest, type DigestLine, type LinkedMessage } from '../sessions/digest.ts'
import { summaryEntry } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { sourcesOfMessages } from './provenance-tracking.ts'
import type { ChatServices } from './chat-options.ts'

/** Limit of the lines of a summary together; links and the heading are not counted. */
const maxSummaryCharacters = 1200
const maxLineCharacters = 300
const maxOutput = 1000
/** Words of a title that become the slug. */
const maxTitleWords = 4
const minWordLength = 4
const maxUnspacedLength = 8
/** Letters of any script: file names follow the conversation's language. */
const slugPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+){0,5}/u
/** Maximum code points of a slug. File names hold 255 bytes, date included. */
const maxSlugLength = 60

/** An answer that confirms the request and summarises nothing. */
const acknowledgement = /^\W*(?:ok(?:ay)?|done|noted|saved|understood|sure|好的?|已[记記][录錄])\W*$/iu

interface SummaryInput {
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly signal: AbortSignal
  /** Runs when the model has answered: a model that cannot be reached changes nothing. */
  readonly flush: () => Promise<void>
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
  const earlier = isRecord(last) ? recordedNote(last) : await unrecordedNote(services, input)
  const current =
    earlier && (await workspace.exists(earlier.path)) ? (await workspace.read(earlier.path)).text : undefined
  // After the user has deleted the note, a new one covers the messages since.
  const isNew = current === undefined
  const through = isNew && isRecord(last) ? last['through'] : undefined
  const all = transcript.messages()
  const messages = all.slice(all.findIndex(({ id }) => id === through) + 1)
  const { slug, lines, usage } = await summarizeSession(services, input, messages)
  await input.flush()
  const record = async (data: object) =>
    transcript.appendCustom(summaryEntry, { through: all.at(-1)?.id, kept: lines.length, ...data })
  if (lines.length === 0) {
    await record(current === undefined ? {} : { ...earlier })
    return usage.totalTokens
  }
  if (current !== undefined && ![earlier?.hash, earlier?.proposed].includes(blobId(current))) {
    // The user has edited the note: only the lines of new messages are proposed, below the others.
    const known = all.findIndex(({ id }) => isRecord(last) && id === last['through'])
    const isNewMessage = new Set(all.slice(known + 1).map(({ id }) => id))
    const added = lines.filter(
      (line) => line.messages.some((id) => isNewMessage.has(id)) && !current.includes(line.text),
    )
    const after = `${[current.trimEnd(), ...(await itemsOf(input, added))].join('\n')}\n`
    if (added.length > 0) await propose({ path: earlier?.path ?? '', before: current, after, sources: [] }, model.id)
    await record({ ...earlier, proposed: blobId(after) })
    return usage.totalTokens
  }
  const text = await noteText(services, input, messages, slug, lines)
  const path = isNew || !earlier ? await freePath(services, input, messages, slug) : earlier.path
  const write: WorkspaceWrite = await workspace.edit(path, { cause: 'agent', session }, (before) =>
    before === current ? text : (before ?? ''),
  )
  await record({ path, hash: blobId(write.after ?? ''), change: await workspace.describe(write) })
  return usage.totalTokens
}

interface EarlierNote {
  readonly path: string
  /** Hash of the text that was written. */
  readonly hash: string
  /** Hash of the text that was proposed last. */
  readonly proposed?: string
}

function recordedNote({ path, hash, proposed }: Record<string, unknown>): EarlierNote | undefined {
  if (typeof path !== 'string' || typeof hash !== 'string') return undefined
  return { path, hash, ...(typeof proposed === 'string' ? { proposed } : {}) }
}

/** Finds the note of a session that was written just before a crash. */
async function unrecordedNote(
  { workspace }: ChatServices,
  { session, transcript }: SummaryInput,
): Promise<EarlierNote | undefined> {
  const folder = memoryFolderPath(workspace.layout)
  const date = dateOf(transcript, transcript.messages())
  for (const name of await workspace.entryNames(folder)) {
    if (!name.startsWith(`${date}-`)) continue
    const path = `${folder}/${name}`
    const { text } = (await orUndefined(workspace.read(path))) ?? { text: '' }
    const isOwn = sessionSummaryText(text) !== undefined && text.includes(`[sessions/${session}.jsonl]`)
    if (isOwn) return { path, hash: blobId(text) }
  }
  return undefined
}

/** @throws AppError if the model cannot be reached; if it refuses, the statements of the user are the summary */
async function summarizeSession(
  services: ChatServices,
  input: SummaryInput,
  messages: readonly LinkedMessage[],
): Promise<Topic> {
  const { transcript, model } = input
  const allowed = new Set(withoutRefused(messages.map(({ message }) => message)))
  const usable = messages.filter(({ message }) => allowed.has(message) && messageText(message).trim() !== '')
  const statements = usable.filter(({ message }) => message.role === 'user')
  const [first] = statements
  if (!first) return { slug: '', lines: [], usage: noUsage }
  let usage = noUsage
  if (model.provider !== 'offline') {
    try {
      const { topic, ...summary } = await askForSummary(services, input, usable)
      if (summary.lines) {
        const slug = topic === undefined ? slugOfTitle(transcript.name ?? messageText(first.message)) : slugOf(topic)
        return { ...summary, slug, lines: summary.lines }
      }
      usage = summary.usage
    } catch (error) {
      if (!(error instanceof AppError) || isTransient(error)) throw error
    }
  }
  const texts = statements.map(({ id, message }) => ({ text: messageText(message), key: id }))
  const lines = summarizeStatements(texts, maxSummaryCharacters).map(({ text, key }): DigestLine => ({
    kind: 'fact',
    text,
    messages: [key],
  }))
  return { slug: slugOfTitle(transcript.name ?? lines[0]?.text ?? ''), lines, usage }
}

/** @returns `lines` undefined if the answer is no summary */
async function askForSummary(
  { requests }: ChatServices,
  { transcript, model, signal }: SummaryInput,
  messages: readonly LinkedMessage[],
): Promise<{ topic?: string | undefined; lines: readonly DigestLine[] | undefined; usage: Usage }> {
  const prompts = await requests.prompts()
  const budget = budgetOf(model)
  const branch = transcript.messages()
  const { digest, liveMessages } = compactionState(transcript.branch())
  const covered = new Set(digest.flatMap((line) => line.messages))
  const live = messages.filter(({ id }) => !covered.has(id) || liveMessages.some((message) => message.id === id))
  const numbers = new Map(branch.map(({ id }, index) => [id, index + 1]))
  const numberOf = (id: string) => numbers.get(id) ?? 0
  const ids = new Map(live.map(({ id, message }) => [message, id]))
  const limit = maxPartTokens(budget, maxOutput, 1)
  const parts = renderInParts(
    live.map(({ message }) => message),
    limit,
    (message) => numberOf(ids.get(message) ?? ''),
  )
  let [conversation = '', lines, usage]: [string | undefined, readonly DigestLine[], Usage] = [
    parts[0],
    digest,
    noUsage,
  ]
  if (parts.length > 1) {
    const options = {
      model,
      prompt: prompts.compaction,
      digest,
      messages: live,
      keptMessages: [],
      branch,
      budget,
      signal,
    }
    const extended = await summarize({ ...options, focus: undefined, maxTokens: Math.floor(limit / 2), factor: 1 })
    ;[conversation, lines, usage] = ['', extended.lines, extended.usage]
  }
  const text = [digestText(lines, numberOf), conversation].filter(Boolean).join('\n\n')
  const answer = await complete(
    model,
    {
      purpose: { kind: 'topic' },
      system: ['You summarise ended conversations for the memory of the user.'],
      messages: [{ role: 'user', content: prompts.sessionSummary({ conversation: text }), timestamp: 0 }],
      tools: [],
      maxOutput: Math.min(model.maxOutput, maxOutput),
    },
    signal,
  )
  usage = addUsage(usage, answer.usage)
  const answerText = messageText(answer)
    .replaceAll(/<think>[\s\S]*?<\/think>|^```.*$/gm, '')
    .trim()
  if (answerText === '' || acknowledgement.test(answerText)) return { lines: undefined, usage }
  const reply = parseNotesReply(answerText)
  if (reply === undefined) return { lines: [], usage }
  const [firstRow = '', ...rows] = reply.split('\n')
  const items = rows.filter((row) => /^\s*(?:[-*+•]|\d+[.)])\s/.test(row))
  const hasTopic = /^[^\s.!?:…{}[\]]+(?: [^\s.!?:…{}[\]]+){0,5}$/.test(firstRow) && firstRow.length <= maxSlugLength
  const parsed = parseDigest((hasTopic ? items : [firstRow, ...items]).join('\n'), branch).map((line) => ({
    ...line,
    text: cutAtWord(line.text, maxLineCharacters),
  }))
  const fitted = fitDigest(parsed, maxSummaryCharacters, (line) => line.length)
  return { topic: hasTopic ? firstRow : undefined, lines: items.length > 0 ? fitted : undefined, usage }
}

async function noteText(
  { models }: ChatServices,
  { session, transcript }: SummaryInput,
  messages: readonly LinkedMessage[],
  slug: string,
  lines: readonly DigestLine[],
): Promise<string> {
  const path = `sessions/${session}.jsonl`
  const items = await itemsOf({ session, transcript }, lines)
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

/** Formats lines as list items with links to their messages. */
async function itemsOf(
  { session, transcript }: Pick<SummaryInput, 'session' | 'transcript'>,
  lines: readonly DigestLine[],
): Promise<string[]> {
  const placeOf = await transcript.linesOf(lines.flatMap((line) => line.messages))
  return lines.map(({ text, messages }) => {
    const links = messages.flatMap((id) => placeOf.get(id) ?? []).map((line) => `[sessions/${session}.jsonl:${line}]`)
    return [`- ${text}`, ...links].join(' ')
  })
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

/** Returns the first words of a title that are not short, joined by hyphens, without long numbers. */
function slugOfTitle(title: string): string {
  const words = (title.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => !/\d{5}/.test(word))
  // A text without spaces is one word.
  const short = words.map((word) => (/\p{Lo}/u.test(word) ? word.slice(0, maxUnspacedLength) : word))
  const telling = short.filter((word) => word.length >= minWordLength || /[\p{N}\p{Lo}]/u.test(word))
  const isUnspaced = /\p{Lo}/u.test(telling[0] ?? '')
  return slugOf((telling.length > 0 ? telling : short).slice(0, isUnspaced ? 2 : maxTitleWords).join('-'))
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
