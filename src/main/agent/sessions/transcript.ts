/**
 * A chat on disk: an append-only JSONL file whose entries form a tree by `parentId`. The current branch leads
 * from the last entry to the root. Entries of unknown types stay in the file but are skipped, so that transcripts of pi
 * and early OpenClaw can be opened. Another program may append to the file; its entries are read before each append.
 */
import { readFile, stat } from 'node:fs/promises'
import { randomBytes, randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { ChatMessage } from '#shared/contract/index.ts'
import {
  systemClock,
  type Clock,
  EventEmitter,
  type Subscribable,
  appendDurably,
  writeDurably,
  KeyedQueue,
} from '#platform'
import {
  branchEntry,
  type BranchMark,
  isPrivateChat,
  isTurnedOff,
  memoryToggleEntry,
  privacyToggleEntry,
  recallToggleEntry,
  type Message,
} from '#shared/chat/messages.ts'
import { AppError } from '#shared/util/errors.ts'
import {
  serializeEntry,
  formatVersion,
  type EntryContent,
  type MessageEntry,
  type TranscriptEntry,
  type TranscriptHeader,
  pathTo,
  versionsOnBranch,
  newestDescendant,
  type MessageVersions,
} from './transcript-entries.ts'
import { loadEntries, type LoadedEntries, type ReadPosition } from './transcript-file.ts'
import type { LinkedMessage } from './digest.ts'

/** Serializes what is written for a session, by the path of its transcript. */
export const sessionWrites = new KeyedQueue()

export class Transcript {
  readonly file: string
  readonly #changes = new EventEmitter<TranscriptEntry>()
  readonly changes: Subscribable<TranscriptEntry> = this.#changes
  readonly header: TranscriptHeader
  /** 1-based numbers of the lines that could not be parsed when the file was opened. */
  readonly skippedLines: readonly number[]
  readonly #now: Clock
  #entries: TranscriptEntry[] = []
  #parents = new Map<string, string | null>()
  #leaf: string | null = null
  #position: ReadPosition

  private constructor(file: string, loaded: LoadedEntries, now: Clock) {
    this.file = file
    this.header = loaded.header
    this.skippedLines = loaded.skippedLines
    this.#now = now
    this.#position = loaded.position
    this.#add(loaded)
  }

  /**
   * @param workspace absolute path @param source entries to copy, and the absolute path of their transcript
   * @throws AppError `disk_full`, `write_failed`
   */
  static async create(
    file: string,
    workspace: string,
    at: Date,
    source?: { readonly file: string; readonly entries: readonly TranscriptEntry[] },
  ): Promise<Transcript> {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    const header = {
      type: 'session',
      version: formatVersion,
      id: randomUUID(),
      timestamp: at.toISOString(),
      timeZone,
      cwd: workspace,
      parentSession: source?.file,
    }
    const lines = [JSON.stringify(header), ...(source?.entries ?? []).map(serializeEntry)]
    await writeDurably(file, lines.map((line) => `${line}\n`).join(''))
    return Transcript.open(file)
  }

  /**
   * Opens a transcript; without a header, the file's birth time is the creation time.
   * @throws AppError `unknown_session` if the file is missing, `transcript_unsupported` if a newer version wrote it
   */
  static async open(file: string, now = systemClock): Promise<Transcript> {
    return new Transcript(file, await loadEntries(file), now)
  }

  /** Reads entries that another program added. @throws AppError `unknown_session` */
  async refresh(): Promise<void> {
    const loaded = await loadEntries(this.file, this.#position)
    if (loaded.isWhole) {
      this.#entries = []
      this.#parents = new Map()
      this.#leaf = null
    }
    this.#add(loaded)
  }

  get id(): string {
    return basename(this.file, '.jsonl')
  }

  /** Entries of all branches, in file order. */
  get entries(): readonly TranscriptEntry[] {
    return this.#entries
  }

  /** Returns a branch, root first; by default the current one. @throws AppError `input_invalid` if there is no entry `end` */
  branch(end?: string): TranscriptEntry[] {
    if (end !== undefined) this.#assertExists(end)
    const path = pathTo(end ?? this.#leaf, this.#parents)
    return this.#entries.filter((entry) => path.has(entry.id))
  }

  /** Returns the 1-based lines of the entries in the file, by their ids. */
  async linesOf(ids: readonly string[]): Promise<Map<string, number>> {
    const wanted = new Set(ids)
    const lines = new Map<string, number>()
    for (const [index, text] of (await readFile(this.file, 'utf8')).split('\n').entries()) {
      // The id of the entry itself comes first.
      const id = /"id":\s*"([^"]*)"/.exec(text)?.[1]
      if (id !== undefined && wanted.has(id)) lines.set(id, index + 1)
    }
    return lines
  }

  messages(): LinkedMessage[] {
    return this.branch().flatMap((entry) =>
      entry.type === 'message' ? [{ id: entry.id, message: entry.message }] : [],
    )
  }

  shownMessages(): ChatMessage[] {
    const versionsById = this.messageVersions()
    return this.messages().map((linked) => ({ ...linked, versions: versionsById.get(linked.id) }))
  }

  messageVersions(): Map<string, MessageVersions> {
    return versionsOnBranch(this.#leaf, this.#entries, this.#parents)
  }

  /** Returns the parent's id; null for the first entry. @throws AppError `input_invalid` if there is no such entry */
  parentOf(id: string): string | null {
    this.#assertExists(id)
    return this.#parents.get(id) ?? null
  }

  /**
   * Makes an entry the end of the current branch and the parent of the next one.
   * @param id null for an empty branch
   * @throws AppError `input_invalid` if there is no such entry, `disk_full`, `write_failed`
   */
  async moveTo(id: string | null, mark: BranchMark = {}): Promise<void> {
    if (id !== null) this.#assertExists(id)
    await this.append({ type: 'custom', customType: branchEntry, data: mark }, id)
  }

  /** Switches to the newest branch through an entry. @throws AppError as `moveTo` */
  async switchTo(id: string): Promise<void> {
    this.#assertExists(id)
    await this.moveTo(newestDescendant(id, this.#entries, this.#parents))
  }

  appendMessage(message: Message): Promise<EntryIds> {
    return this.append({ type: 'message', message })
  }

  appendCustom(customType: string, data: unknown): Promise<EntryIds> {
    return this.append({ type: 'custom', customType, data })
  }

  /** Returns the newest data of a custom type, by default on the current branch; undefined if there is none. */
  lastCustom(customType: string, entries: readonly TranscriptEntry[] = this.branch()): unknown {
    const lastEntry = entries.findLast((entry) => entry.type === 'custom' && entry.customType === customType)
    return lastEntry?.type === 'custom' ? lastEntry.data : undefined
  }

  /** Returns true if the chat neither searches memory nor writes notes. */
  get isWithoutMemory(): boolean {
    return isTurnedOff(this.lastCustom(memoryToggleEntry, this.#entries))
  }

  async setWithoutMemory(isOff: boolean): Promise<void> {
    if (isOff !== this.isWithoutMemory) await this.appendCustom(memoryToggleEntry, { isOff })
  }

  get isWithoutRecall(): boolean {
    return isTurnedOff(this.lastCustom(recallToggleEntry, this.#entries))
  }

  async setWithoutRecall(isOff: boolean): Promise<void> {
    if (isOff !== this.isWithoutRecall) await this.appendCustom(recallToggleEntry, { isOff })
  }

  /** Returns true if only models on this machine may read the chat, and no other program. */
  get isPrivate(): boolean {
    return isPrivateChat(this.lastCustom(privacyToggleEntry, this.#entries))
  }

  async setPrivate(isPrivate: boolean): Promise<void> {
    if (isPrivate !== this.isPrivate) await this.appendCustom(privacyToggleEntry, { isPrivate })
  }

  /** Id of the model of the last message (`provider/model` or `offline`); undefined before the first answer. */
  get modelId(): string | undefined {
    const idOf = (provider: string, model: string) => (provider === 'offline' ? provider : `${provider}/${model}`)
    for (const entry of this.branch().toReversed()) {
      if (entry.type === 'model_change') return idOf(entry.provider, entry.modelId)
      const message = entry.type === 'message' ? entry.message : undefined
      if (message?.role === 'assistant') return idOf(message.provider, message.model)
    }
    return undefined
  }

  /** Last name given to the chat; may be empty. */
  get name(): string | undefined {
    return this.#entries.findLast((entry) => entry.type === 'session_info')?.name
  }

  #assertExists(id: string): void {
    if (this.#parents.has(id)) return
    throw new AppError('input_invalid', `this chat has no entry ${id}`, { reason: id })
  }

  /** Resolves once the entry is on disk. @param parent default: the branch's end @throws AppError `disk_full`, `write_failed` */
  async append(content: EntryContent, parent?: string | null): Promise<EntryIds> {
    const entry = await sessionWrites.run(this.file, async () => {
      await this.refresh()
      let id: string
      do id = randomBytes(4).toString('hex')
      while (this.#parents.has(id))
      const parentId = parent === undefined ? this.#leaf : parent
      const ids: EntryIds = { id, parentId, timestamp: this.#now().toISOString() }
      // Type and ids come first: the id of a line is the first one in it.
      const added = { type: content.type, ...ids, ...content } as TranscriptEntry
      await appendDurably(this.file, `${serializeEntry(added)}\n`)
      const { ino, size } = await stat(this.file)
      this.#add({ entries: [added], position: { inode: ino, bytes: size } })
      return added
    })
    this.#changes.emit(entry)
    return entry
  }

  #add({ entries, position }: Pick<LoadedEntries, 'entries' | 'position'>): void {
    const added = entries.filter(({ id }) => !this.#parents.has(id))
    for (const entry of added) {
      this.#entries.push(entry)
      this.#parents.set(entry.id, entry.parentId)
    }
    // An entry that is already known does not move the branch back.
    const last = entries.at(-1)
    if (last && added.includes(last)) this.#leaf = last.id
    this.#position = position
  }
}

type EntryIds = Pick<MessageEntry, 'id' | 'parentId' | 'timestamp'>
