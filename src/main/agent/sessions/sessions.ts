import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundChat, Recall, ChatSummary } from '#shared/contract/index.ts'
import { type Clock, EventEmitter, type Subscribable, makeFolder, readIfExists } from '#platform'
import { AppError, isSystemError, onSystemError } from '#shared/util/errors.ts'
import {
  findInTranscript,
  readRecalls,
  type RecordedRecall,
  startLiveAnswer,
  recoverInterrupted,
} from './transcript-file.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import type { ChatModel } from '#llm'
import { isPrivateTranscript } from '#search'
import { listEntryNames, localDate, localTime, toFileName } from '#workspace'
import { compactionState } from '../compaction/compaction-state.ts'
import type { TranscriptEntry } from './transcript-entries.ts'
import { summaryEntry } from './session-events.ts'
import { storeRequest, readRequestWithWire } from './stored-requests.ts'
import { sessionWrites, Transcript } from './transcript.ts'
import { cutAtWord } from '#shared/markdown/log-entry.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'

/** `entry` is set if one was appended. A new fork has neither optional field. */
interface SessionChange {
  readonly session: string
  readonly entry?: TranscriptEntry
  readonly isDeletedOrRestored?: boolean
}

const maxCachedTranscripts = 20
const maxFoundSessions = 100

export class Sessions {
  readonly #changes = new EventEmitter<SessionChange>()
  readonly changes: Subscribable<SessionChange> = this.#changes
  readonly #folder: string
  readonly #trashFolder: string
  readonly #workspace: string
  readonly #now: Clock
  readonly #transcripts = new Map<string, Promise<Transcript>>()
  /** Sessions with a running turn: they stay cached, and their partial answer is not recovered. */
  readonly active = new Set<string>()
  readonly #recalls = new Map<string, { readonly stamp: string; readonly recalls: RecordedRecall[] }>()
  readonly #summaries = new Map<string, { stamp: string; summary: ChatSummary; isEmpty: boolean }>()

  constructor(folder: string, workspace: string, now: Clock) {
    this.#folder = folder
    this.#trashFolder = join(folder, 'deleted')
    this.#workspace = workspace
    this.#now = now
  }

