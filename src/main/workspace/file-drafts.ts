/** What was typed into files and not saved, one file each: an editor that a crash closed gives it back. */
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileDraftSchema } from '../../shared/contract/workspace.ts'
import type { FileDraft } from '../../shared/contract/index.ts'
import { parseJson } from '../../shared/json.ts'
import { Queue, readKept, writeDurably } from '../files/index.ts'

export class FileDrafts {
  readonly #folder: string
  readonly #onDamaged: (file: string) => void
  /** One after another: the last one typed is the one that stays. */
  readonly #queue = new Queue()

  /** @param onDamaged told where a draft went that could not be read */
  constructor(folder: string, onDamaged: (file: string) => void = () => undefined) {
    this.#folder = folder
    this.#onDamaged = onDamaged
  }

  async read(path: string): Promise<FileDraft | null> {
    const file = this.#file(path)
    const parse = (text: string) => fileDraftSchema.safeParse(parseJson(text)).data
    return (await this.#queue.run(file, () => readKept(file, parse, this.#onDamaged))) ?? null
  }

  /**
   * @param draft null: there is nothing that is not saved
   * @throws AppError `disk_full`, `write_failed`
   */
  async save(path: string, draft: FileDraft | null): Promise<void> {
    const file = this.#file(path)
    await this.#queue.run(file, () =>
      draft === null ? rm(file, { force: true }) : writeDurably(file, JSON.stringify(draft), path),
    )
  }

  /** A file has another name now: what was typed into it goes along. */
  async move(from: string, to: string): Promise<void> {
    const draft = await this.read(from)
    if (draft === null) return
    await this.save(to, draft)
    await this.save(from, null)
  }

  #file(path: string): string {
    return join(this.#folder, `file-${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`)
  }
}
