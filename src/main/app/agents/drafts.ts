import { hash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { draftSchema } from '#shared/contract/sessions.ts'
import { fileDraftSchema } from '#shared/contract/workspace.ts'
import type { Draft, FileDraft } from '#shared/contract/index.ts'
import { onSystemError } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { type Clock, KeyedQueue, readOrSetAside, writeDurably } from '#platform'

const newChatName = 'new-chat'
/** All windows share the draft of a chat. */
const chatWriter = 'chat'

/** One file for each name and writer. Each window is one writer. */
export class Drafts {
  readonly #folder: string
  readonly #now: Clock
  readonly #onDamaged: (file: string) => void
  readonly #queue = new KeyedQueue()

  constructor(folder: string, now: Clock, onDamaged: (file: string) => void) {
    this.#folder = folder
    this.#now = now
    this.#onDamaged = onDamaged
  }

  async message(session: string | undefined): Promise<Draft | null> {
    const [stored] = await this.#list(session ?? newChatName, draftSchema)
    return stored?.draft ?? null
  }

  /** @throws AppError `disk_full`, `write_failed` */
  async saveMessage(session: string | undefined, draft: Draft): Promise<void> {
    const isEmpty = draft.text === '' && draft.attachments.length === 0
    await this.#save(session ?? newChatName, chatWriter, isEmpty ? null : draft)
  }

  /** Returns the unsaved texts of a file, newest first. `at`: milliseconds since the epoch. */
  async ofFile(path: string) {
    return this.#list(nameOf(path), fileDraftSchema)
  }

  /** @param draft null removes the draft @throws AppError `disk_full`, `write_failed` */
  async saveFile(path: string, writer: string, draft: FileDraft | null): Promise<void> {
    await this.#save(nameOf(path), writer, draft, path)
  }

  async moveFile(from: string, to: string): Promise<void> {
    for (const { writer, draft } of await this.ofFile(from)) {
      await this.saveFile(to, writer, draft)
      await this.saveFile(from, writer, null)
    }
  }

  async #list<T>(name: string, schema: z.ZodType<T>) {
    const names = await readdir(this.#folder).catch(onSystemError([], 'ENOENT'))
    const drafts: { writer: string; at: number; draft: T }[] = []
    for (const file of names) {
      const writer = file.startsWith(`${name}~`) && /^([\w-]+)\.json$/.exec(file.slice(name.length + 1))?.[1]
      if (!writer) continue
      const parse = (text: string) => {
        const value = parseJson(text)
        const draft = schema.safeParse(value).data
        if (draft === undefined || !isRecord(value)) return undefined
        return { writer, at: Number(value['at'] ?? 0), draft }
      }
      const read = () => readOrSetAside(join(this.#folder, file), parse, this.#onDamaged)
      const stored = await this.#queue.run(file, read)
      if (stored) drafts.push(stored)
    }
    return drafts.toSorted((one, other) => other.at - one.at)
  }

  async #save(name: string, writer: string, draft: object | null, shownPath?: string): Promise<void> {
    const file = `${name}~${writer}.json`
    const target = join(this.#folder, file)
    await this.#queue.run(file, () =>
      draft === null
        ? rm(target, { force: true })
        : writeDurably(target, JSON.stringify({ ...draft, at: this.#now().getTime() }), { shownPath }),
    )
  }
}

function nameOf(path: string): string {
  return `file-${hash('sha256', path).slice(0, 32)}`
}
