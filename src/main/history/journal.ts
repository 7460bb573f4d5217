/**
 * Changes that were written and may not be recorded yet, one line each: after a crash they still have their origin. The
 * journal is emptied when all of it is recorded.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isSystemError } from '../../shared/errors.ts'
import { causes } from '../../shared/contract/history.ts'
import { blobId } from '../diff/blob-id.ts'
import { makeFolder } from '../files/index.ts'
import { isMarkdown, type WorkspaceWrite, type WriteOrigin } from '../workspace/index.ts'
import { parseJson } from '../../shared/json.ts'

const lineSchema = z.object({
  path: z.string(),
  hash: z.string(),
  origin: z.object({ cause: z.enum(causes), session: z.string().optional(), turn: z.string().optional() }),
})
export type JournalLine = z.infer<typeof lineSchema>

export class Journal {
  readonly #file: string
  #writing: Promise<void>
  /** Those that come while others are written go together. */
  readonly #lines: string[] = []

  constructor(folder: string) {
    this.#file = join(folder, 'journal.jsonl')
    this.#writing = makeFolder(folder).catch(() => undefined)
  }

  async read(): Promise<JournalLine[]> {
    try {
      const lines = (await readFile(this.#file, 'utf8')).split('\n')
      return lines.flatMap((line) => {
        const parsed = lineSchema.safeParse(parseJson(line))
        return parsed.success ? [parsed.data] : []
      })
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return []
      throw error
    }
  }

  /** @param hash the id of the text as Git has it */
  add(path: string, hash: string, { cause, session, turn }: WriteOrigin): void {
    const line = { path, hash, origin: { cause, session, turn } }
    this.#lines.push(`${JSON.stringify(line)}\n`)
    if (this.#lines.length === 1) this.#then(() => appendFile(this.#file, this.#lines.splice(0).join('')))
  }

  clear(): void {
    this.#then(() => writeFile(this.#file, ''))
  }

  async close(): Promise<void> {
    await this.#writing
  }

  /** Only where a change came from hangs on it: a full disk is told by what matters. */
  #then(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work).catch(() => undefined)
  }
}

export function recordInJournal(journal: Journal, { path, after, origin }: WorkspaceWrite): void {
  if (after !== null && isMarkdown(path)) journal.add(path, blobId(after), origin)
}
