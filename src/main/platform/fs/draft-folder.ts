import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { readKept } from './damaged-file.ts'
import { Queue } from './work-queue.ts'
import { writeDurably } from './durable-write.ts'

/** For a draft that no single window owns. */
export const unnamedWriter = 'earlier'

export interface KeptDraft<T> {
  /** The window that it was typed in. */
  readonly writer: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly draft: T
}

export interface DraftFolderOptions<T> {
  readonly folder: string
  /** @returns undefined for what is no draft */
  readonly parse: (value: unknown) => T | undefined
  readonly now: () => Date
  /** Told where a draft went that could not be read. */
  readonly onDamaged: (file: string) => void
}

/** Unsaved text, in a file for each writer of each thing that is typed into. */
export class DraftFolder<T extends object> {
  readonly #options: DraftFolderOptions<T>
  /** One after another: the last one typed is the one that stays. */
  readonly #queue = new Queue()

  constructor(options: DraftFolderOptions<T>) {
    this.#options = options
  }

  /** Of one thing, the newest first. @param name a name that a file can have, without `~` */
  async list(name: string): Promise<KeptDraft<T>[]> {
    const { folder, onDamaged } = this.#options
    const names = await readdir(folder).catch((error: unknown) => {
      if (isSystemError(error, 'ENOENT')) return []
      throw error
    })
    const found: KeptDraft<T>[] = []
    for (const file of names) {
      const writer = writerOf(name, file)
      if (writer === undefined) continue
      const parse = (text: string) => this.#parse(writer, parseJson(text))
      const kept = await this.#queue.run(file, () => readKept(join(folder, file), parse, onDamaged))
      if (kept) found.push(kept)
    }
    return found.toSorted((one, other) => other.at - one.at)
  }

  /**
   * @param draft null: there is nothing that is not kept elsewhere
   * @throws AppError `disk_full`, `write_failed`
   */
  async save(name: string, writer: string, draft: T | null, shownAs?: string): Promise<void> {
    const file = writer === unnamedWriter ? `${name}.json` : `${name}~${writer}.json`
    const target = join(this.#options.folder, file)
    await this.#queue.run(file, () =>
      draft === null
        ? rm(target, { force: true })
        : writeDurably(target, JSON.stringify({ ...draft, at: this.#options.now().getTime() }), shownAs),
    )
  }

  #parse(writer: string, value: unknown): KeptDraft<T> | undefined {
    const draft = this.#options.parse(value)
    if (draft === undefined || !isRecord(value)) return undefined
    return { writer, at: typeof value['at'] === 'number' ? value['at'] : 0, draft }
  }
}

function writerOf(name: string, file: string): string | undefined {
  if (file === `${name}.json`) return unnamedWriter
  if (!file.startsWith(`${name}~`) || !file.endsWith('.json')) return undefined
  const writer = file.slice(name.length + 1, -'.json'.length)
  return /^[\w-]+$/.test(writer) ? writer : undefined
}
