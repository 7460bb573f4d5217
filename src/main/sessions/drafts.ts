/** What was typed but not sent, one file a conversation: there after a restart, gone when it was sent. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { draftSchema } from '../../shared/contract/sessions.ts'
import type { Draft } from '../../shared/contract/index.ts'
import { isSystemError } from '../../shared/errors.ts'
import { makeFolder } from '../files/index.ts'

const empty: Draft = { text: '', attachments: [] }
/** For a chat that has no transcript yet. */
const newChat = 'new-chat'

export class Drafts {
  readonly #folder: string
  /** One after another: the last one typed is the one that stays. */
  #saving: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(session: string | undefined): Promise<Draft> {
    try {
      const draft = draftSchema.safeParse(JSON.parse(await readFile(this.#file(session), 'utf8')))
      return draft.success ? draft.data : empty
    } catch (error) {
      if (isSystemError(error, 'ENOENT') || error instanceof SyntaxError) return empty
      throw error
    }
  }

  async save(session: string | undefined, draft: Draft): Promise<void> {
    const saved = this.#saving.then(() => this.#write(session, draft))
    this.#saving = saved.catch(() => undefined)
    return saved
  }

  async #write(session: string | undefined, draft: Draft): Promise<void> {
    if (draft.text === '' && draft.attachments.length === 0) return rm(this.#file(session), { force: true })
    await makeFolder(this.#folder)
    await writeFileAtomic(this.#file(session), JSON.stringify(draft))
  }

  #file(session: string | undefined): string {
    return join(this.#folder, `${session ?? newChat}.json`)
  }
}
