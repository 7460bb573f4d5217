import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { makeFolder, readIfThere, writePrivately } from '#platform'

/** Of one change, UTF-16 code units. */
const maxLength = 64_000_000
/** The oldest changes are dropped while all of them are larger, bytes. */
const maxBytes = 256 * 1024 * 1024

interface UndoStoreOptions<Of> {
  readonly folder: string
  /** So many changes are kept; the oldest are dropped first. */
  readonly most: number
  readonly schema: z.ZodType<Of>
}

interface UndoFile {
  readonly id: string
  readonly file: string
  readonly mtimeMs: number
  readonly size: number
}

export class UndoStore<Of extends { readonly at: number }> {
  readonly #options: UndoStoreOptions<Of>
  /** By file. */
  readonly #read = new Map<string, { readonly stamp: string; readonly one: Of | undefined }>()

  constructor(options: UndoStoreOptions<Of>) {
    this.#options = options
  }

  /** Latest first. A file that cannot be understood is passed over. */
  async all(): Promise<(readonly [id: string, one: Of])[]> {
    const files = await this.#files()
    const found = await Promise.all(files.map(async (file) => ({ id: file.id, one: await this.#parsed(file) })))
    const known = found.flatMap(({ id, one }) => (one ? [[id, one] as const] : []))
    return known.toSorted(([, one], [, other]) => other.at - one.at)
  }

  /** @returns undefined for a change that is not known (any more) */
  async get(id: string): Promise<Of | undefined> {
    const file = (await this.#files()).find((one) => one.id === id)
    return file && this.#parsed(file)
  }

  /** The last id by name: the latest change where ids begin with their moment. */
  async lastId(): Promise<string | undefined> {
    const ids = (await this.#files()).map(({ id }) => id)
    return ids.sort().at(-1)
  }

  /** Durably; a change with the same id is replaced. @throws AppError `file_too_large`, `disk_full`, `write_failed` */
  async put(id: string, one: Of): Promise<void> {
    const { folder, most } = this.#options
    const path = join(folder, `${id}.json`)
    const text = JSON.stringify(one)
    if (text.length > maxLength) throw new AppError('file_too_large', `${path} would be too large`, { path })
    await makeFolder(folder)
    await writePrivately(path, text)
    const files = (await this.#files()).toSorted((a, b) => b.mtimeMs - a.mtimeMs)
    let bytes = 0
    for (const [at, { file, size }] of files.entries()) {
      bytes += size
      if (at >= most || (at > 0 && bytes > maxBytes)) await rm(file, { force: true })
    }
  }

  async drop(id: string): Promise<void> {
    for (const one of await this.#files()) if (one.id === id) await rm(one.file, { force: true })
  }

  /** Earlier versions kept some of them in folders of their own below this one. */
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

  async #parsed({ file, mtimeMs, size }: UndoFile): Promise<Of | undefined> {
    const stamp = `${mtimeMs} ${size}`
    const known = this.#read.get(file)
    if (known?.stamp === stamp) return known.one
    const text = await readIfThere(file).catch(() => undefined)
    const { data: one } = this.#options.schema.safeParse(parseJson(text ?? ''))
    this.#read.set(file, { stamp, one })
    return one
  }
}
