import { join } from 'node:path'
import { z } from 'zod'
import type { AcceptedHunk } from '#shared/contract/index.ts'
import { acceptedHunkSchema } from '#shared/contract/history.ts'
import { EventEmitter, type Subscribable, KeyedQueue, parseStored, readOrSetAside, writeDurably } from '#platform'

/** Maximum number of stored hunks; the oldest ones beyond it are deleted. */
const maxHunks = 2000
const fileSchema = z.array(acceptedHunkSchema)

export class ReviewedHunks {
  readonly #changes = new EventEmitter<void>()
  readonly changes: Subscribable<void> = this.#changes
  readonly #file: string
  readonly #onDamaged: (file: string) => void
  readonly #queue = new KeyedQueue()

  /** @param onDamaged called with the new path of a list that could not be read */
  constructor(folder: string, onDamaged: (file: string) => void) {
    this.#file = join(folder, 'accepted.json')
    this.#onDamaged = onDamaged
  }

  list(): Promise<AcceptedHunk[]> {
    return this.#queue.run(this.#file, () => this.#read())
  }

  /** @throws AppError `disk_full`, `write_failed` */
  async accept(hunk: AcceptedHunk): Promise<void> {
    await this.#queue.run(this.#file, async () => {
      const others = (await this.#read()).filter(({ commit, key }) => commit !== hunk.commit || key !== hunk.key)
      await writeDurably(this.#file, JSON.stringify([...others, hunk].slice(-maxHunks)), this.#file)
    })
    this.#changes.emit()
  }

  async #read(): Promise<AcceptedHunk[]> {
    const parse = (text: string) => parseStored(fileSchema, text)
    return (await readOrSetAside(this.#file, parse, this.#onDamaged)) ?? []
  }
}
