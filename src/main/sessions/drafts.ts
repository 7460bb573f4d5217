/** What was typed but not sent, one file a conversation: there after a restart, gone when it was sent. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { draftSchema } from '../../shared/contract/sessions.ts'
import type { Draft } from '../../shared/contract/index.ts'
import { parseJson } from '../../shared/json.ts'
import { Queue, readKept, writeDurably } from '../files/index.ts'

const empty: Draft = { text: '', attachments: [] }
/** For a chat that has no transcript yet. */
const newChat = 'new-chat'

export class Drafts {
  readonly #folder: string
  readonly #onDamaged: (file: string) => void
  /** One after another: the last one typed is the one that stays. */
  readonly #queue = new Queue()

  /** @param onDamaged told where a draft went that could not be read */
  constructor(folder: string, onDamaged: (file: string) => void = () => undefined) {
    this.#folder = folder
    this.#onDamaged = onDamaged
  }

  async read(session: string | undefined): Promise<Draft> {
    const file = this.#file(session)
    const parse = (text: string) => draftSchema.safeParse(parseJson(text)).data
    return (await this.#queue.run(file, () => readKept(file, parse, this.#onDamaged))) ?? empty
  }

  /** @throws AppError `disk_full`, `write_failed` */
  async save(session: string | undefined, draft: Draft): Promise<void> {
    const file = this.#file(session)
    const isEmpty = draft.text === '' && draft.attachments.length === 0
    await this.#queue.run(file, () => (isEmpty ? rm(file, { force: true }) : writeDurably(file, JSON.stringify(draft))))
  }

  #file(session: string | undefined): string {
    return join(this.#folder, `${session ?? newChat}.json`)
  }
}
