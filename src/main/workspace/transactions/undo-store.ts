import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { readIfExists, writeDurablyPrivate } from '#platform'

/** Maximum length of an undo file, UTF-16 code units. */
const maxLength = 64_000_000
/** Total size above which the oldest changes are dropped, bytes. */
const maxBytes = 256 * 1024 * 1024

interface UndoStoreOptions<Entry> {
  readonly folder: string
  readonly limit: number
  readonly schema: z.ZodType<Entry>
}

interface UndoFile {
  readonly id: string
  readonly file: string
  readonly mtimeMs: number
  readonly size: number
}

export class UndoStore<Entry extends { readonly at: number }> {
  readonly #options: UndoStoreOptions<Entry>
  /** Parsed files by path, valid while size and modification time stay the same. */
  readonly #cache = new Map<string, { readonly stamp: string; readonly entry: Entry | undefined }>()

  constructor(options: UndoStoreOptions<Entry>) {
    this.#options = options
  }

  /** Returns the changes, newest first. Skips files that cannot be parsed. */
  async all(): Promise<(readonly [id: string, entry: Entry])[]> {
    const files = await this.#files()
    const results = await Promise.all(files.map(async (file) => ({ id: file.id, entry: await this.#readUndo(file) })))
    const entries = results.flatMap(({ id, entry }) => (entry ? [[id, entry] as const] : []))
    return entries.toSorted(([, a], [, b]) => b.at - a.at)
  }

  /** Returns undefined if the change is unknown, was dropped, or cannot be parsed. */
  async get(id: string): Promise<Entry | undefined> {
    const file = (await this.#files()).find((undoFile) => undoFile.id === id)
    return file && this.#readUndo(file)
  }

  /** Returns the greatest id: the newest change if ids start with a time stamp. Undefined if there is none. */
  async lastId(): Promise<string | undefined> {
    const ids = (await this.#files()).map(({ id }) => id)
    return ids.sort().at(-1)
  }

  /**
   * Stores a change durably, replacing one with the same id, and drops the oldest beyond the limits.
   * @throws AppError `file_too_large`, `disk_full`, `write_failed`
   */
  async put(id: string, entry: Entry): Promise<void> {
    const { folder, limit } = this.#options
    const path = join(folder, `${id}.json`)
    const text = JSON.stringify(entry)
    if (text.length > maxLength) throw new AppError('file_too_large', `${path} would be too large`, { path })
    await writeDurablyPrivate(path, text)
    const files = (await this.#files()).toSorted((a, b) => b.mtimeMs - a.mtimeMs)
    let bytes = 0
    for (const [index, { file, size }] of files.entries()) {
      bytes += size
      if (index >= limit || (index > 0 && bytes > maxBytes)) await rm(file, { force: true })
    }
  }

  async drop(id: string): Promise<void> {
    for (const undoFile of await this.#files()) if (undoFile.id === id) await rm(undoFile.file, { force: true })
  }

  /** Searches subfolders too: earlier versions stored some of the files there. */
  async #files(): Promise<UndoFile[]> {
    const { folder } = this.#options
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    const files = await Promise.all(
      names.map(async (name): Promise<UndoFile[]> => {
        const id = /(?:^|[\\/])([\w-]+)\.json$/.exec(name)?.[1]
        const file = join(folder, name)
        const info = id === undefined ? undefined : await stat(file).catch(() => undefined)
        return id !== undefined && info?.isFile() ? [{ id, file, mtimeMs: info.mtimeMs, size: info.size }] : []
      }),
    )
    return files.flat()
  }

  async #readUndo({ file, mtimeMs, size }: UndoFile): Promise<Entry | undefined> {
    const stamp = `${mtimeMs} ${size}`
    const cached = this.#cache.get(file)
    if (cached?.stamp === stamp) return cached.entry
    const text = await readIfExists(file).catch(() => undefined)
    const { data: entry } = this.#options.schema.safeParse(parseJson(text ?? ''))
    this.#cache.set(file, { stamp, entry })
    return entry
  }
}
