/**
 * What it takes to take back what changed many notes at once, one file each in the state folder: there are ways back after
 * a restart, too. Read when somebody first asks, so that no start waits for it.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { makeFolder } from './make-folder.ts'
import { readIfThere } from './read-file.ts'
import { writePrivately } from './durable-write.ts'

/** What is larger is known for as long as the app runs, characters. */
const maxKept = 64_000_000

interface KeptUndosOptions<Of> {
  /** Undefined keeps nothing on the disk. */
  readonly folder: string | undefined
  /** So many are kept; the oldest go first. */
  readonly most: number
  /** Undefined for what is none. */
  readonly parse: (json: unknown) => Of | undefined
}

/** By the name that it is taken back by, the oldest first. */
export class KeptUndos<Of extends { readonly at: number }> {
  readonly #options: KeptUndosOptions<Of>
  #all: Promise<Map<string, Of>> | undefined

  constructor(options: KeptUndosOptions<Of>) {
    this.#options = options
  }

  all(): Promise<ReadonlyMap<string, Of>> {
    return this.#read()
  }

  /** What cannot be kept (a full disk) is known for as long as the app runs. */
  async add(id: string, one: Of): Promise<void> {
    const all = await this.#read()
    all.set(id, one)
    const { folder, most } = this.#options
    for (const old of [...all.keys()].slice(0, -most)) await this.drop(old)
    const text = folder === undefined ? '' : JSON.stringify(one)
    if (folder === undefined || text.length > maxKept) return
    try {
      await makeFolder(folder)
      await writePrivately(join(folder, `${id}.json`), text)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  async drop(id: string): Promise<void> {
    const { folder } = this.#options
    ;(await this.#read()).delete(id)
    if (folder !== undefined) await rm(join(folder, `${id}.json`), { force: true })
  }

  #read(): Promise<Map<string, Of>> {
    return (this.#all ??= this.#readAll())
  }

  async #readAll(): Promise<Map<string, Of>> {
    const { folder, parse } = this.#options
    const found: [string, Of][] = []
    if (folder === undefined) return new Map()
    for (const name of await readdir(folder).catch(() => [])) {
      const id = /^([\w-]+)\.json$/.exec(name)?.[1]
      const text = id === undefined ? undefined : await readIfThere(join(folder, name)).catch(() => undefined)
      const one = text === undefined ? undefined : parse(parseJson(text))
      if (id !== undefined && one !== undefined) found.push([id, one])
    }
    return new Map(found.toSorted(([, a], [, b]) => a.at - b.at))
  }
}
