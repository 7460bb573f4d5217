/**
 * Compares chats with the private notes: before a message is sent, after a note was marked, and before a release.
 * Compares by keys: those of `lineKeys`, `path <path of a note>`, `chat <session>`, `entry <id of a message>`.
 */
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { comparableForms, comparableLine, privateLinesOf } from '#shared/markdown/visibility.ts'
import { hasContent, withPrivateLines } from '#shared/markdown/visibility-edit.ts'
import type { BlamedLine, NoteLine, ReleasePreview } from '#shared/contract/index.ts'
import { addedIn } from '#shared/util/file-change.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { messageText, splitAttachments, textsInCalls, type Message } from '#shared/chat/messages.ts'
import { parseIntent, requestedNote } from '#llm'
import { type Clock, KeyedQueue, parseStored, readIfExists, writeDurably } from '#platform'
import type { Memory } from '#search'
import { localDate, projectContextFiles, type Workspace } from '#workspace'
import { lineKeys } from '#workspace/privacy'
import { workspacePath } from '../tools/tool.ts'
import { changesText, recalledIn } from '../context/message-text.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { changesIn } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { VisibleMemory } from './visible-memory.ts'

interface ChatPrivacyOptions {
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly visible: VisibleMemory
  /** Returns the chat and message of each line of a note; fewer lines if the history does not know them. */
  readonly originsOf: (path: string) => Promise<readonly Pick<BlamedLine, 'session' | 'turn'>[]>
  /** Returns the replaced texts of a note since a time (ms since the epoch); undefined if the history does not know them. */
  readonly versionsSince: (path: string, since: number) => readonly string[] | undefined
  readonly stateFile: string
  /** Stops the running turn of a session, if any, and waits for its end. */
  readonly stopTurn: (session: string) => Promise<void>
  readonly now: Clock
}

const stateSchema = z.object({
  /** Keys of all private text at the last update. */
  keys: z.array(z.string()),
  /** Chats that an update has made private, until the user has closed the notice. */
  untold: z.array(z.string()),
})
type State = z.infer<typeof stateSchema>

const maxShownLines = 20
/** Longest wait for the index before an update, ms: longer than that of a search, because a miss shows private text. */
const settleMs = 2000
/** Lines of a message that are parsed: each takes 0.04 ms, and a request precedes a long text. */
const maxRequestLines = 200

