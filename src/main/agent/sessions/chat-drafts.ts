import { draftSchema } from '#shared/contract/sessions.ts'
import type { Draft } from '#shared/contract/index.ts'
import { type Clock, DraftFolder, unnamedWriter } from '#platform'

/** For a chat that has no transcript yet. */
const newChat = 'new-chat'

/** The unsent message of each conversation: there after a restart, gone once it is sent. */
export class Drafts {
  readonly #folder: DraftFolder<Draft>

  /** @param onDamaged called with the new place of a draft that could not be read */
  constructor(folder: string, now: Clock, onDamaged: (file: string) => void = () => undefined) {
    const parse = (value: unknown) => draftSchema.safeParse(value).data
    this.#folder = new DraftFolder({ folder, parse, now, onDamaged })
  }

  async get(session: string | undefined): Promise<Draft | null> {
    const name = session ?? newChat
    const kept = await this.#folder.list(name)
    const found = kept.find(({ writer }) => writer === unnamedWriter) ?? kept[0]
    if (!found) return null
    // Earlier versions kept a file for each window: the newest becomes the draft, the next one once that is gone.
    if (found.writer !== unnamedWriter) {
      await this.#folder.save(name, unnamedWriter, found.draft)
      await this.#folder.save(name, found.writer, null)
    }
    return found.draft
  }

  /** @throws AppError `disk_full`, `write_failed` */
  async save(session: string | undefined, draft: Draft): Promise<void> {
    const isEmpty = draft.text === '' && draft.attachments.length === 0
    await this.#folder.save(session ?? newChat, unnamedWriter, isEmpty ? null : draft)
  }
}
