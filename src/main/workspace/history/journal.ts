/**
 * What was written and is not recorded yet, one line each, in the order in which it was written; the texts are in the
 * repository already. Every process that writes to a workspace adds to it, while it keeps the others from writing; the one
 * that records takes lines out, and only those that it has recorded. So nothing that was written lacks its cause, whoever
 * wrote it and however that process ended.
 */
import { randomUUID } from 'node:crypto'
import { truncate } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { causes } from '#shared/contract/history.ts'
import { parseJson } from '#shared/util/json.ts'
import {
  appendDurably,
  writeDurably,
  copyAside,
  setAside,
  Exclusive,
  inBatches,
  makeFolder,
  readIfThere,
  blobId,
} from '#platform'
import { isNote } from '../files/file-names.ts'
import type { WorkspaceWrite } from '../files/workspace-edits.ts'
import { writeBlob } from './git-blob.ts'

const lineSchema = z.object({
  id: z.string(),
  path: z.string(),
  from: z.string().optional(),
  /** Ids of the texts; null where there was, or is, no file. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  origin: z.object({
    cause: z.enum(causes),
    session: z.string().optional(),
    turn: z.string().optional(),
    client: z.string().optional(),
    sources: z.array(z.string()).optional(),
    isUndo: z.boolean().optional(),
  }),
  at: z.number(),
})
export type JournalLine = z.infer<typeof lineSchema>

/** Lines from the first on, and how many bytes they are. */
export interface JournalPart {
  readonly lines: readonly JournalLine[]
  readonly bytes: number
}

/** While others add to it, it is only made shorter when it is longer than this, bytes. */
const longBytes = 256 * 1024
/** Of a change of many files, texts that are kept at the same time. */
const blobsAtOnce = 16
/** A full disk is asked again after this, ms. */
const retryMs = 1000

export class Journal {
  readonly #file: string
  readonly #gitdir: string
  readonly #alone: Exclusive
  readonly #onFault: (error: unknown) => void
  /** Written, and not yet in the journal: the disk did not take it. */
  #waiting: { readonly line: JournalLine; readonly texts: readonly string[] }[] = []
  #retry: NodeJS.Timeout | undefined
  #hasTold = false

  /** @param onFault told when a line could not be added; it is tried again until it can */
  constructor(folder: string, onFault: (error: unknown) => void) {
    this.#file = join(folder, 'journal.jsonl')
    this.#gitdir = repositoryIn(folder)
    this.#alone = new Exclusive(this.#file)
    this.#onFault = onFault
  }

  /** Resolves when the change is in the journal, or cannot be now. Never fails: what is written is written. */
  async add({ path, from, before, after, origin, at }: WorkspaceWrite): Promise<void> {
    if (!isNote(path)) return
    const { cause, session, turn, client, sources, isUndo } = origin
    const line = {
      id: randomUUID(),
      path,
      ...(from === undefined ? {} : { from }),
      before: before === null ? null : blobId(before),
      after: after === null ? null : blobId(after),
      origin: { cause, session, turn, client, ...(sources ? { sources: [...sources] } : {}), isUndo },
      at,
    }
    this.#waiting.push({ line, texts: [before, after].filter((text) => text !== null) })
    await this.#write()
  }

  async read(): Promise<JournalPart> {
    return this.#alone.run(() => this.#read())
  }

  /** Takes out the lines of the first `bytes`; perhaps only later, with those that come after them. */
  async drop(bytes: number): Promise<void> {
    await this.#alone.run(async () => {
      const text = Buffer.from((await readIfThere(this.#file)) ?? '', 'utf8')
      if (text.length === bytes) await truncate(this.#file)
      else if (bytes > longBytes) await writeDurably(this.#file, text.subarray(bytes))
    })
  }

  /** What is there and is none of its lines is kept beside it. @returns where; undefined when there was nothing of that kind */
  async check(): Promise<string | undefined> {
    return this.#alone.run(async () => {
      const text = await readIfThere(this.#file).catch(() => null)
      if (text === null) return setAside(this.#file)
      // The last line may have been torn by a crash.
      const whole = (text ?? '').split('\n').slice(0, -1)
      const isOurs = whole.every((line) => line === '' || parseJson(line) !== undefined)
      return isOurs ? undefined : copyAside(this.#file)
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry)
    if (this.#waiting.length > 0) await this.#write()
    clearTimeout(this.#retry)
    this.#alone.close()
  }

  async #read(): Promise<JournalPart> {
    const text = (await readIfThere(this.#file)) ?? ''
    const lines = text.split('\n').flatMap((line) => lineSchema.safeParse(parseJson(line)).data ?? [])
    return { lines, bytes: Buffer.byteLength(text, 'utf8') }
  }

  /** The texts come first: whoever reads a line finds them. */
  async #write(): Promise<void> {
    clearTimeout(this.#retry)
    try {
      await this.#alone.run(async () => {
        const changes = this.#waiting
        if (changes.length === 0) return
        const texts = new Set(changes.flatMap((change) => change.texts))
        await inBatches([...texts], blobsAtOnce, (text) => writeBlob(this.#gitdir, text))
        await makeFolder(dirname(this.#file))
        await appendDurably(this.#file, changes.map(({ line }) => `${JSON.stringify(line)}\n`).join(''))
        this.#waiting = this.#waiting.slice(changes.length)
        this.#hasTold = false
      })
    } catch (error) {
      if (!this.#hasTold) this.#onFault(error)
      this.#hasTold = true
      this.#retry = setTimeout(() => void this.#write(), retryMs)
      this.#retry.unref()
    }
  }
}

export function repositoryIn(folder: string): string {
  return join(folder, 'repository.git')
}
