/**
 * One conversation on disk (M34): a JSONL file, append-only, whose entries form a tree by `parentId`. The current branch
 * is the way from the last entry back to the root. Unknown entry types are kept and skipped over, so that transcripts of
 * pi and early OpenClaw open.
 */
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomBytes, randomUUID } from 'node:crypto'
import type { SessionMessage } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import type { Message } from '../../shared/messages.ts'
import { version, type KeptContent, type MessageEntry, type TranscriptEntry, type TranscriptHeader } from './entries.ts'
import { appendSynced, loadTranscript, type LoadedEntries } from './transcript-file.ts'
import { branchEntry, pathTo, siblingsOn, tipBelow, type BranchMark, type Siblings } from './tree.ts'

export class Transcript {
  readonly file: string
  readonly header: TranscriptHeader
  /** 1-based numbers of lines that could not be read. */
  readonly skippedLines: readonly number[]
  readonly #entries: TranscriptEntry[]
  readonly #parents: Map<string, string | null>
  #leaf: string | null
  #writing: Promise<unknown> = Promise.resolve()
  /** A crash can leave the last line without its end; the next one must not be glued to it. */
  #needsLineBreak: boolean

  private constructor(file: string, header: TranscriptHeader, loaded: LoadedEntries) {
    this.file = file
    this.header = header
    this.#entries = loaded.entries
    this.#parents = new Map([...loaded.entries, ...loaded.foreign].map(({ id, parentId }) => [id, parentId]))
    this.#leaf = loaded.leaf
    this.skippedLines = loaded.skippedLines
    this.#needsLineBreak = loaded.isTorn
  }

  /** @param from a conversation whose entries the new one begins with */
  static async create(
    file: string,
    workspace: string,
    at: Date,
    from?: { readonly file: string; readonly entries: readonly TranscriptEntry[] },
  ): Promise<Transcript> {
    const id = randomUUID()
    await mkdir(dirname(file), { recursive: true })
    const header = { type: 'session', version, id, timestamp: at.toISOString(), cwd: workspace }
    const lines = [from ? { ...header, parentSession: from.file } : header, ...(from?.entries ?? [])]
    const handle = await open(file, 'wx')
    try {
      await handle.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    } finally {
      await handle.close()
    }
    const entries = [...(from?.entries ?? [])]
    const leaf = entries.at(-1)?.id ?? null
    const loaded = { entries, foreign: [], leaf, skippedLines: [], isTorn: false }
    return new Transcript(file, { id, createdAt: at.getTime() }, loaded)
  }

  /** @throws AppError `unknown_session` when there is no such file, `transcript_unsupported` when it is of a newer version */
  static async open(file: string): Promise<Transcript> {
    const loaded = await loadTranscript(file)
    const header = loaded.header ?? { id: file, createdAt: (await stat(file)).birthtimeMs }
    return new Transcript(file, header, loaded)
  }

  /** Of all branches, in the order of the file. */
  get entries(): readonly TranscriptEntry[] {
    return this.#entries
  }

