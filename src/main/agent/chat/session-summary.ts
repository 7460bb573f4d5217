import { z } from 'zod'
import { cutAtWord } from '#shared/markdown/log-entry.ts'
import { withSource } from '#shared/markdown/provenance.ts'
import { createUserTextMatcher } from '#shared/markdown/user-text.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { addedIn, fileChangeSchema } from '#shared/util/file-change.ts'
import { messageText } from '#shared/chat/messages.ts'
import { complete, isTransient, parseIntent, summarizeStatements, withoutRefused } from '#llm'
import { queryTerms } from '#search/text'
import { hashText, localDate, memoryFolderPath, type WorkspaceWrite } from '#workspace'
import { budgetOf, maxPartTokens } from '../context/context-budget.ts'
import { sessionSummaryText } from '../context/fit-text.ts'
import { renderInParts } from '../context/render-messages.ts'
import { checkNote } from '../compaction/check-note.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { parseNotesReply } from '../compaction/flush.ts'
import { summarize } from '../compaction/summarize.ts'
import { digestText, fitDigest, parseDigest, type DigestLine, type LinkedMessage } from '../sessions/digest.ts'
import { isRecord } from '#shared/util/json.ts'
import { commandEntry, keptEntry, summaryEntry } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { loadPrompts } from './prompts.ts'
import { sourcesOfMessages, userTextIn } from './provenance-tracking.ts'
import type { ChatServices, TurnTarget } from './turn-context.ts'

/** Limit of the lines of a summary together; links and the heading are not counted. */
const maxSummaryCharacters = 1200
const maxLineCharacters = 300
const maxOutput = 1000
/** Words of a title that become the slug. */
const maxTitleWords = 4
const minWordLength = 4
/** First characters of a text without spaces. A number counts as one. */
const unspacedStart = /^(?:\d+|\D){1,8}/u
/** Letters of any script: file names follow the conversation's language. */
const slugPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+){0,5}/u
/** Maximum code points of a slug. File names hold 255 bytes, date included. */
const maxSlugLength = 60

/** An answer that confirms the request and summarises nothing. */
const acknowledgement = /^\W*(?:ok(?:ay)?|done|noted|saved|understood|sure|好的?|已[记記][录錄])\W*$/iu

/** A session that has ended, with the services of its chat. */
export interface EndedSession extends ChatServices, TurnTarget {
  readonly signal: AbortSignal
  /** Runs when the model has answered: a model that cannot be reached changes nothing. */
  readonly flush: () => Promise<void>
}

interface Summary {
  /** Words of the file name, joined by hyphens. */
  readonly slug: string
  readonly lines: readonly DigestLine[]
}

const noteSchema = z.object({
  path: z.string(),
  /** Hash of the text that was written. */
  hash: z.string(),
  /** Hash of the text that was proposed last. */
  proposed: z.string().optional(),
})
type EarlierNote = z.infer<typeof noteSchema>

/**
 * Writes or updates the summary of a session as a note, and records it in the transcript. Proposes the update if the
 * user has edited the note. Writes no note if nothing is worth keeping.
 * @throws AppError of the model, or if the note cannot be written
 */
export async function saveSessionSummary(ended: EndedSession): Promise<void> {
  const { transcript, session, model, workspace, propose } = ended
  const last = transcript.lastCustom(summaryEntry)
  const earlier = last === undefined ? await unrecordedNote(ended) : noteSchema.safeParse(last).data
  const current =
    earlier && (await workspace.exists(earlier.path)) ? (await workspace.read(earlier.path)).text : undefined
  const all = transcript.messages()
  const through = isRecord(last) ? last['through'] : undefined
  const since = all.slice(all.findIndex(({ id }) => id === through) + 1)
  // After the user has deleted the note, a new one covers the messages since.
  const messages = current === undefined ? since : all
  const summary = await summarizeSession(ended, messages)
  const { slug, lines } = summary
  await ended.flush()
  const record = (data: object) =>
    transcript.appendCustom(summaryEntry, { through: all.at(-1)?.id, kept: lines.length, ...data })
  const isEdited = current !== undefined && ![earlier?.hash, earlier?.proposed].includes(hashText(current))
  if (lines.length === 0) await record(current === undefined ? {} : { ...earlier })
  else if (isEdited) {
    // Only the lines of new messages are proposed, below the others.
    const isNew = new Set(since.map(({ id }) => id))
    const added = lines.filter((line) => line.messages.some((id) => isNew.has(id)) && !current.includes(line.text))
    const after = `${[current.trimEnd(), ...(await itemsOf(ended, added))].join('\n')}\n`
    if (added.length > 0) await propose({ path: earlier?.path ?? '', before: current, after, sources: [] }, model.id)
    await record({ ...earlier, proposed: hashText(after) })
  } else {
    const text = await noteText(ended, messages, summary)
    const name = `${dateOf(transcript, messages)}-${slug}`
    const path = earlier && current !== undefined ? earlier.path : await freePath(ended, name)
    const write: WorkspaceWrite = await workspace.edit(path, { cause: 'agent', session }, (before) =>
      before === current ? text : (before ?? ''),
    )
    await record({ path, hash: hashText(write.after ?? ''), change: await workspace.describe(write) })
  }
}

