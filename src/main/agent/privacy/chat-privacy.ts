/**
 * Compares chats with the private notes: before a message is sent, after a note was marked, and before a release.
 * Chats are compared by the words of lines and by keys: `path <path of a note>`, and of the origin of a line
 * `change <id>`, `chat <session>`, `entry <id of a message>`.
 */
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { comparableForms, comparableLine, privateLinesOf } from '#shared/markdown/visibility.ts'
import { hasContent, withPrivateLines, withVisibility } from '#shared/markdown/visibility-edit.ts'
import type { NoteLine, ReleasePreview } from '#shared/contract/index.ts'
import { addedIn } from '#shared/util/file-change.ts'
import { orUndefined, unlessAppError } from '#shared/util/errors.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { messageText, splitAttachments, textsInCalls, type Message } from '#shared/chat/messages.ts'
import { isDisclaimer, parseIntent, requestedNote } from '#llm'
import { type Clock, inBatches, KeyedQueue, parseStored, readIfExists, writeDurably } from '#platform'
import type { Memory } from '#search'
import { localDate, projectContextFiles, type History, type Workspace } from '#workspace'
import { lineKey } from '#workspace/privacy'
import { workspacePath } from '../tools/tool.ts'
import { recalledIn } from '../context/message-text.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { changesIn } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { LineFinder } from './line-finder.ts'
import { missingFileError, type VisibleMemory } from './visible-memory.ts'

interface ChatPrivacyOptions {
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly visible: VisibleMemory
  readonly history: History
  readonly stateFile: string
  /** Stops the running turn of a session, if any, and waits for its end. */
  readonly stopTurn: (session: string) => Promise<void>
  readonly now: Clock
}

const stateSchema = z.object({
  /** Keys at the last update: `lineKey` of each private line, and `path <path of a private note>`. */
  keys: z.array(z.string()),
  /** Chats that an update has made private, and notes that it kept private, until the user has closed the notice. */
  untold: z.array(z.string()),
})
type State = z.infer<typeof stateSchema>

/** Keys of the private lines of a note, with that of its path if all of it is private; the state of the file. */
interface PrivateNote {
  readonly keys: readonly string[]
  readonly stamp: string
}

/** A link to a chat, or to a message by its 1-based line in the transcript. */
const chatLink = /sessions\/([\w.-]+)\.jsonl(?::(\d+))?/g
const maxShownLines = 20
/** Longest wait for the index before an update, ms: longer than that of a search, because a miss shows private text. */
const settleMs = 2000
const readAtOnce = 64
/** Lines of a message that are parsed: each takes 0.04 ms, and a request precedes a long text. */
const maxRequestLines = 200

export class ChatPrivacy {
  readonly #options: ChatPrivacyOptions
  /** Version of the private text at the last comparison. */
  #comparedVersion: string | undefined
  /** Notes with private text at the last comparison, by path. */
  #notes = new Map<string, PrivateNote>()
  readonly #queue = new KeyedQueue()
  #isClosed = false

  constructor(options: ChatPrivacyOptions) {
    this.#options = options
  }

