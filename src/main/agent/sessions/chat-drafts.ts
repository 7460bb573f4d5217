/** What was typed but not sent, for each conversation, window by window: there after a restart, gone when it was sent. */
import { draftSchema } from '#shared/contract/sessions.ts'
import type { Draft } from '#shared/contract/index.ts'
import { type Clock, DraftFolder, type KeptDraft } from '#platform'

/** For a chat that has no transcript yet. */
const newChat = 'new-chat'

export class Drafts {
  readonly #folder: DraftFolder<Draft>

  /** @param onDamaged told where a draft went that could not be read */
  constructor(folder: string, now: Clock, onDamaged: (file: string) => void = () => undefined) {
    const parse = (value: unknown) => draftSchema.safeParse(value).data
    this.#folder = new DraftFolder({ folder, parse, now, onDamaged })
  }

  /** The newest first. */
  async list(session: string | undefined): Promise<KeptDraft<Draft>[]> {
    return this.#folder.list(session ?? newChat)
  }

  /** @throws AppError `disk_full`, `write_failed` */
  async save(session: string | undefined, writer: string, draft: Draft): Promise<void> {
    const isEmpty = draft.text === '' && draft.attachments.length === 0
    await this.#folder.save(session ?? newChat, writer, isEmpty ? null : draft)
  }
}
