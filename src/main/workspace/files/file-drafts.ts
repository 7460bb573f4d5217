import { createHash } from 'node:crypto'
import { fileDraftSchema } from '#shared/contract/workspace.ts'
import type { FileDraft } from '#shared/contract/index.ts'
import { type Clock, DraftFolder, type KeptDraft } from '#platform'

export class FileDrafts {
  readonly #folder: DraftFolder<FileDraft>

  /** @param onDamaged told where a draft went that could not be read */
  constructor(folder: string, now: Clock, onDamaged: (file: string) => void = () => undefined) {
    const parse = (value: unknown) => fileDraftSchema.safeParse(value).data
    this.#folder = new DraftFolder({ folder, parse, now, onDamaged })
  }

  /** The newest first. */
  async list(path: string): Promise<KeptDraft<FileDraft>[]> {
    return this.#folder.list(nameOf(path))
  }

  /**
   * @param draft null: there is nothing that is not saved
   * @throws AppError `disk_full`, `write_failed`
   */
  async save(path: string, writer: string, draft: FileDraft | null): Promise<void> {
    await this.#folder.save(nameOf(path), writer, draft, path)
  }

  /** A file has another name now: what was typed into it goes along. */
  async move(from: string, to: string): Promise<void> {
    for (const { writer, draft } of await this.list(from)) {
      await this.save(to, writer, draft)
      await this.save(from, writer, null)
    }
  }
}

function nameOf(path: string): string {
  return `file-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`
}
