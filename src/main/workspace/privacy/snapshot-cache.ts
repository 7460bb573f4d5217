/** Looks at the notes that were begun for a call and are asked for when it ends. */
import { randomUUID } from 'node:crypto'
import type { Sight } from './local-notes.ts'

/** Calls that are under way at once; of those that never end, the oldest are forgotten. */
const maxHeld = 64

export class HeldLooks {
  readonly #held = new Map<string, Sight>()

  /** @returns the name to ask for it with, once */
  keep(sight: Sight): string {
    const id = randomUUID()
    this.#held.set(id, sight)
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= maxHeld) break
      this.#held.delete(oldest)
    }
    return id
  }

  /** @returns undefined for one that was asked for, or forgotten */
  take(id: string): Sight | undefined {
    const sight = this.#held.get(id)
    this.#held.delete(id)
    return sight
  }
}
