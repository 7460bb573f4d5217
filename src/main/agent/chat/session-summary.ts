import { z } from 'zod'
import { messageText } from '#shared/chat/messages.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { addedIn } from '#shared/util/file-change.ts'
import { fillText } from '#shared/util/fill-text.ts'
import { isRecord } from '#shared/util/json.ts'
import { isTransient, parseIntent, summarizeStatements, withoutRefused } from '#llm'
import { handsOverText, isRequest, isTask, queryTerms, sentencesOf } from '#search/text'
import { budgetOf, sessionSummaryText } from '../context/context-budget.ts'
import { maxSummaryCharacters, summarizeChat } from '../compaction/summarize.ts'
import type { DigestLine, LinkedMessage } from '../sessions/digest.ts'
import { changesIn, summaryEntry } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { loadPrompts } from './prompts.ts'
import { createUserTextMatcher } from '#shared/markdown/user-text.ts'
import { withSource } from '#shared/markdown/provenance.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { hashText, localDate, memoryFolderPath } from '#workspace'
import { sourcesOfMessages, userTextIn } from './provenance-tracking.ts'
import type { ChatServices, TurnTarget } from './turn-context.ts'

interface EndedSession extends ChatServices, TurnTarget {
  readonly signal: AbortSignal
  /** Runs when the model has answered: a model that cannot be reached changes nothing. */
  readonly flush: () => Promise<void>
}

const noteSchema = z.object({
  path: z.string(),
  hash: z.string(),
  proposed: z.string().optional(),
})

/**
 * Writes or updates the summary of a session as a note, and records it in the transcript. Proposes the update if the
 * user has edited the note. Writes no note if nothing is worth keeping.
 * @throws AppError of the model, or if the note cannot be written
 */
export async function saveSessionSummary(ended: EndedSession): Promise<void> {
  const { transcript, model, workspace, propose } = ended
  const last = transcript.lastCustom(summaryEntry)
  const earlier = last === undefined ? await findUnrecorded(ended) : noteSchema.safeParse(last).data
  const current =
    earlier && (await workspace.exists(earlier.path)) ? (await workspace.read(earlier.path)).text : undefined
  const all = transcript.messages()
  const through = isRecord(last) ? last['through'] : undefined
  const since = all.slice(all.findIndex(({ id }) => id === through) + 1)
  // After the user has deleted the note, a new one covers the messages since.
  const messages = current === undefined ? since : all
  const summary = await summarizeSession(ended, messages)
  const { lines } = summary
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
    const text = await textOf(ended, messages, summary)
    const path = earlier && current !== undefined ? earlier.path : await freePath(ended, messages, summary)
    const write = await workspace.edit(path, { cause: 'agent', session: transcript.id }, (before) =>
      before === current ? text : (before ?? ''),
    )
    await record({ path, hash: hashText(write.after ?? ''), change: await workspace.describe(write) })
  }
}

/** @throws AppError if the model cannot be reached; if it refuses, the statements of the user are the summary */
async function summarizeSession(ended: EndedSession, messages: readonly LinkedMessage[]): Promise<Summary> {
  const { transcript, model, signal, config } = ended
  const saved = savedTerms(transcript)
  const isSaved = (text: string) => {
    const terms = contentTerms(text)
    return saved.some((words) => terms.every((term) => words.has(term)))
  }
  const allowed = new Set(withoutRefused(messages.map(({ message }) => message)))
  const usable = messages.filter(({ message }) => allowed.has(message) && messageText(message).trim() !== '')
  const isOffline = model.provider === 'offline'
  // The offline model takes a few words for a search.
  const isSearch = (text: string) => isOffline && contentTerms(text).length < 4 && parseIntent(text).kind === 'keywords'
  const statements = usable.filter(({ message }) => message.role === 'user' && !isSearch(messageText(message)))
  const [first] = statements
  if (!first) return { title: '', lines: [] }
  if (!isOffline) {
    try {
      const budget = budgetOf(model, config.current.compaction)
      const prompts = await loadPrompts(ended)
      const { topic, lines } = await summarizeChat(transcript, usable, prompts, { model, budget, signal })
      const title = transcript.name ?? messageText(first.message)
      const asking = new Set(statements.flatMap(({ id, message }) => (asksOnly(messageText(message)) ? id : [])))
      const isStated = ({ text, messages: from }: DigestLine) =>
        !isSaved(text) && (from.length === 0 || from.some((id) => !asking.has(id)))
      if (lines) return { topic, title, lines: lines.filter(isStated) }
    } catch (error) {
      if (!(error instanceof AppError) || isTransient(error)) throw error
    }
  }
  const texts = statements.map(({ id, message }) => ({ text: messageText(message), key: id }))
  const kept = summarizeStatements(texts, maxSummaryCharacters, isSaved)
  const lines = kept.map(({ text, key }) => ({ kind: 'fact' as const, text, messages: [key] }))
  return { title: transcript.name ?? lines[0]?.text ?? '', lines }
}

/** Returns true for a message without statements: a fact cannot be from it. */
function asksOnly(text: string): boolean {
  if (parseIntent(text).kind === 'remember') return false
  return handsOverText(text) || sentencesOf(text).every((sentence) => isRequest(sentence) || isTask(sentence))
}