  /** @param source entries to copy, and the absolute path of their transcript */
  async create(at: Date, source?: Parameters<typeof Transcript.create>[3]) {
    const id = `${at.toISOString().replace(/[:.]/g, '-')}_${crypto.randomUUID().slice(0, 8)}`
    await Transcript.create(this.#file(id), this.#workspace, at, source)
    return { id, transcript: await this.get(id) }
  }

  /** Copies a branch up to an entry, included. @returns the new id @throws AppError `unknown_session`, `input_invalid` */
  async fork(id: string, entry: string, at: Date): Promise<string> {
    const source = await this.get(id)
    const fork = await this.create(at, { file: source.file, entries: source.branch(entry) })
    // The branch may end before the entry that made the chat private.
    await fork.transcript.setPrivate(source.isPrivate)
    this.#changes.emit({ session: fork.id })
    return fork.id
  }

  /** Returns an up-to-date transcript. @throws AppError `unknown_session`, `transcript_unsupported` */
  async get(id: string): Promise<Transcript> {
    const pendingTranscript = this.#transcripts.get(id) ?? this.#open(id)
    this.#cache(id, pendingTranscript)
    try {
      const transcript = await pendingTranscript
      await transcript.refresh()
      return transcript
    } catch (error) {
      this.#transcripts.delete(id)
      throw error
    }
  }

  liveAnswer(id: string, model: ChatModel) {
    return startLiveAnswer(this.#file(id, 'partial'), model, this.#now())
  }

  /** Stores a request. @returns its 1-based number @throws AppError `disk_full`, `write_failed` */
  async storeRequest(id: string, request: object): Promise<number> {
    return sessionWrites.run(this.#file(id), () => storeRequest(this.requestsFolder(id), request, this.#now()))
  }

  requestsFolder(id: string): string {
    return this.#file(id, 'requests')
  }

  requestWithWire(id: string, number?: number) {
    return readRequestWithWire(this.requestsFolder(id), number)
  }

  outputsFolder(id: string): string {
    return this.#file(id, 'outputs')
  }

  /** @throws AppError `unknown_session`, also for a private chat unless `mayBePrivate` */
  async readText(id: string, mayBePrivate = true): Promise<string> {
    const text = /^[\w.-]+$/.test(id) ? await readIfExists(this.#file(id)) : undefined
    if (text === undefined || (!mayBePrivate && isPrivateTranscript(text.split('\n')))) throw unknownSession(id)
    return text
  }

  /** Exports the current branch as Markdown, or the file as JSONL. @throws AppError `unknown_session` */
  async export(id: string, format: 'markdown' | 'jsonl'): Promise<{ name: string; text: string }> {
    const transcript = await this.get(id)
    if (format === 'jsonl') {
      const lines = (await this.readText(id)).split('\n')
      return { name: `${id}.jsonl`, text: (transcript.isPrivate ? lines : lines.map(withoutContext)).join('\n') }
    }
    const title = (await this.summary(id))?.title || id
    const messages = transcript.messages().map(({ message }) => message)
    const name = `${toFileName(title, 'Conversation')}.md`
    const text = transcriptMarkdown(title, transcript.header.createdAt, messages)
    return { name, text: transcript.isPrivate ? withVisibility(text, true) : text }
  }

  /** Lists sessions, pinned ones first, then the newest. @param includeEmpty true to include sessions without entries */
  async list(includeEmpty = false): Promise<ChatSummary[]> {
    const names = ((await listEntryNames(this.#folder)) ?? []).filter((name) => name.endsWith('.jsonl'))
    const summaries = await Promise.all(names.map((name) => this.summary(name.slice(0, -'.jsonl'.length))))
    return summaries
      .filter((summary) => summary !== undefined)
      .filter(({ id }) => includeEmpty || !this.#summaries.get(id)?.isEmpty)
      .sort((one, other) => Number(other.pinned) - Number(one.pinned) || other.updatedAt - one.updatedAt)
  }

  /** Finds at most 100 sessions, in the order of `list`, whose title or messages contain every word of the query. */
  async find(query: string, signal: AbortSignal | undefined): Promise<FoundChat[]> {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    const results: FoundChat[] = []
    for (const { id, title } of await this.list()) {
      if (signal?.aborted || results.length >= maxFoundSessions) break
      const isInTitle = words.every((word) => title.toLowerCase().includes(word))
      const match = await findInTranscript(this.#file(id), words, signal)
      if (isInTitle || match) results.push({ id, title, ...match })
    }
    return results
  }

  /** Returns the memory searches of all sessions, newest first; only some if the signal aborts. */
  async recalls(signal: AbortSignal | undefined): Promise<Recall[]> {
    const recalls: Recall[] = []
    for (const { id, title } of await this.list()) {
      if (signal?.aborted) break
      const found = await this.#recallsOf(id).catch(onSystemError([], 'ENOENT'))
      recalls.push(...found.map((recall) => ({ ...recall, session: id, title })))
    }
    return recalls.sort((one, other) => other.at - one.at)
  }

  async #recallsOf(id: string): Promise<RecordedRecall[]> {
    const stamp = stampOf(await stat(this.#file(id)))
    const cached = this.#recalls.get(id)
    if (cached?.stamp === stamp) return cached.recalls
    const recalls = await readRecalls(this.#file(id))
    this.#recalls.set(id, { stamp, recalls })
    return recalls
  }

  async rename(id: string, name: string): Promise<void> {
    await (await this.get(id)).append({ type: 'session_info', name: name.trim() })
  }

  async pin(id: string, pinned: boolean): Promise<void> {
    await (await this.get(id)).appendCustom(pinEntry, { pinned })
  }

  /** Moves a session and its files to the trash. @throws AppError `unknown_session`, `session_busy` */
  async remove(id: string): Promise<void> {
    if (this.active.has(id)) throw new AppError('session_busy', 'this chat is still answering', { session: id })
    await this.get(id)
    await makeFolder(this.#trashFolder)
    await sessionWrites.run(this.#file(id), () => this.#move(id, this.#folder, this.#trashFolder))
    this.#transcripts.delete(id)
    this.#summaries.delete(id)
    this.#changes.emit({ session: id, isDeletedOrRestored: true })
  }

  /** Restores a deleted session. @throws AppError `unknown_session` if it is not in the trash */
  async restore(id: string): Promise<void> {
    await sessionWrites.run(this.#file(id), () => this.#move(id, this.#trashFolder, this.#folder))
    this.#changes.emit({ session: id, isDeletedOrRestored: true })
  }

  /** Returns a session's summary; undefined if it does not exist. An unreadable session gets its id as the title. */
  async summary(id: string): Promise<ChatSummary | undefined> {
    try {
      const stats = await stat(this.#file(id))
      const stamp = stampOf(stats)
      const cached = this.#summaries.get(id)
      if (cached?.stamp === stamp) return cached.summary
      const transcript = await (this.#transcripts.get(id) ?? this.#open(id))
      await transcript.refresh()
      const summary = toSummary(id, transcript, stats.mtimeMs)
      this.#summaries.set(id, { stamp, summary, isEmpty: transcript.entries.length === 0 })
      return summary
    } catch (error) {
      if (isSystemError(error, 'ENOENT') || (error instanceof AppError && error.code === 'unknown_session'))
        return undefined
      if (!(error instanceof AppError)) throw error
      return {
        id,
        title: id,
        createdAt: 0,
        updatedAt: 0,
        messages: 0,
        pinned: false,
        named: false,
        isWithoutMemory: false,
        isWithoutRecall: false,
        // Unknown, so the stricter value applies.
        isPrivate: true,
        kept: 0,
        areNotesMissing: false,
      }
    }
  }

  async #open(id: string): Promise<Transcript> {
    const transcript = await Transcript.open(this.#file(id), this.#now)
    transcript.changes.subscribe((entry) => this.#changes.emit({ session: id, entry }))
    const interrupted = this.active.has(id) ? undefined : await recoverInterrupted(this.#file(id, 'partial'))
    const last = transcript.messages().at(-1)?.message
    const isStored =
      interrupted &&
      last?.role === 'assistant' &&
      last.timestamp >= interrupted.timestamp &&
      messageText(last).startsWith(messageText(interrupted))
    if (interrupted && !isStored) await transcript.appendMessage(interrupted)
    return transcript
  }

  async #move(id: string, from: string, to: string): Promise<void> {
    const move = (name: string) => rename(join(from, name), join(to, name))
    await move(`${id}.jsonl`).catch((error: unknown) => {
      throw isSystemError(error, 'ENOENT') ? unknownSession(id) : error
    })
    for (const companion of [`${id}.requests`, `${id}.outputs`])
      await move(companion).catch(onSystemError(undefined, 'ENOENT'))
  }

  #file(id: string, ending = 'jsonl'): string {
    return join(this.#folder, `${id}.${ending}`)
  }

  #cache(id: string, transcript: Promise<Transcript>): void {
    this.#transcripts.delete(id)
    this.#transcripts.set(id, transcript)
    for (const oldest of this.#transcripts.keys()) {
      if (this.#transcripts.size <= maxCachedTranscripts) break
      if (!this.active.has(oldest)) this.#transcripts.delete(oldest)
    }
  }
}

/** Replaces the unchanged lines of the patches in a line of a transcript: in an open chat, they can be private. */
function withoutContext(line: string): string {
  const entry = line.includes('"patch":') ? parseJson(line) : undefined
  if (entry === undefined) return line
  return JSON.stringify(entry, (key, value: unknown) =>
    key === 'patch' && typeof value === 'string' ? value.replaceAll(/^ .*$/gm, ' …') : value,
  )
}

function unknownSession(id: string): AppError {
  return new AppError('unknown_session', `there is no chat ${id}`, { session: id })
}

function stampOf(info: { readonly mtimeMs: number; readonly size: number }): string {
  return `${info.mtimeMs}/${info.size}`
}

const maxTitleCharacters = 60
const pinEntry = 'commonplace.pin'

function toSummary(id: string, transcript: Transcript, modifiedAt: number): ChatSummary {
  const messages = transcript.messages()
  const { name } = transcript
  const pin = transcript.lastCustom(pinEntry, transcript.entries)
  const summary = transcript.lastCustom(summaryEntry)
  const summaryLines = isRecord(summary) && typeof summary['kept'] === 'number' ? summary['kept'] : 0
  const branch = transcript.branch()
  const notes = branch.flatMap((entry) => (entry.type === 'flush' ? entry.lines : []))
  return {
    id,
    title: name || firstWords(messages.find(({ message }) => message.role === 'user')?.message),
    createdAt: transcript.header.createdAt,
    updatedAt: messages.at(-1)?.message.timestamp ?? modifiedAt,
    messages: messages.filter(({ message }) => message.role !== 'toolResult').length,
    pinned: isRecord(pin) && pin['pinned'] === true,
    named: name !== undefined && name !== '',
    isWithoutMemory: transcript.isWithoutMemory,
    isWithoutRecall: transcript.isWithoutRecall,
    isPrivate: transcript.isPrivate,
    kept: summaryLines + notes.length,
    areNotesMissing: !transcript.isWithoutMemory && compactionState(branch).isBehind,
  }
}

function firstWords(message: Message | undefined): string {
  const text = message ? messageText(message).trim() : ''
  const line = text.split('\n').find((candidate) => candidate !== '' && !candidate.startsWith('<file ')) ?? ''
  // Remove Markdown marks, but keep single underscores, as in names.
  const title = line.replaceAll(/[*_`#]+/g, (marks) => (marks === '_' ? marks : '')).trim()
  return cutAtWord(title, maxTitleCharacters)
}

function transcriptMarkdown(title: string, createdAt: number, messages: readonly Message[]): string {
  const parts = [`# ${title}`, `*${formatTime(createdAt)}*`]
  for (const message of messages) {
    if (message.role === 'toolResult') continue
    const text = messageText(message).trim()
    if (message.role === 'user') {
      parts.push(`## User · ${formatTime(message.timestamp)}`, text)
      continue
    }
    const calls = message.content.flatMap((part) =>
      part.type === 'toolCall' ? [`- \`${part.name}\` ${JSON.stringify(part.arguments)}`] : [],
    )
    const failure = message.errorMessage === undefined ? '' : `> ${message.errorCode}: ${message.errorMessage}`
    const answer = [text, calls.join('\n'), failure].filter(Boolean)
    if (answer.length > 0) parts.push(`## Assistant · ${formatTime(message.timestamp)} · ${message.model}`, ...answer)
  }
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function formatTime(at: number): string {
  return `${localDate(new Date(at))} ${localTime(new Date(at))}`
}
