import { appendFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { readIfExists, writeDurably } from '#platform'
import { UndoStore } from '#workspace'

const maxStored = 20

const recordSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  source: z.string(),
  /** Created files that no undo has removed. `is`: hash of a note's text, or size and time of another file. */
  made: z.array(z.object({ path: z.string(), is: z.string() })),
  folders: z.array(z.string()),
  /** Files of `made` that an undo kept because they had changed. */
  left: z.array(z.string()),
})
export type ImportRecord = Readonly<z.infer<typeof recordSchema>>

const headerSchema = recordSchema.pick({ id: true, at: true, source: true })
export type ImportHeader = Readonly<z.infer<typeof headerSchema>>

/** Written before (without `is`) and after the creation of a file. `is` is null if another file took the name. */
const stepSchema = z.object({ path: z.string(), folders: z.array(z.string()).default([]), is: z.string().nullish() })
export type JournalStep = z.input<typeof stepSchema>

/** Journals of running imports, and undo records of finished ones. */
export class ImportRecords {
  readonly #folder: string
  readonly undoStore: UndoStore<ImportRecord>

  constructor(folder: string) {
    this.#folder = folder
    this.undoStore = new UndoStore({ folder, limit: maxStored, schema: recordSchema })
  }

  /**
   * Stores the undo record of an import that created files, and deletes its journal.
   * @throws AppError `disk_full`, `write_failed`
   */
  async finish(record: ImportRecord): Promise<void> {
    if (record.made.length > 0) await this.undoStore.put(record.id, record)
    await rm(this.#journalPathOf(record.id), { force: true })
  }

  /** Creates the journal of an import. @throws AppError as `finish` */
  async begin(header: ImportHeader): Promise<void> {
    await writeDurably(this.#journalPathOf(header.id), `${JSON.stringify(header)}\n`)
  }

  /** Appends to the journal without fsync: a power failure can lose the last lines. */
  async append(id: string, step: JournalStep): Promise<void> {
    await appendFile(this.#journalPathOf(id), `${JSON.stringify(step)}\n`)
  }

  /**
   * Returns the imports with a journal. Omits unreadable journals.
   * @returns `uncertain`: files whose creation is uncertain; an existing one is complete
   */
  async listInterrupted() {
    const names = await readdir(this.#folder).catch(() => [])
    const ids = names.filter((name) => name.endsWith('.jsonl')).map((name) => name.slice(0, -'.jsonl'.length))
    const imports = await Promise.all(ids.map((id) => this.#readJournal(id)))
    return imports.filter((interrupted) => interrupted !== undefined)
  }

  async #readJournal(id: string) {
    const [first = '', ...lines] = ((await readIfExists(this.#journalPathOf(id))) ?? '').split('\n')
    const header = headerSchema.safeParse(parseJson(first)).data
    if (header?.id !== id) return undefined
    const fingerprints = new Map<string, string | undefined>()
    const folders = new Set<string>()
    for (const line of lines) {
      const step = stepSchema.safeParse(parseJson(line)).data
      if (!step) continue
      if (step.is === null) fingerprints.delete(step.path)
      else fingerprints.set(step.path, step.is)
      for (const folder of step.folders) folders.add(folder)
    }
    const completed = [...fingerprints].flatMap(([path, is]) => (is === undefined ? [] : [{ path, is }]))
    const uncertain = [...fingerprints].flatMap(([path, is]) => (is === undefined ? [path] : []))
    const record: ImportRecord = { ...header, made: completed, folders: [...folders], left: [] }
    return { record, uncertain }
  }

  #journalPathOf(id: string): string {
    return join(this.#folder, `${id}.jsonl`)
  }
}
