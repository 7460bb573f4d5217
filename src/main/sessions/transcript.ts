/**
 * One conversation on disk (M34): a JSONL file, append-only, whose entries form a tree by `parentId`. The current branch
 * is the way from the last entry back to the root. Unknown entry types are kept and skipped over, so that transcripts of
 * pi and early OpenClaw open.
 */
import { createReadStream } from 'node:fs'
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { fileChangeSchema, messageSchema, usageSchema, type Message } from '../../shared/messages.ts'

/** The version of the layout that is written; newer ones are not guessed at. */
const version = 3

const headerSchema = z.looseObject({
  type: z.literal('session'),
  version: z.number().optional(),
  id: z.string(),
  timestamp: z.string(),
})

const entryBase = { id: z.string(), parentId: z.string().nullable().default(null), timestamp: z.string() }

const entrySchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message'), ...entryBase, message: messageSchema }),
  /** A summary stands for what is before `firstKeptEntryId`; nothing is removed from the file. */
  z.looseObject({
    type: z.literal('compaction'),
    ...entryBase,
    summary: z.string(),
    firstKeptEntryId: z.string(),
    tokensBefore: z.number().default(0),
    tokensAfter: z.number().optional(),
    usage: usageSchema.optional(),
  }),
  /** What was said up to `throughEntryId` has been looked through for durable notes. */
  z.looseObject({
    type: z.literal('flush'),
    ...entryBase,
    status: z.enum(['wrote', 'nothing', 'rescued', 'failed']),
    throughEntryId: z.string(),
    changes: z.array(fileChangeSchema).default([]),
    message: z.string().optional(),
    usage: usageSchema.optional(),
  }),
  /** Results that are sent cut, or not at all, from here on. */
  z.looseObject({
    type: z.literal('prune'),
    ...entryBase,
    trimmed: z.array(z.string()),
    cleared: z.array(z.string()),
    charactersBefore: z.number(),
    charactersAfter: z.number(),
  }),
  z.looseObject({ type: z.literal('model_change'), ...entryBase, provider: z.string(), modelId: z.string() }),
  z.looseObject({ type: z.literal('custom'), ...entryBase, customType: z.string(), data: z.unknown() }),
])

export type TranscriptEntry = z.infer<typeof entrySchema>
type WithoutIds<T> = T extends unknown ? Omit<T, 'id' | 'parentId' | 'timestamp' | number> : never
export type KeptEntry = Extract<TranscriptEntry, { type: 'flush' | 'compaction' | 'prune' }>
export type KeptContent = WithoutIds<KeptEntry>
export type MessageEntry = Extract<TranscriptEntry, { type: 'message' }>

export interface TranscriptHeader {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** An entry that we do not understand, but that others hang on to. */
interface ForeignEntry {
  readonly id: string
  readonly parentId: string | null
}

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

  static async create(file: string, workspace: string, at: Date): Promise<Transcript> {
    const id = randomUUID()
    await mkdir(dirname(file), { recursive: true })
    const line = JSON.stringify({ type: 'session', version, id, timestamp: at.toISOString(), cwd: workspace })
    const handle = await open(file, 'wx')
    try {
      await handle.appendFile(`${line}\n`)
    } finally {
      await handle.close()
    }
    return new Transcript(
      file,
      { id, createdAt: at.getTime() },
      { entries: [], foreign: [], leaf: null, skippedLines: [], isTorn: false },
    )
  }

  /** @throws AppError `unknown_session` when there is no such file, `transcript_unsupported` when it is of a newer version */
  static async open(file: string): Promise<Transcript> {
    const loaded = await load(file)
    const header = loaded.header ?? { id: file, createdAt: (await stat(file)).birthtimeMs }
    return new Transcript(file, header, loaded)
  }

  get entries(): readonly TranscriptEntry[] {
    return this.#entries
  }

