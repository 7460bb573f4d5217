/**
 * What was accepted, written down before anything is done: which proposals, and what each file was and is to be. So nothing
 * is changed that nobody accepted, what a crash left half done is finished, and all of it can be taken back.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { lineEditSchema } from '#shared/contract/upkeep.ts'
import { parseJson } from '#shared/util/json.ts'
import { makeFolder, readIfThere, writeDurably } from '#platform'

/** Older ones are taken back from the history. */
const maxKept = 100

const acceptanceSchema = z.object({
  id: z.string(),
  at: z.number(),
  proposals: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string() })),
  /** Which of the proposals changed what: `line` in the text before. So one can be taken back where another cannot. */
  edits: z.array(lineEditSchema.extend({ proposal: z.string(), path: z.string() })),
})
export type AcceptedEdit = Acceptance['edits'][number]
export type Acceptance = Readonly<z.infer<typeof acceptanceSchema>>

export class Acceptances {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'acceptances')
  }

  /** One that is there already is replaced. @throws AppError `disk_full`, `write_failed` */
  async add(acceptance: Acceptance): Promise<void> {
    await makeFolder(this.#folder)
    await writeDurably(this.#fileOf(acceptance.id), JSON.stringify(acceptance))
    const names = await this.#names()
    for (const old of names.slice(0, Math.max(0, names.length - maxKept)))
      await rm(join(this.#folder, old), { force: true })
  }

  /** @returns undefined for one that there is not, or cannot be read */
  async get(id: string): Promise<Acceptance | undefined> {
    if (!/^[\w-]+$/.test(id)) return undefined
    return acceptanceSchema.safeParse(parseJson((await readIfThere(this.#fileOf(id))) ?? '')).data
  }

  /** Nothing of it was done. */
  async drop(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true })
  }

  /** The last one that was begun. */
  async latest(): Promise<Acceptance | undefined> {
    const name = (await this.#names()).at(-1)
    return name === undefined ? undefined : this.get(name.replace(/\.json$/, ''))
  }

  /** Oldest first: an id begins with its moment. */
  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names.filter((name) => name.endsWith('.json')).sort()
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.json`)
  }
}
