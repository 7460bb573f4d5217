import { setImmediate as yieldToOthers } from 'node:timers/promises'

const batchSize = 64

type Listener<T> = (change: T) => unknown

export interface Subscribable<T> {
  /** @returns a function that removes the listener */
  subscribe(listener: Listener<T>): () => void
}

/** Typed event emitter. A listener that throws stops `emit`. */
export class EventEmitter<T = void> implements Subscribable<T> {
  readonly #listeners = new Set<Listener<T>>()

  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(change: T): void {
    for (const listener of this.#listeners) listener(change)
  }

  /** Calls one listener after the other and awaits each returned promise. */
  async emitAsync(change: T): Promise<void> {
    for (const listener of this.#listeners) await listener(change)
  }

  /**
   * Emits many events. Each listener receives all of them before the next listener; up to 64 run concurrently, and the
   * event loop gets a turn after each batch.
   */
  async emitAllAsync(changes: readonly T[]): Promise<void> {
    for (const listener of this.#listeners)
      for (let from = 0; from < changes.length; from += batchSize) {
        await Promise.all(changes.slice(from, from + batchSize).map((change) => listener(change)))
        await yieldToOthers()
      }
  }
}