  /**
   * Returns the lines of a text that equal private lines; none if there is no index.
   * @param typed text whose lines can also ask to remember a private line
   */
  async privateLines(text: string, typed = ''): Promise<string[]> {
    const requests = requestsIn(typed, this.#options.now())
    // Reversed, so that the map has the first line of each form.
    const all = [...text.split(/\r?\n/).map((line) => ({ line, note: line })), ...requests].toReversed()
    const lines = new Map(all.flatMap(({ line, note }) => comparableForms(note).map((form) => [form, line.trim()])))
    if (lines.size === 0) return []
    const indexed = (await orUndefined(this.#options.memory.privateLines([...lines.keys()]))) ?? []
    const found = new Set([...indexed, ...(await this.#privateLinesOfContextFiles())])
    return [...new Set([...lines].flatMap(([form, line]) => (found.has(form) ? [line] : [])))]
  }

  /**
   * Returns true if a version of a note since a time has one of the lines as private text, or if its versions are unknown.
   * @param since milliseconds since the epoch
   */
  wasPrivate(path: string, lines: readonly string[], since: number): boolean {
    const { history, visible } = this.#options
    const keys = new Set(lines.flatMap(lineKey))
    const privateIn = (text: string) => privateLinesOf(text, visible.marks.of(path, text)).flatMap(lineKey)
    return history.versionsSince(path, since)?.some((text) => privateIn(text).some((key) => keys.has(key))) ?? true
  }

  /** Returns comparable lines of the files that are not indexed because requests contain them in full. */
  async #privateLinesOfContextFiles(): Promise<string[]> {
    const paths = projectContextFiles(this.#options.workspace.layout)
    const files = await Promise.all(paths.map((path) => this.#privateText(path)))
    return files.flatMap(({ lines }) => lines.flatMap(comparableForms))
  }

  async countMatches(question: string, signal: AbortSignal): Promise<number> {
    const query = question.slice(0, maxQuery).toWellFormed()
    const { results } = await this.#options.memory.search(query, { hasChats: false }, signal)
    return new Set(results.flatMap(({ path, isPrivate }) => (isPrivate ? [path] : []))).size
  }

  /** Returns the open lines in notes that a chat wrote. @throws AppError `unknown_session` */
  async openLinesOf(session: string): Promise<NoteLine[]> {
    const { sessions, visible } = this.#options
    const changes = (await sessions.get(session)).entries.flatMap(changesIn)
    const places = [...Map.groupBy(changes, ({ path }) => path)].map(async ([path, ofFile]) => {
      const written = new Set(ofFile.flatMap(({ patch }) => addedIn(patch)).map(comparableLine))
      const lines = (await orUndefined(visible.read(path)))?.text.split(/\r?\n/) ?? []
      return lines.flatMap((text, index) => (isWritten(text, written) ? [{ path, line: index + 1, text }] : []))
    })
    return (await Promise.all(places)).flat()
  }

  /** Makes lines private, wherever they are in their notes now. @throws AppError `file_not_found`, as `Workspace.edit` */
  async markLines(chosen: readonly NoteLine[]): Promise<void> {
    for (const [path, ofFile] of Map.groupBy(chosen, (line) => line.path)) {
      const lines = new Set(ofFile.map(({ text }) => comparableLine(text)))
      await this.#options.workspace.edit(path, { cause: 'user' }, (text) => {
        if (text === undefined) throw missingFileError(path)
        return withPrivateLines(text, (_index, line) => lines.has(comparableLine(line)))
      })
    }
  }

  /** Returns what a release of a private chat would let out. @throws AppError `unknown_session` */
  async previewRelease(session: string): Promise<ReleasePreview> {
    const { sessions, workspace, visible } = this.#options
    const messages = (await sessions.get(session)).messages().map(({ message }) => message)
    const shownMessages = messages.filter((message) => message.role !== 'toolResult' && messageText(message) !== '')
    const typed = messages.flatMap((message) => (message.role === 'user' ? splitAttachments(message).text : []))
    const lines = await this.privateLines(messages.flatMap(textsIn).join('\n'), typed.join('\n'))
    const paths = [...new Set(messages.flatMap((message) => pathsIn(message, workspace)))]
    const texts = await Promise.all(paths.map((path) => orUndefined(workspace.read(path))))
    const isPrivate = (path: string, text = '') => visible.textOf(path, text) !== text
    return {
      messages: shownMessages.length,
      lines: lines.slice(0, maxShownLines),
      lineCount: lines.length,
      notes: paths.filter((path, index) => isPrivate(path, texts[index]?.text)),
    }
  }

  /** Returns the chats that `update` made private and the paths of notes that it kept private, until `forgetMadePrivate`. */
  async madePrivate(): Promise<string[]> {
    return (await this.#read()).untold
  }

  async forgetMadePrivate(): Promise<void> {
    const state = await this.#read()
    if (state.untold.length > 0) await this.#write({ ...state, untold: [] })
  }

  /**
   * Makes the open chats private that wrote, were given or repeat text that has become private since the last call, and
   * keeps notes private that another program moved out of a private folder. The index must be complete.
   */
  async update(): Promise<void> {
    if (this.#isClosed) return
    await this.#queue.run('', async () => {
      const { memory, sessions, stopTurn } = this.#options
      const version = JSON.stringify([await memory.privateVersion(), await this.#privateLinesOfContextFiles()])
      if (version === this.#comparedVersion) return
      const state = await this.#read()
      const known = new Set(state.keys)
      const earlier = this.#notes
      await this.#readNotes()
      const moved = await this.#keepMovedPrivate(known)
      const keys = new Set([...this.#notes.values()].flatMap((note) => note.keys))
      const added = keys.difference(known)
      const open = added.size === 0 ? [] : (await sessions.list(true)).filter(({ isPrivate }) => !isPrivate)
      const { found, lines } = await this.#whatToFind(open.length === 0 ? new Set() : added, earlier)
      const madePrivate = [...state.untold, ...moved]
      for (const { id } of open) {
        const transcript = await orUndefined(sessions.get(id))
        if (!transcript || !this.#knows(transcript, found, lines)) continue
        await stopTurn(id)
        madePrivate.push(id)
        // The windows read the list when the chat changes.
        await this.#write({ ...state, untold: madePrivate })
        await transcript.setPrivate(true)
      }
      if (added.size > 0 || known.size !== keys.size) await this.#write({ keys: [...keys], untold: madePrivate })
      this.#comparedVersion = version
    })
  }

  /**
   * Waits for the index, then updates. A turn must pass its signal, because an update waits for the turns that it stops.
   * @param session chat that is about to send a request: its notes are read, also if the index is not complete soon
   * @returns false if the index is not complete soon: then other open chats can contain private text
   */
  async settle(signal?: AbortSignal, session?: string): Promise<boolean> {
    const update = async () => {
      const isComplete = await this.#options.memory.catchUp(settleMs)
      if (isComplete) await this.update()
      // The watcher may not have seen a change of another program yet.
      if (session !== undefined) await this.#queue.run('', () => this.#updateChat(session))
      return isComplete
    }
    const aborted = Promise.withResolvers<undefined>()
    signal?.addEventListener('abort', () => aborted.resolve(undefined), { once: true })
    return signal?.aborted !== true && (await Promise.race([orUndefined(update()), aborted.promise])) === true
  }

  /** Makes a chat private if the notes that it recalled, read or wrote have such text that has become private. */
  async #updateChat(session: string): Promise<void> {
    const transcript = await orUndefined(this.#options.sessions.get(session))
    if (!transcript || transcript.isPrivate || this.#isClosed) return
    const state = await this.#read()
    const known = new Set(state.keys)
    const messages = transcript.messages().flatMap(({ message }) => pathsIn(message, this.#options.workspace))
    const paths = new Set([...messages, ...transcript.entries.flatMap(changesIn).map(({ path }) => path)])
    const keys = new Set<string>()
    const lines = new LineFinder()
    for (const path of paths) {
      const note = await this.#privateText(path)
      const isNew = (line: string) => !isDisclaimer(line) && !lineKey(line).every((key) => known.has(key))
      for (const line of note.lines.filter(isNew)) lines.add(line)
      if (note.isWhole && !known.has(`path ${path}`)) keys.add(`path ${path}`)
    }
    if (!this.#knows(transcript, keys, lines)) return
    await this.#options.stopTurn(session)
    await this.#write({ ...state, untold: [...state.untold, session] })
    await transcript.setPrivate(true)
  }

  /** Waits for the updates so far, which need the index. Later ones do nothing. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue.settle()
  }

  /** Reads the notes with private text that have changed since the last call. */
  async #readNotes(): Promise<void> {
    const { memory, workspace } = this.#options
    const { marks } = this.#options.visible
    const indexed = (await memory.indexedFiles()).map(({ path, source, mtime, size, privacy }) => {
      const isByRule = marks.of(path, '').isFullyPrivate
      const isPrivate = source !== 'sessions' && (isByRule || privacy > 0)
      return { path, stamp: `${mtime} ${size} ${isByRule}`, isPrivate }
    })
    const context = projectContextFiles(workspace.layout).map((path) => ({ path, stamp: '' }))
    const files = [...indexed.filter(({ isPrivate }) => isPrivate), ...context]
    const notes = await inBatches(files, readAtOnce, async ({ path, stamp }) => {
      const earlier = this.#notes.get(path)
      const isSame = stamp !== '' && earlier?.stamp === stamp
      return [path, isSame ? earlier : { keys: (await this.#privateText(path)).keys, stamp }] as const
    })
    this.#notes = new Map(notes)
  }

  async #privateText(path: string) {
    const { workspace, visible } = this.#options
    const text = (await orUndefined(workspace.read(path)))?.text ?? ''
    const privacy = visible.marks.of(path, text)
    const lines = privateLinesOf(text, privacy)
    const keys = [...(privacy.isFullyPrivate ? [`path ${path}`] : []), ...lines.flatMap(lineKey)]
    return { lines, keys, isWhole: privacy.isFullyPrivate }
  }

  /** Writes the front matter of notes that left a private folder, as a move in the app does. @returns their paths */
  async #keepMovedPrivate(known: ReadonlySet<string>): Promise<string[]> {
    const { history, workspace } = this.#options
    const { marks } = this.#options.visible
    const isLost = (path: string) => !this.#notes.has(path) && marks.of(path, '').isFullyPrivate
    const lost = [...known].flatMap((key) => /^path (.*)$/.exec(key)?.[1] ?? []).filter(isLost)
    if (lost.length > 0) await orUndefined(history.recordAll())
    const moved: string[] = []
    for (const from of lost) {
      const path = unlessAppError(() => history.currentPath(from)) ?? from
      if (path === from || !(await workspace.exists(path)) || (await this.#privateText(path)).isWhole) continue
      const edit = workspace.edit(path, { cause: 'user' }, (text = '') => withVisibility(text, true))
      if (!(await orUndefined(edit))) continue
      this.#notes.set(path, { keys: (await this.#privateText(path)).keys, stamp: '' })
      moved.push(path)
    }
    return moved
  }

  /** @param added keys of lines and notes that have become private @param earlier notes of the last comparison */
  async #whatToFind(added: ReadonlySet<string>, earlier: ReadonlyMap<string, PrivateNote>) {
    const { history } = this.#options
    const isAdded = (key: string) => added.has(key)
    const changed = [...this.#notes].flatMap(([path, { keys }]) => (keys.some(isAdded) ? [path] : []))
    history.recordExternalChanges(changed)
    if (changed.length > 0) await orUndefined(history.flush())
    const lines = new LineFinder()
    const keys = new Set([...added].filter((key) => key.startsWith('path ')))
    for (const path of changed) {
      // Every summary begins with the same words.
      const isOwn = (line: string) => lineKey(line).some(isAdded) && !isDisclaimer(line)
      const own = (await this.#privateText(path)).lines.filter(isOwn)
      const wasPrivate = new Set(earlier.get(path)?.keys)
      const origins = await orUndefined(history.originsOf(path, own))
      for (const { texts, changes } of origins ?? own.map((line) => ({ texts: [line], changes: [] }))) {
        lines.add(texts[0] ?? '')
        const before = texts.slice(1).flatMap(lineKey)
        // An edit of a line that was private already.
        if (before.some((key) => wasPrivate.has(key))) continue
        for (const text of texts) lines.add(text)
        for (const key of await this.#linksIn(texts.join('\n'))) keys.add(key)
        for (const { change, session, turn } of changes)
          for (const key of [`change ${change}`, `chat ${session}`, `entry ${turn}`]) keys.add(key)
      }
    }
    return { found: keys, lines }
  }

  /** Returns the links of a text, and the keys of the chats and messages. A copy of a chat has the same messages. */
  async #linksIn(line: string): Promise<string[]> {
    const links = [...line.matchAll(chatLink)].map(async ([link, session = '', number]) => {
      if (number === undefined) return [`chat ${session}`]
      const text = await orUndefined(this.#options.sessions.readText(session))
      const entry = parseJson(text?.split('\n')[Number(number) - 1] ?? '')
      return isRecord(entry) ? [link, `entry ${String(entry['id'])}`] : [link]
    })
    return (await Promise.all(links)).flat()
  }

  /** Returns true if the chat wrote, was given or repeats a line, or recalled or read such a note. */
  #knows({ id, entries }: Transcript, keys: ReadonlySet<string>, lines: LineFinder): boolean {
    if (keys.has(`chat ${id}`)) return true
    return entries.some((entry) => {
      const messages = entry.type === 'message' ? [entry.message] : []
      const paths = messages.flatMap((message) => pathsIn(message, this.#options.workspace))
      const changes = changesIn(entry)
      const texts = [...messages.flatMap(textsIn), ...changes.flatMap(({ patch }) => addedIn(patch))]
      const links = texts.flatMap((text) => text.match(chatLink) ?? [])
      const written = changes.map(({ change }) => `change ${change}`)
      const own = [`entry ${entry.id}`, ...paths.map((path) => `path ${path}`), ...written, ...links]
      return own.some((key) => keys.has(key)) || texts.some((text) => lines.isIn(text))
    })
  }

  async #read(): Promise<State> {
    const text = (await readIfExists(this.#options.stateFile)) ?? ''
    return parseStored(stateSchema, text) ?? { keys: [], untold: [] }
  }

  async #write(state: State): Promise<void> {
    await writeDurably(this.#options.stateFile, JSON.stringify(state))
  }
}

/** Returns the texts of a message, with those of the notes in a tool result and of changed lines. */
function textsIn(message: Message): string[] {
  const text = messageText(message)
  const answer = message.role === 'toolResult' ? parseJson(text) : undefined
  const content = isRecord(answer) && typeof answer['text'] === 'string' ? [answer['text']] : []
  const recalled = recalledIn(message).map(({ snippet }) => snippet)
  const changes = message.role === 'user' ? (message.changes ?? []) : []
  const changed = changes.flatMap(({ added, removed }) => [...added, ...removed])
  return [text, ...changed, ...content, ...recalled, ...textsInCalls(message)]
}

/** Returns the lines that ask to remember something, with the note as the app saves it. */
function requestsIn(typed: string, at: Date): { readonly line: string; readonly note: string }[] {
  const day = localDate(at)
  return typed.split('\n', maxRequestLines).flatMap((line) => {
    const intent = parseIntent(line, day)
    return intent.kind === 'remember' ? [{ line, note: requestedNote(intent, day) }] : []
  })
}

function pathsIn(message: Message, { roots }: Workspace): string[] {
  const parts = message.role === 'assistant' ? message.content : []
  const calls = parts.map((part) => (part.type === 'toolCall' ? part.arguments['path'] : undefined))
  const read = calls
    .filter((path) => typeof path === 'string')
    .map((path) => workspacePath(parseLines(path)?.path ?? path, roots.workspace))
  return [...recalledIn(message).map(({ path }) => path), ...read.filter((path) => !isAbsolute(path))]
}

/** Returns false for the first line of a daily log, which the app writes. */
function isWritten(line: string, written: ReadonlySet<string>): boolean {
  return hasContent(line) && !/^# \d{4}-\d{2}-\d{2}\s*$/.test(line) && written.has(comparableLine(line))
}
