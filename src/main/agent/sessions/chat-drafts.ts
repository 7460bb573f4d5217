import { draftSchema } from '#shared/contract/sessions.ts'
import type { Draft } from '#shared/contract/index.ts'
import { type Clock, DraftStore } from '#platform'

const newChatName = 'new-chat'
/** All windows share the draft of a chat. */
const writer = 'chat'

/** Stores the unsent message of each conversation, and of the new chat under an undefined session. */
export class Drafts {
  readonly #store: DraftStore<Draft>

  /** @param onDamaged receives the path to which an unreadable draft was moved */
  constructor(folder: string, now: Clock, onDamaged: (file: string) => void = () => undefined) {
    const parse = (value: unknown) => draftSchema.safeParse(value).data
    this.#store = new DraftStore({ folder, parse, now, onDamaged })
  }

  async get(session: string | undefined): Promise<Draft | null> {
    const [stored] = await this.#store.list(session ?? newChatName)
    return stored?.draft ?? null
  }

  /** Stores a draft, or deletes it if it is empty. @throws AppError `disk_full`, `write_failed` */
  async save(session: string | undefined, draft: Draft): Promise<void> {
    const isEmpty = draft.text === '' && draft.attachments.length === 0
    await this.#store.save(session ?? newChatName, writer, isEmpty ? null : draft)
  }
}
