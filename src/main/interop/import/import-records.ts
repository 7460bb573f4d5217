import { appendFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { makeFolder, readIfThere, writeDurably } from '#platform'
import { UndoStore } from '#workspace'

/** Older ones stand in the history. */
const maxKept = 20

const recordSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Where it came from. */
  source: z.string(),
  /** What was made and is not taken back, by what is known of it: the hash of a note's text, the stamp of another file. */
  made: z.array(z.object({ path: z.string(), is: z.string() })),
  /** Folders that were not there before. */
  folders: z.array(z.string()),
  /** Of `made`, those that an undo left, since somebody had changed them. */
  left: z.array(z.string()),
})
export type ImportRecord = Readonly<z.infer<typeof recordSchema>>

const headSchema = recordSchema.pick({ id: true, at: true, source: true })
export type ImportHead = Readonly<z.infer<typeof headSchema>>

/** A file that is about to be made, or what became of it: `is` is null where somebody else took its name. */
const stepSchema = z.object({ path: z.string(), folders: z.array(z.string()).default([]), is: z.string().nullish() })
export type NotedStep = z.input<typeof stepSchema>

/** An import that did not come to its end. */
export interface BrokenOff {
  readonly record: ImportRecord
  /** A file that it was making: it is there or not, whole. */
  readonly unsure: readonly string[]
}

export class ImportRecords {
  readonly #folder: string
  /** Imports that can be taken back. */
  readonly done: UndoStore<ImportRecord>

  constructor(folder: string) {
    this.#folder = folder
    this.done = new UndoStore({ folder, most: maxKept, schema: recordSchema })
  }

  /** The import is over. @throws AppError `disk_full`, `write_failed` */
  async finish(record: ImportRecord): Promise<void> {
    await this.done.put(record.id, record)
    await this.end(record.id)
  }

  /** Notes that an import begins. @throws AppError as `finish` */
  async begin(head: ImportHead): Promise<void> {
    await makeFolder(this.#folder)
    await writeDurably(this.#notesOf(head.id), `${JSON.stringify(head)}\n`)
  }

  /** Notes what one that has begun makes: what is lost with the power is a line or two. */
  async note(id: string, step: NotedStep): Promise<void> {
    await appendFile(this.#notesOf(id), `${JSON.stringify(step)}\n`)
  }

  /** Imports that have begun and not ended. */
  async brokenOff(): Promise<BrokenOff[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const found = await Promise.all(
      names.filter((name) => name.endsWith('.jsonl')).map((name) => this.#readNotes(name.slice(0, -'.jsonl'.length))),
    )
    return found.filter((one) => one !== undefined)
  }

  /** Forgets an import that made nothing. */
  async end(id: string): Promise<void> {
    await rm(this.#notesOf(id), { force: true })
  }

  async #readNotes(id: string): Promise<BrokenOff | undefined> {
    const [first = '', ...lines] = ((await readIfThere(this.#notesOf(id))) ?? '').split('\n')
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
    const sure = [...made].flatMap(([path, is]) => (is === undefined ? [] : [{ path, is }]))
    const unsure = [...made].flatMap(([path, is]) => (is === undefined ? [path] : []))
    return { record: { ...head, made: sure, folders: [...folders], left: [] }, unsure }
  }

  #notesOf(id: string): string {
    return join(this.#folder, `${id}.jsonl`)
  }
}