/** Finds the note of a session that was written just before a crash. */
async function unrecordedNote({ workspace, session, transcript }: EndedSession): Promise<EarlierNote | undefined> {
  const folder = memoryFolderPath(workspace.layout)
  const date = dateOf(transcript, transcript.messages())
  for (const name of await workspace.entryNames(folder)) {
    if (!name.startsWith(`${date}-`)) continue
    const path = `${folder}/${name}`
    const { text } = (await orUndefined(workspace.read(path))) ?? { text: '' }
    const isOwn = sessionSummaryText(text) !== undefined && text.includes(`[sessions/${session}.jsonl]`)
    if (isOwn) return { path, hash: hashText(text) }
  }
  return undefined
}

/** @throws AppError if the model cannot be reached; if it refuses, the statements of the user are the summary */
async function summarizeSession(ended: EndedSession, messages: readonly LinkedMessage[]): Promise<Summary> {
  const { transcript, model } = ended
  const saved = savedTerms(transcript)
  const isSaved = (text: string) => {
    const terms = contentTerms(text)
    return saved.some((note) => terms.every((term) => note.has(term)))
  }
  const allowed = new Set(withoutRefused(messages.map(({ message }) => message)))
  const usable = messages.filter(({ message }) => allowed.has(message) && messageText(message).trim() !== '')
  const isOffline = model.provider === 'offline'
  // The offline model takes a few words for a search.
  const isSearch = (text: string) => isOffline && contentTerms(text).length < 4 && parseIntent(text).kind === 'keywords'
  const statements = usable.filter(({ message }) => message.role === 'user' && !isSearch(messageText(message)))
  const [first] = statements
  if (!first) return { slug: '', lines: [] }
  if (!isOffline) {
    try {
      const { lines, slug = slugOfTitle(transcript.name ?? messageText(first.message)) } = await askForSummary(
        ended,
        usable,
      )
      if (lines) return { slug, lines: lines.filter(({ text }) => !isSaved(text)) }
    } catch (error) {
      if (!(error instanceof AppError) || isTransient(error)) throw error
    }
  }
  const texts = statements.map(({ id, message }) => ({ text: messageText(message), key: id }))
  const kept = summarizeStatements(texts, maxSummaryCharacters, isSaved)
  const lines = kept.map(({ text, key }) => ({ kind: 'fact' as const, text, messages: [key] }))
  return { slug: slugOfTitle(transcript.name ?? lines[0]?.text ?? ''), lines }
}

/** Returns the words of each line that the chat has saved in notes, also if the note was undone. */
function savedTerms(transcript: Transcript): ReadonlySet<string>[] {
  const schema = z.object({ change: fileChangeSchema })
  const changes = transcript.branch().flatMap((entry) => {
    if (entry.type === 'message') return entry.message.role === 'toolResult' ? [entry.message.details] : []
    if (entry.type !== 'custom') return []
    if (entry.customType === keptEntry) return [entry.data]
    return entry.customType === commandEntry && isRecord(entry.data) ? [entry.data['outcome']] : []
  })
  const patches = changes.flatMap((change) => schema.safeParse(change).data?.change.patch ?? [])
  return patches.flatMap(addedIn).map((line) => new Set(contentTerms(line)))
}

function contentTerms(text: string): string[] {
  return queryTerms(text).flatMap(({ role, readings }) => (role === 'function' ? [] : (readings[0]?.term ?? [])))
}