export class ChatPrivacy {
  readonly #options: ChatPrivacyOptions
  /** Version of the private units at the last comparison. */
  #comparedVersion: string | undefined
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
    const { versionsSince, visible } = this.#options
    const forms = lines.flatMap(comparableForms)
    const isPrivateIn = (text: string) => {
      const hidden = new Set(privateLinesOf(text, visible.marks.of(path, text)).flatMap(comparableForms))
      return forms.some((form) => hidden.has(form))
    }
    return versionsSince(path, since)?.some(isPrivateIn) ?? true
  }

  /** Returns comparable lines of the files that are not indexed because requests contain them in full. */
  async #privateLinesOfContextFiles(): Promise<string[]> {
    const { workspace, visible } = this.#options
    const files = projectContextFiles(workspace.layout).map(async (path) => {
      const text = (await orUndefined(workspace.read(path)))?.text ?? ''
      return privateLinesOf(text, visible.marks.of(path, text))
    })
    return (await Promise.all(files)).flat().flatMap(comparableForms)
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

  /** Marks the lines of `openLinesOf` private. @returns their number */
  async markLinesOf(session: string): Promise<number> {
    const lines = await this.openLinesOf(session)
    for (const [path, ofFile] of Map.groupBy(lines, (line) => line.path)) {
      const written = new Set(ofFile.map(({ text }) => comparableLine(text)))
      await this.#options.workspace.edit(path, { cause: 'user' }, (text = '') =>
        withPrivateLines(text, (_index, line) => isWritten(line, written)),
      )
    }
    return lines.length
  }

  /** Returns what a release of a private chat would let out. @throws AppError `unknown_session` */
  async previewRelease(session: string): Promise<ReleasePreview> {
    const { sessions, workspace, visible } = this.#options
    const messages = (await sessions.get(session)).messages().map(({ message }) => message)
    const shownMessages = messages.filter((message) => message.role !== 'toolResult' && messageText(message) !== '')
    const lines = await this.privateLines(messages.flatMap(textsIn).join('\n'))
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

  /** Returns the chats that `update` has made private, until `forgetMadePrivate`. */
  async madePrivate(): Promise<string[]> {
    return (await this.#read()).untold
  }

  async forgetMadePrivate(): Promise<void> {
    const state = await this.#read()
    if (state.untold.length > 0) await this.#write({ ...state, untold: [] })
  }

  /**
   * Makes the open chats private that contain or wrote lines, or recalled files, that have become private since the last
   * call. The index must be complete.
   * @returns the chats of `madePrivate`
   */
  update(): Promise<readonly string[]> {
    return this.#queue.run('', async () => {
      if (this.#isClosed) return []
      const { memory, sessions, stopTurn, workspace } = this.#options
      const version = await memory.privateVersion()
      if (version === this.#comparedVersion) return []
      const keys = new Set([...(await memory.privateKeys()), ...(await this.#pathKeys())])
      const state = await this.#read()
      const known = new Set(state.keys)
      const added = new Set([...keys].filter((key) => !known.has(key)))
      for (const key of [...(await this.#linkedMessages(added)), ...(await this.#keysOfOrigins(added))]) added.add(key)
      const madePrivate = [...state.untold]
      for (const { id, isPrivate } of added.size === 0 ? [] : await sessions.list(true)) {
        const transcript = await orUndefined(sessions.get(id))
        if (!transcript || isPrivate) continue
        if (!added.has(`chat ${id}`) && !contains(transcript, added, workspace)) continue
        await stopTurn(id)
        await transcript.setPrivate(true)
        madePrivate.push(id)
      }
      if (added.size > 0 || known.size !== keys.size) await this.#write({ keys: [...keys], untold: madePrivate })
      this.#comparedVersion = version
      return madePrivate
    })
  }

  /**
   * Waits for the index, then updates; does nothing if the index is not complete soon. A turn must not call it, because
   * an update waits for the end of the turns that it stops.
   */
  async settle(): Promise<void> {
    await orUndefined(this.#options.memory.catchUp(settleMs).then((isComplete) => (isComplete ? this.update() : [])))
  }

  /** Waits for the running update, which needs the index. Later updates do nothing. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue.settle()
  }

  /** Returns the keys of the messages that private lines link to. A copy of a chat has the same messages. */
  async #linkedMessages(keys: ReadonlySet<string>): Promise<string[]> {
    const found: string[] = []
    for (const [, session = '', line] of [...keys].map((key) => /^sessions\/(.+)\.jsonl:(\d+)$/.exec(key) ?? [])) {
      const text = session === '' ? undefined : await orUndefined(this.#options.sessions.readText(session))
      const entry = parseJson(text?.split('\n')[Number(line) - 1] ?? '')
      if (isRecord(entry)) found.push(`entry ${String(entry['id'])}`)
    }
    return found
  }

  /** Returns the keys of the chats that wrote private lines, and of the messages that were answered then. */
  async #keysOfOrigins(keys: ReadonlySet<string>): Promise<string[]> {
    const { memory, workspace, visible, originsOf } = this.#options
    const files = keys.size === 0 ? [] : await memory.indexedFiles()
    const found = files.map(async ({ path, source, privacy }) => {
      if (source === 'sessions' || privacy === 0) return []
      const text = (await orUndefined(workspace.read(path)))?.text ?? ''
      const lines = text.split(/\r?\n/)
      const openLines = visible.marks.openText(path, text)?.split(/\r?\n/) ?? []
      const isNew = (line: string, index: number) =>
        line !== openLines[index] && lineKeys(line).some((key) => keys.has(key))
      if (!lines.some(isNew)) return []
      const origins = (await orUndefined(originsOf(path))) ?? []
      return origins.flatMap(({ session, turn }, index) =>
        session !== undefined && isNew(lines[index] ?? '', index) ? [`chat ${session}`, `entry ${turn}`] : [],
      )
    })
    return (await Promise.all(found)).flat()
  }

  /** Returns the keys of the notes that are private as a whole. */
  async #pathKeys(): Promise<string[]> {
    const { memory, visible } = this.#options
    const files = await memory.indexedFiles()
    const isPrivate = ({ path, privacy }: (typeof files)[number]) =>
      privacy === 2 || visible.marks.of(path, '').isFullyPrivate
    return files.filter((file) => file.source !== 'sessions' && isPrivate(file)).map(({ path }) => `path ${path}`)
  }

  async #read(): Promise<State> {
    const text = (await readIfExists(this.#options.stateFile)) ?? ''
    return parseStored(stateSchema, text) ?? { keys: [], untold: [] }
  }

  async #write(state: State): Promise<void> {
    await writeDurably(this.#options.stateFile, JSON.stringify(state))
  }
}

/** Returns true if a message or a note of the chat has a line with one of the keys, or recalled or read such a file. */
function contains({ entries }: Transcript, keys: ReadonlySet<string>, workspace: Workspace): boolean {
  return entries.some((entry) => {
    const messages = entry.type === 'message' ? [entry.message] : []
    const paths = messages.flatMap((message) => pathsIn(message, workspace)).map((path) => `path ${path}`)
    const written = changesIn(entry).flatMap(({ patch }) => addedIn(patch))
    const texts = [...messages.flatMap(textsIn), ...written]
    return [`entry ${entry.id}`, ...paths, ...texts.flatMap(lineKeys)].some((key) => keys.has(key))
  })
}

/** Returns the texts of a message, those of the notes in a tool result, and the notes that its lines ask for. */
function textsIn(message: Message): string[] {
  const text = messageText(message)
  const answer = message.role === 'toolResult' ? parseJson(text) : undefined
  const content = isRecord(answer) && typeof answer['text'] === 'string' ? [answer['text']] : []
  const quoted = [...content, ...recalledIn(message).map(({ snippet }) => snippet)]
  const fromUser = quoted.flatMap((quote) => [...quote.matchAll(/^(?:- )?User: (.*)/gm)].map(([, line = '']) => line))
  const typed = message.role === 'user' ? splitAttachments(message).text : ''
  const requests = requestsIn([typed, ...fromUser].join('\n'), new Date(message.timestamp))
  return [text, changesText(message), ...quoted, ...requests.map(({ note }) => note), ...textsInCalls(message)]
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