  /** Entries from the first to the last of the current branch. */
  branch(): TranscriptEntry[] {
    const onBranch = new Set<string>()
    for (let id = this.#leaf; id !== null && !onBranch.has(id); id = this.#parents.get(id) ?? null) onBranch.add(id)
    return this.#entries.filter((entry) => onBranch.has(entry.id))
  }

  messages(): { id: string; message: Message }[] {
    return this.branch().flatMap((entry) =>
      entry.type === 'message' ? [{ id: entry.id, message: entry.message }] : [],
    )
  }

  /** Appends below the last entry and waits until it is on disk. */
  async appendMessage(message: Message): Promise<MessageEntry> {
    const entry: MessageEntry = { type: 'message', ...this.#nextIds(), message }
    await this.#append(entry)
    return entry
  }

  /** What keeping did: a flush, a compaction, a pruning. */
  async appendKept(entry: KeptContent): Promise<void> {
    await this.#append({ ...entry, ...this.#nextIds() } as TranscriptEntry)
  }

  /** From here on another model answers. */
  async appendModelChange(provider: string, modelId: string): Promise<void> {
    await this.#append({ type: 'model_change', ...this.#nextIds(), provider, modelId })
  }

  /** Something to keep with the conversation that no model reads. */
  async appendCustom(customType: string, data: unknown): Promise<void> {
    await this.#append({ type: 'custom', ...this.#nextIds(), customType, data })
  }

  lastCustom(customType: string): unknown {
    const found = this.branch().findLast((entry) => entry.type === 'custom' && entry.customType === customType)
    return found?.type === 'custom' ? found.data : undefined
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
      const text = this.#needsLineBreak ? `\n${line}` : line
      await appendSynced(this.file, text)
      this.#needsLineBreak = false
    })
    this.#writing = written.catch(() => undefined)
    await written
  }
}

async function appendSynced(file: string, text: string): Promise<void> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file, 'a')
    await handle.appendFile(text)
    await handle.datasync()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'write_failed',
      `the conversation could not be saved: ${reason}`,
      { path: file },
      { cause: error },
    )
  } finally {
    await handle?.close()
  }
}

interface LoadedEntries {
  readonly entries: TranscriptEntry[]
  readonly foreign: ForeignEntry[]
  readonly leaf: string | null
  readonly skippedLines: number[]
  readonly isTorn: boolean
}

const foreignSchema = z.looseObject({ type: z.string(), id: z.string(), parentId: z.string().nullable().default(null) })

async function load(file: string): Promise<LoadedEntries & { header: TranscriptHeader | undefined }> {
  const entries: TranscriptEntry[] = []
  const foreign: ForeignEntry[] = []
  const skippedLines: number[] = []
  let header: TranscriptHeader | undefined
  let leaf: string | null = null
  let number = 0
  try {
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      number += 1
      if (line.trim() === '') continue
      const value = parseLine(line)
      const asHeader = headerSchema.safeParse(value)
      if (asHeader.success && number === 1) {
        if ((asHeader.data.version ?? 1) > version) {
          throw new AppError(
            'transcript_unsupported',
            `this conversation was written by a newer version (${asHeader.data.version})`,
            {
              path: file,
              version: asHeader.data.version ?? 0,
            },
          )
        }
        header = { id: asHeader.data.id, createdAt: Date.parse(asHeader.data.timestamp) }
        continue
      }
      const entry = entrySchema.safeParse(value)
      if (entry.success) {
        entries.push(entry.data)
        leaf = entry.data.id
        continue
      }
      const other = foreignSchema.safeParse(value)
      if (other.success && other.data.type !== 'message') {
        foreign.push(other.data)
        leaf = other.data.id
      } else skippedLines.push(number)
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR'))
      throw new AppError('unknown_session', 'this conversation does not exist any more', { path: file })
    throw error
  }
  return { header, entries, foreign, leaf, skippedLines, isTorn: !(await endsWithLineBreak(file)) }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function endsWithLineBreak(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size === 0) return true
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer[0] === 10
  } finally {
    await handle.close()
  }
}
