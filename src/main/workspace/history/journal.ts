/**
 * Journal of changes that are written but not yet committed, one JSON line each; their texts are already in the
 * repository. Every process that writes appends lines under the lock. Only the recording process removes lines, after
 * it has committed them. So the cause of a change survives a crash.
 */
import { randomUUID } from 'node:crypto'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import {
  appendDurably,
  writeDurably,
  copyDamaged,
  renameDamaged,
  Mutex,
  inBatches,
  readIfExists,
  blobId,
} from '#platform'
import { isNote } from '../files/file-names.ts'
import { originSchema, type WorkspaceWrite } from '../files/workspace-writer.ts'
import { writeBlob } from './repository.ts'

const lineSchema = z.object({
  id: z.string(),
  path: z.string(),
  from: z.string().optional(),
  /** Blob ids of the texts before and after the change; null if the file did not exist then. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  origin: originSchema,
  /** Milliseconds since the epoch. */
  at: z.number(),
})
export type JournalLine = z.infer<typeof lineSchema>

export interface JournalContent {
  readonly lines: readonly JournalLine[]
  /** Length of the journal file, bytes. */
  readonly bytes: number
}

/** If lines were added meanwhile, `removeLines` rewrites the file only if it can remove more than this, bytes. */
const minRemovableBytes = 256 * 1024
const blobsAtOnce = 16
const retryMs = 1000

export class Journal {
  readonly #file: string
  readonly #gitdir: string
  readonly #mutex: Mutex
  readonly #onFault: (error: unknown) => void
  #pending: { readonly line: JournalLine; readonly texts: readonly string[] }[] = []
  #retryTimer: NodeJS.Timeout | undefined
  #hasReportedFailure = false

  /** @param onFault called when a line cannot be written; the write is retried until it succeeds */
  constructor(folder: string, onFault: (error: unknown) => void) {
    this.#file = join(folder, 'journal.jsonl')
    this.#gitdir = repositoryPath(folder)
    this.#mutex = new Mutex(this.#file)
    this.#onFault = onFault
  }

  /**
   * Resolves when the change is in the journal, or the write has failed and is retried later. Never rejects: the file
   * itself is already written.
   */
  async add({ path, from, before, after, origin, at }: WorkspaceWrite): Promise<void> {
    if (!isNote(path)) return
    const line = {
      id: randomUUID(),
      path,
      ...(from === undefined ? {} : { from }),
      before: before === null ? null : blobId(before),
      after: after === null ? null : blobId(after),
      origin,
      at,
    }
    this.#pending.push({ line, texts: [before, after].filter((text) => text !== null) })
    await this.#writePending()
  }

  /** Returns the valid lines, oldest first; none if there is no journal. @throws AppError `file_busy` */
  async read(): Promise<JournalContent> {
    return this.#mutex.run(async () => {
      const text = (await readIfExists(this.#file)) ?? ''
      const lines = text.split('\n').flatMap((line) => lineSchema.safeParse(parseJson(line)).data ?? [])
      return { lines, bytes: Buffer.byteLength(text, 'utf8') }
    })
  }

  /**
   * Removes the first `bytes` of the journal. May postpone this if lines were added meanwhile.
   * @throws AppError `file_busy`, `disk_full`, `write_failed`
   */
  async removeLines(bytes: number): Promise<void> {
    await this.#mutex.run(async () => {
      const text = Buffer.from((await readIfExists(this.#file)) ?? '', 'utf8')
      if (text.length === bytes) await truncate(this.#file)
      else if (bytes > minRemovableBytes) await writeDurably(this.#file, text.subarray(bytes))
    })
  }

  /** Saves a copy of the journal if it is damaged. @returns the path of the copy; undefined if the journal is intact */
  async checkIntegrity(): Promise<string | undefined> {
    return this.#mutex.run(async () => {
      const text = await readIfExists(this.#file).catch(() => null)
      if (text === null) return renameDamaged(this.#file)
      const completeLines = (text ?? '').split('\n').slice(0, -1)
      const isIntact = completeLines.every((line) => line === '' || parseJson(line) !== undefined)
      return isIntact ? undefined : copyDamaged(this.#file)
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#retryTimer)
    if (this.#pending.length > 0) await this.#writePending()
    clearTimeout(this.#retryTimer)
    this.#mutex.close()
  }

  /** Writes the pending texts, then the lines, so that the texts of every line exist. */
  async #writePending(): Promise<void> {
    clearTimeout(this.#retryTimer)
    try {
      await this.#mutex.run(async () => {
        const changes = this.#pending
        if (changes.length === 0) return
        const texts = new Set(changes.flatMap((change) => change.texts))
        await inBatches([...texts], blobsAtOnce, (text) => writeBlob(this.#gitdir, text))
        await appendDurably(this.#file, changes.map(({ line }) => `${JSON.stringify(line)}\n`).join(''))
        this.#pending = this.#pending.slice(changes.length)
        this.#hasReportedFailure = false
      })
    } catch (error) {
      if (!this.#hasReportedFailure) this.#onFault(error)
      this.#hasReportedFailure = true
      this.#retryTimer = setTimeout(() => void this.#writePending(), retryMs)
      this.#retryTimer.unref()
    }
  }
}

export function repositoryPath(folder: string): string {
  return join(folder, 'repository.git')
}
