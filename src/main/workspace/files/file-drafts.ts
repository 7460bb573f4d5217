import { hash } from 'node:crypto'
import { fileDraftSchema } from '#shared/contract/workspace.ts'
import type { FileDraft } from '#shared/contract/index.ts'
import { type Clock, DraftStore, type StoredDraft } from '#platform'

export class FileDrafts {
  readonly #store: DraftStore<FileDraft>

  /** @param onDamaged called with the new path of a draft that could not be read */
  constructor(folder: string, now: Clock, onDamaged: (file: string) => void = () => undefined) {
    const parse = (value: unknown) => fileDraftSchema.safeParse(value).data
    this.#store = new DraftStore({ folder, parse, now, onDamaged })
  }

  async list(path: string): Promise<StoredDraft<FileDraft>[]> {
    return this.#store.list(draftKey(path))
  }

  /** @param draft null removes the draft @throws AppError `disk_full`, `write_failed` */
  async save(path: string, writer: string, draft: FileDraft | null): Promise<void> {
    await this.#store.save(draftKey(path), writer, draft, path)
  }

  async move(from: string, to: string): Promise<void> {
    for (const { writer, draft } of await this.list(from)) {
      await this.save(to, writer, draft)
      await this.save(from, writer, null)
    }
  }
}

function draftKey(path: string): string {
  return `file-${hash('sha256', path).slice(0, 32)}`
}