  /** Entries from the first to the last of the current branch. */
  branch(): TranscriptEntry[] {
    const path = pathTo(this.#leaf, this.#parents)
    return this.#entries.filter((entry) => path.has(entry.id))
  }

  /** The branch that ends at an entry. @throws AppError `input_invalid` when there is no such entry */
  branchTo(id: string): TranscriptEntry[] {
    this.#assertKnown(id)
    const path = pathTo(id, this.#parents)
    return this.#entries.filter((entry) => path.has(entry.id))
  }

  messages(): { id: string; message: Message }[] {
    return this.branch().flatMap((entry) =>
      entry.type === 'message' ? [{ id: entry.id, message: entry.message }] : [],
    )
  }

  /** The messages as they are shown: those that have other versions say so. */
  shownMessages(): SessionMessage[] {
    const siblings = this.siblings()
    return this.messages().map(({ id, message }) => {
      const versions = siblings.get(id)
      return versions ? { id, message, versions: { ids: [...versions.ids], index: versions.index } } : { id, message }
    })
  }

  /** Other versions of the messages on the current branch. */
  siblings(): Map<string, Siblings> {
    return siblingsOn(this.branch(), this.#entries, this.#parents)
  }

  /** What stands right above an entry; null above the first. @throws AppError `input_invalid` */
  parentOf(id: string): string | null {
    this.#assertKnown(id)
    return this.#parents.get(id) ?? null
  }

  /** Ends the current branch at an entry (null: before the first), so that what comes next grows from there. */
  async moveTo(id: string | null, mark: BranchMark = {}): Promise<void> {
    if (id !== null) this.#assertKnown(id)
    this.#leaf = id
    await this.appendCustom(branchEntry, mark)
  }

  /** Shows the branch that a message is on, as far as it goes. */
  async switchTo(id: string): Promise<void> {
    this.#assertKnown(id)
    await this.moveTo(tipBelow(id, this.#entries, this.#parents))
  }

  /** Appends below the last entry and waits until it is on disk. */
  async appendMessage(message: Message): Promise<MessageEntry> {
    const entry: MessageEntry = { type: 'message', ...this.#nextIds(), message }
    await this.#append(entry)
    return entry
  }

  /** What keeping did: a flush, a compaction, a pruning. */
  async appendKept(entry: KeptContent): Promise<string> {
    const ids = this.#nextIds()
    await this.#append({ ...entry, ...ids } as TranscriptEntry)
    return ids.id
  }

  /** From here on another model answers. */
  async appendModelChange(provider: string, modelId: string): Promise<void> {
    await this.#append({ type: 'model_change', ...this.#nextIds(), provider, modelId })
  }

  async appendName(name: string): Promise<void> {
    await this.#append({ type: 'session_info', ...this.#nextIds(), name })
  }

  /** Something to keep with the conversation that no model reads. */
  async appendCustom(customType: string, data: unknown): Promise<string> {
    const ids = this.#nextIds()
    await this.#append({ type: 'custom', ...ids, customType, data })
    return ids.id
  }

  /** The newest of its kind on the current branch. */
  lastCustom(customType: string): unknown {
    return lastCustomOf(this.branch(), customType)
  }

  /** The newest of its kind on whatever branch: what is said of the conversation as a whole. */
  lastCustomAnywhere(customType: string): unknown {
    return lastCustomOf(this.#entries, customType)
  }

  /** The name that the conversation was given last. */
  get name(): string | undefined {
    const found = this.#entries.findLast((entry) => entry.type === 'session_info')
    return found?.type === 'session_info' ? found.name : undefined
  }

  #assertKnown(id: string): void {
    if (this.#parents.has(id)) return
    throw new AppError('input_invalid', `this conversation has no entry ${id}`, { reason: id })
  }

  #nextIds(): { id: string; parentId: string | null; timestamp: string } {
    let id: string
    do id = randomBytes(4).toString('hex')
    while (this.#parents.has(id))
    return { id, parentId: this.#leaf, timestamp: new Date().toISOString() }
  }

  async #append(entry: TranscriptEntry): Promise<void> {
    this.#entries.push(entry)
    this.#parents.set(entry.id, entry.parentId)
    this.#leaf = entry.id
    const line = `${JSON.stringify(entry)}\n`
    const written = this.#writing.then(async () => {
      await appendSynced(this.file, this.#needsLineBreak ? `\n${line}` : line)
      this.#needsLineBreak = false
    })
    this.#writing = written.catch(() => undefined)
    await written
  }
}

function lastCustomOf(entries: readonly TranscriptEntry[], customType: string): unknown {
  const found = entries.findLast((entry) => entry.type === 'custom' && entry.customType === customType)
  return found?.type === 'custom' ? found.data : undefined
}
