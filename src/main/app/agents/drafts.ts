import { hash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { draftSchema } from '#shared/contract/chats.ts'
import { fileDraftSchema } from '#shared/contract/workspace.ts'
import type { Draft, FileDraft } from '#shared/contract/index.ts'
import { onSystemError } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { type Clock, KeyedQueue, readOrSetAside, writeDurably } from '#platform'

const newChatName = 'new-chat'
/** All windows share the draft of a chat. */
const chatWriter = 'chat'

/** One file for each name and writer. Each window is one writer. The functions throw `disk_full` and `write_failed`. */
export function openDrafts(folder: string, now: Clock, onDamaged: (file: string) => void) {
  const queue = new KeyedQueue()

  async function list<T>(name: string, schema: z.ZodType<T>) {
    const names = await readdir(folder).catch(onSystemError([], 'ENOENT'))
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
      const stored = await queue.run(file, () => readOrSetAside(join(folder, file), parse, onDamaged))
      if (stored) drafts.push(stored)
    }
    return drafts.toSorted((one, other) => other.at - one.at)
  }

  /** @param draft null removes the draft @param shownPath path of the file for error messages */
  async function save(name: string, writer: string, draft: object | null, shownPath?: string): Promise<void> {
    const file = `${name}~${writer}.json`
    const target = join(folder, file)
    await queue.run(file, () =>
      draft === null
        ? rm(target, { force: true })
        : writeDurably(target, JSON.stringify({ ...draft, at: now().getTime() }), { shownPath }),
    )
  }

  const nameOf = (path: string) => `file-${hash('sha256', path).slice(0, 32)}`
  /** Returns the unsaved texts of a file, newest first. `at`: milliseconds since the epoch. */
  const ofFile = (path: string) => list(nameOf(path), fileDraftSchema)
  const saveFile = (path: string, writer: string, draft: FileDraft | null) => save(nameOf(path), writer, draft, path)
  return {
    ofFile,
    saveFile,
    message: async (session = newChatName) => (await list(session, draftSchema))[0]?.draft ?? null,
    saveMessage(session = newChatName, draft: Draft): Promise<void> {
      const isEmpty = draft.text === '' && draft.attachments.length === 0
      return save(session, chatWriter, isEmpty ? null : draft)
    },
    async moveFile(from: string, to: string): Promise<void> {
      for (const { writer, draft } of await ofFile(from)) {
        await saveFile(to, writer, draft)
        await saveFile(from, writer, null)
      }
    },
  }
}
