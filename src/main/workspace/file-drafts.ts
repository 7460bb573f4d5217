/** What was typed into files and not saved, one file each: an editor that a crash closed gives it back. */
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileDraftSchema } from '../../shared/contract/files.ts'
import type { FileDraft } from '../../shared/contract/index.ts'
import { isSystemError } from '../../shared/errors.ts'
import { writeAtomic } from './files.ts'

export class FileDrafts {
  readonly #folder: string
  /** One after another: the last one typed is the one that stays. */
  #saving: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(path: string): Promise<FileDraft | null> {
    try {
      const draft = fileDraftSchema.safeParse(JSON.parse(await readFile(this.#file(path), 'utf8')))
      return draft.success ? draft.data : null
    } catch (error) {
      if (isSystemError(error, 'ENOENT') || error instanceof SyntaxError) return null
      throw error
    }
  }

  /** @param draft null: there is nothing that is not saved */
  async save(path: string, draft: FileDraft | null): Promise<void> {
    const file = this.#file(path)
    const saved = this.#saving.then(() =>
      draft === null ? rm(file, { force: true }) : writeAtomic(file, JSON.stringify(draft), path),
    )
    this.#saving = saved.catch(() => undefined)
    return saved
  }

  #file(path: string): string {
    return join(this.#folder, `file-${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`)
  }
}
