/** Keeps the privacy snapshot from the start of a client's call until its answer is redacted. */
import { randomUUID } from 'node:crypto'
import type { Snapshot } from './local-notes.ts'

/** More snapshots belong to calls that never ended, so the oldest are deleted. */
const maxHeld = 64

export class SnapshotCache {
  readonly #held = new Map<string, Snapshot>()

  /** Returns an id for `take`. */
  keep(sight: Snapshot): string {
    const id = randomUUID()
    this.#held.set(id, sight)
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= maxHeld) break
      this.#held.delete(oldest)
    }
    return id
  }

  /** Returns and removes a snapshot; undefined if there is none. */
  take(id: string): Snapshot | undefined {
    const sight = this.#held.get(id)
    this.#held.delete(id)
    return sight
  }
}