/** @returns no `lines` if the answer is no summary, no `slug` if it has no topic */
async function askForSummary(ended: EndedSession, messages: readonly LinkedMessage[]): Promise<Partial<Summary>> {
  const { transcript, model, signal } = ended
  const prompts = await loadPrompts(ended)
  const budget = budgetOf(model, ended.config.current.compaction)
  const branch = transcript.messages()
  const { digest, liveMessages } = compactionState(transcript.branch())
  const covered = new Set(digest.flatMap((line) => line.messages))
  const live = messages.filter(({ id }) => !covered.has(id) || liveMessages.some((message) => message.id === id))
  const numberOf = (id: string) => branch.findIndex((linked) => linked.id === id) + 1
  const limit = maxPartTokens(budget, maxOutput, 1)
  const texts = live.map(({ message }) => message)
  const parts = renderInParts(texts, limit, (message) => branch.findIndex((linked) => linked.message === message) + 1)
  const isLong = parts.length > 1
  const extended = !isLong
    ? { lines: digest }
    : await summarize({
        model,
        prompt: prompts.compaction,
        digest,
        messages: live,
        keptMessages: [],
        branch,
        focus: undefined,
        budget,
        maxTokens: Math.floor(limit / 2),
        factor: 1,
        signal,
      })
  const conversation = [digestText(extended.lines, numberOf), ...(isLong ? [] : parts)].filter(Boolean).join('\n\n')
  const answer = await complete(
    model,
    {
      purpose: { kind: 'topic' },
      system: ['You summarise ended conversations for the memory of the user.'],
      messages: [{ role: 'user', content: prompts.sessionSummary({ conversation }), timestamp: 0 }],
      tools: [],
      maxOutput: Math.min(model.maxOutput, maxOutput),
    },
    signal,
  )
  const text = messageText(answer)
    .replaceAll(/<think>[\s\S]*?<\/think>|^```.*$/gm, '')
    .trim()
  if (text === '' || acknowledgement.test(text)) return {}
  const [firstRow = '', ...rows] = parseNotesReply(text)?.split('\n') ?? []
  if (firstRow === '') return { lines: [] }
  const items = rows.filter((row) => /^\s*(?:[-*+•]|\d+[.)])\s/.test(row))
  if (items.length === 0) return {}
  const hasTopic = /^[^\s.!?:…{}[\]]+(?: [^\s.!?:…{}[\]]+){0,5}$/.test(firstRow) && firstRow.length <= maxSlugLength
  const parsed = parseDigest((hasTopic ? items : [firstRow, ...items]).join('\n'), branch).map((line) => ({
    ...line,
    text: cutAtWord(line.text, maxLineCharacters),
  }))
  const instructions = prompts.sessionSummary({ conversation: '' })
  const said = texts.map(messageText).join('\n')
  const userText = texts.flatMap((message) => (message.role === 'user' ? [messageText(message)] : [])).join('\n')
  const good = parsed.filter(({ text: note }) => checkNote(note, said, instructions, userText) === 'good')
  // A model that counts on and on writes the same line with other numbers.
  const isCounting = new Set(good.map(({ text: note }) => note.replace(/\d+/g, ''))).size < good.length - 1
  if (isCounting || (good.length === 0 && parsed.length > 0)) return {}
  const lines = fitDigest(good, maxSummaryCharacters, (line) => line.length)
  return { ...(hasTopic ? { slug: slugOf(firstRow) } : {}), lines }
}

async function noteText(ended: EndedSession, messages: LinkedMessage[], { slug, lines }: Summary): Promise<string> {
  const { models, session, transcript } = ended
  const date = dateOf(transcript, messages)
  const items = await itemsOf(ended, lines)
  const source = models.sentencesFor(lines.map(({ text }) => text)).ending(`[sessions/${session}.jsonl]`)
  const note = `# ${date}: ${slug.replaceAll('-', ' ')}\n\n${source}\n\n${items.join('\n')}\n`
  const texts = messages.map(({ message }) => message)
  const isTyped = createUserTextMatcher(userTextIn(texts))
  const sources = lines.every(({ text }) => isTyped(text)) ? [] : sourcesOfMessages(texts, [])
  const marked = sources.length === 0 ? note : withSource(note, sources, date)
  return transcript.isPrivate ? withVisibility(marked, true) : marked
}

/** Formats lines as list items with links to their messages. */
async function itemsOf({ session, transcript }: EndedSession, lines: readonly DigestLine[]): Promise<string[]> {
  const placeOf = await transcript.linesOf(lines.flatMap((line) => line.messages))
  return lines.map(({ text, messages }) => {
    const links = messages.flatMap((id) => placeOf.get(id) ?? []).map((line) => `[sessions/${session}.jsonl:${line}]`)
    return [`- ${text}`, ...links].join(' ')
  })
}

async function freePath({ workspace }: EndedSession, name: string): Promise<string> {
  const base = `${memoryFolderPath(workspace.layout)}/${name}`
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
  const short = words.map((word) => (/\p{Lo}/u.test(word) ? (unspacedStart.exec(word)?.[0] ?? '') : word))
  const telling = short.filter((word) => word.length >= minWordLength || /[\p{N}\p{Lo}]/u.test(word))
  const isUnspaced = /\p{Lo}/u.test(telling[0] ?? '')
  return slugOf((telling.length > 0 ? telling : short).slice(0, isUnspaced ? 2 : maxTitleWords).join('-'))
}

function slugOf(text: string): string {
  const words = text.normalize('NFC').toLowerCase()
  const slug = slugPattern.exec(words.replaceAll(/[\s_]+/g, '-'))?.[0] ?? ''
  return [...slug].slice(0, maxSlugLength).join('').replace(/-+$/, '') || 'chat'
}
