import { appendFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { makeFolder, readIfExists, writeDurably } from '#platform'
import { UndoStore } from '#workspace'

const maxKept = 20

const recordSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  source: z.string(),
  /** Created files that are not undone. `is`: hash of a note's text, or size and time of another file. */
  made: z.array(z.object({ path: z.string(), is: z.string() })),
  folders: z.array(z.string()),
  /** Files of `made` that an undo kept because they were changed. */
  left: z.array(z.string()),
})
export type ImportRecord = Readonly<z.infer<typeof recordSchema>>

const headSchema = recordSchema.pick({ id: true, at: true, source: true })
export type ImportHead = Readonly<z.infer<typeof headSchema>>

/** A file before (`is` missing) or after its creation. `is` is null if another file took the name. */
const stepSchema = z.object({ path: z.string(), folders: z.array(z.string()).default([]), is: z.string().nullish() })
export type JournalStep = z.input<typeof stepSchema>

export interface InterruptedImport {
  readonly record: ImportRecord
  /** Files whose creation is uncertain; an existing one is complete. */
  readonly uncertain: readonly string[]
}

/** Journals of running imports, and undo records of finished ones. */
export class ImportRecords {
  readonly #folder: string
  readonly undoStore: UndoStore<ImportRecord>

  constructor(folder: string) {
    this.#folder = folder
    this.undoStore = new UndoStore({ folder, limit: maxKept, schema: recordSchema })
  }

  /** Stores a finished import. @throws AppError `disk_full`, `write_failed` */
  async finish(record: ImportRecord): Promise<void> {
    await this.undoStore.put(record.id, record)
    await this.end(record.id)
  }

  /** Creates the journal of an import. @throws AppError as `finish` */
  async begin(head: ImportHead): Promise<void> {
    await makeFolder(this.#folder)
    await writeDurably(this.#journalOf(head.id), `${JSON.stringify(head)}\n`)
  }

  /** Appends to the journal without fsync: a power failure loses the last lines. */
  async append(id: string, step: JournalStep): Promise<void> {
    await appendFile(this.#journalOf(id), `${JSON.stringify(step)}\n`)
  }

  /** Returns the imports with a journal. Omits unreadable journals. */
  async interrupted(): Promise<InterruptedImport[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const found = await Promise.all(
      names.filter((name) => name.endsWith('.jsonl')).map((name) => this.#readJournal(name.slice(0, -'.jsonl'.length))),
    )
    return found.filter((one) => one !== undefined)
  }

  async end(id: string): Promise<void> {
    await rm(this.#journalOf(id), { force: true })
  }

  async #readJournal(id: string): Promise<InterruptedImport | undefined> {
    const [first = '', ...lines] = ((await readIfExists(this.#journalOf(id))) ?? '').split('\n')
    const head = headSchema.safeParse(parseJson(first)).data
    if (head?.id !== id) return undefined
    const made = new Map<string, string | undefined>()
    const folders = new Set<string>()
    for (const line of lines) {
      const step = stepSchema.safeParse(parseJson(line)).data
      if (!step) continue
      if (step.is === null) made.delete(step.path)
      else made.set(step.path, step.is)
      for (const folder of step.folders) folders.add(folder)
    }
    const completed = [...made].flatMap(([path, is]) => (is === undefined ? [] : [{ path, is }]))
    const uncertain = [...made].flatMap(([path, is]) => (is === undefined ? [path] : []))
    return { record: { ...head, made: completed, folders: [...folders], left: [] }, uncertain }
  }

  #journalOf(id: string): string {
    return join(this.#folder, `${id}.jsonl`)
  }
}
