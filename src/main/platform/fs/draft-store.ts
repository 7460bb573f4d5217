import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onSystemError } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { readOrSetAside } from './damaged-file.ts'
import { KeyedQueue } from './work-queue.ts'
import { writeDurably } from './durable-write.ts'

export interface StoredDraft<T> {
  readonly writer: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly draft: T
}

export interface DraftStoreOptions<T> {
  readonly folder: string
  readonly parse: (value: unknown) => T | undefined
  readonly now: () => Date
  readonly onDamaged: (file: string) => void
}

/** Stores unsaved text, one file for each name and writer. */
export class DraftStore<T extends object> {
  readonly #options: DraftStoreOptions<T>
  /** Serializes access, so that the last save wins. */
  readonly #queue = new KeyedQueue()

  constructor(options: DraftStoreOptions<T>) {
    this.#options = options
  }

  /** Returns the drafts of one name, newest first. @param name valid file name without `~` */
  async list(name: string): Promise<StoredDraft<T>[]> {
    const { folder, onDamaged } = this.#options
    const names = await readdir(folder).catch(onSystemError([], 'ENOENT'))
    const drafts: StoredDraft<T>[] = []
    for (const file of names) {
      const writer = writerOf(name, file)
      if (writer === undefined) continue
      const parse = (text: string): StoredDraft<T> | undefined => {
        const value = parseJson(text)
        const draft = this.#options.parse(value)
        if (draft === undefined || !isRecord(value)) return undefined
        return { writer, at: typeof value['at'] === 'number' ? value['at'] : 0, draft }
      }
      const storedDraft = await this.#queue.run(file, () => readOrSetAside(join(folder, file), parse, onDamaged))
      if (storedDraft) drafts.push(storedDraft)
    }
    return drafts.toSorted((one, other) => other.at - one.at)
  }

  /**
   * Stores a draft.
   * @param draft null deletes the stored draft
   * @param shownPath path of the file for error messages
   * @throws AppError 'disk_full', 'write_failed'
   */
  async save(name: string, writer: string, draft: T | null, shownPath?: string): Promise<void> {
    const file = `${name}~${writer}.json`
    const target = join(this.#options.folder, file)
    await this.#queue.run(file, () =>
      draft === null
        ? rm(target, { force: true })
        : writeDurably(target, JSON.stringify({ ...draft, at: this.#options.now().getTime() }), shownPath),
    )
  }
}

function writerOf(name: string, file: string): string | undefined {
  if (!file.startsWith(`${name}~`) || !file.endsWith('.json')) return undefined
  const writer = file.slice(name.length + 1, -'.json'.length)
  return /^[\w-]+$/.test(writer) ? writer : undefined
}
