import { z } from 'zod'
import { messageText } from '#shared/chat/messages.ts'
import { AppError } from '#shared/util/errors.ts'
import { addedIn, fileChangeSchema } from '#shared/util/file-change.ts'
import { isRecord } from '#shared/util/json.ts'
import { isTransient, parseIntent, summarizeStatements, withoutRefused } from '#llm'
import { queryTerms } from '#search/text'
import { hashText } from '#workspace'
import { budgetOf } from '../context/context-budget.ts'
import { maxSummaryCharacters, summarizeChat } from '../compaction/summarize.ts'
import type { LinkedMessage } from '../sessions/digest.ts'
import { commandEntry, keptEntry, summaryEntry } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { loadPrompts } from './prompts.ts'
import * as note from './session-note.ts'

/** A session that has ended, with the services of its chat. */
interface EndedSession extends note.SessionNoteContext {
  readonly signal: AbortSignal
  /** Runs when the model has answered: a model that cannot be reached changes nothing. */
  readonly flush: () => Promise<void>
}

const noteSchema = z.object({
  path: z.string(),
  /** Hash of the text that was written. */
  hash: z.string(),
  /** Hash of the text that was proposed last. */
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
  const earlier = last === undefined ? await note.findUnrecorded(ended) : noteSchema.safeParse(last).data
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
    const after = `${[current.trimEnd(), ...(await note.itemsOf(ended, added))].join('\n')}\n`
    if (added.length > 0) await propose({ path: earlier?.path ?? '', before: current, after, sources: [] }, model.id)
    await record({ ...earlier, proposed: hashText(after) })
  } else {
    const text = await note.textOf(ended, messages, summary)
    const path = earlier && current !== undefined ? earlier.path : await note.freePath(ended, messages, summary)
    const write = await workspace.edit(path, { cause: 'agent', session: transcript.id }, (before) =>
      before === current ? text : (before ?? ''),
    )
    await record({ path, hash: hashText(write.after ?? ''), change: await workspace.describe(write) })
  }
}

/** @throws AppError if the model cannot be reached; if it refuses, the statements of the user are the summary */
async function summarizeSession(ended: EndedSession, messages: readonly LinkedMessage[]): Promise<note.Summary> {
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
      const { topic, lines } = await summarizeChat({ model, budget, signal, transcript, prompts, messages: usable })
      const title = transcript.name ?? messageText(first.message)
      if (lines) return { topic, title, lines: lines.filter(({ text }) => !isSaved(text)) }
    } catch (error) {
      if (!(error instanceof AppError) || isTransient(error)) throw error
    }
  }
  const texts = statements.map(({ id, message }) => ({ text: messageText(message), key: id }))
  const kept = summarizeStatements(texts, maxSummaryCharacters, isSaved)
  const lines = kept.map(({ text, key }) => ({ kind: 'fact' as const, text, messages: [key] }))
  return { title: transcript.name ?? lines[0]?.text ?? '', lines }
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