/** Returns the words of each line that the chat has saved in notes, also if the note was undone. */
function savedTerms(transcript: Transcript): ReadonlySet<string>[] {
  // The notes of flushes and earlier summaries are parts of the summary.
  const entries = transcript.branch().filter((entry) => entry.type === 'message' || entry.type === 'custom')
  const others = entries.filter((entry) => entry.type === 'message' || entry.customType !== summaryEntry)
  const lines = others.flatMap(changesIn).flatMap(({ patch }) => addedIn(patch))
  return lines.map((line) => new Set(contentTerms(line)))
}

function contentTerms(text: string): string[] {
  return queryTerms(text).flatMap(({ role, readings }) => (role === 'function' ? [] : (readings[0]?.term ?? [])))
}

interface Summary {
  /** Two to four words by the model, for the name of the file. */
  readonly topic?: string | undefined
  /** Text for the name of the file without a topic. */
  readonly title: string
  readonly lines: readonly DigestLine[]
}

const maxTitleWords = 4
const minWordLength = 4
/** First characters of a text without spaces. A number counts as one. */
const unspacedStart = /^(?:\d+|\D){1,8}/u
/** Letters of any script: file names follow the chat's language. */
const slugPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+){0,5}/u
/** Maximum code points of a slug. File names hold 255 bytes, date included. */
const maxSlugLength = 60

/** Finds the note of a session that was written just before a crash. */
async function findUnrecorded({ workspace, transcript }: EndedSession) {
  const folder = memoryFolderPath(workspace.layout)
  const date = dateOf(transcript, transcript.messages())
  const names = await workspace.entryNames(folder)
  for (const name of names.filter((one) => one.startsWith(`${date}-`))) {
    const path = `${folder}/${name}`
    const { text } = (await orUndefined(workspace.read(path))) ?? { text: '' }
    const isOwn = sessionSummaryText(text) !== undefined && text.includes(`[sessions/${transcript.id}.jsonl]`)
    if (isOwn) return { path, hash: hashText(text), proposed: undefined }
  }
  return undefined
}

async function textOf(context: EndedSession, messages: readonly LinkedMessage[], summary: Summary): Promise<string> {
  const { models, transcript } = context
  const { lines } = summary
  const date = dateOf(transcript, messages)
  const items = await itemsOf(context, lines)
  const { ending } = models.sentencesFor(lines.map(({ text }) => text))
  const source = fillText(ending, { link: `[sessions/${transcript.id}.jsonl]` })
  const note = `# ${date}: ${slugOf(summary).replaceAll('-', ' ')}\n\n${source}\n\n${items.join('\n')}\n`
  const texts = messages.map(({ message }) => message)
  const isTyped = createUserTextMatcher(userTextIn(texts))
  const sources = lines.every(({ text }) => isTyped(text)) ? [] : sourcesOfMessages(texts, [])
  const marked = sources.length === 0 ? note : withSource(note, sources, date)
  return transcript.isPrivate ? withVisibility(marked, true) : marked
}

async function itemsOf({ transcript }: EndedSession, lines: readonly DigestLine[]): Promise<string[]> {
  const placeOf = await transcript.linesOf(lines.flatMap((line) => line.messages))
  return lines.map(({ text, messages }) => {
    const links = messages
      .flatMap((id) => placeOf.get(id) ?? [])
      .map((line) => `[sessions/${transcript.id}.jsonl:${line}]`)
    return [`- ${text}`, ...links].join(' ')
  })
}

async function freePath({ workspace, transcript }: EndedSession, messages: readonly LinkedMessage[], summary: Summary) {
  const base = `${memoryFolderPath(workspace.layout)}/${dateOf(transcript, messages)}-${slugOf(summary)}`
  for (let number = 1; ; number += 1) {
    const path = `${base}${number === 1 ? '' : `-${number}`}.md`
    if (!(await workspace.exists(path))) return path
  }
}

/** Returns the day of the last user message, in the time zone where the session began. */
function dateOf({ header }: TurnTarget['transcript'], messages: readonly LinkedMessage[]): string {
  const last = messages.findLast(({ message }) => message.role === 'user')
  return localDate(new Date(last?.message.timestamp ?? header.createdAt), header.timeZone)
}

/** Returns the topic, or the first words of the title that are not short, joined by hyphens. */
function slugOf({ topic, title }: Summary): string {
  const words = (topic ?? firstWords(title)).normalize('NFC').toLowerCase()
  const slug = slugPattern.exec(words.replaceAll(/[\s_]+/g, '-'))?.[0] ?? ''
  return [...slug].slice(0, maxSlugLength).join('').replace(/-+$/, '') || 'chat'
}

function firstWords(title: string): string {
  const words = (title.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => !/\d{5}/.test(word))
  // A text without spaces is one word.
  const short = words.map((word) => (/\p{Lo}/u.test(word) ? (unspacedStart.exec(word)?.[0] ?? '') : word))
  const telling = short.filter((word) => word.length >= minWordLength || /[\p{N}\p{Lo}]/u.test(word))
  const isUnspaced = /\p{Lo}/u.test(telling[0] ?? '')
  return (telling.length > 0 ? telling : short).slice(0, isUnspaced ? 2 : maxTitleWords).join('-')
}
