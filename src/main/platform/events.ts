import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** Changes of which a listener is told together. */
const atOnce = 64

type Listener<T> = (change: T) => unknown

/** What others see of an owner's changes. */
export interface Announcements<T> {
  /** @returns what ends the subscription */
  subscribe(listener: Listener<T>): () => void
}

export class Changes<T = void> implements Announcements<T> {
  readonly #listeners = new Set<Listener<T>>()

  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(change: T): void {
    for (const listener of this.#listeners) listener(change)
  }

  /** Tells one after the other, and waits for each that returns a promise. */
  async settle(change: T): Promise<void> {
    for (const listener of this.#listeners) await listener(change)
  }

  /**
   * The same of many changes: each listener is told of all of them before the next is, of some at a time, so that what
   * they wait for is waited for together, and others have their turn in between.
   */
  async settleAll(changes: readonly T[]): Promise<void> {
    for (const listener of this.#listeners)
      for (let from = 0; from < changes.length; from += atOnce) {
        await Promise.all(changes.slice(from, from + atOnce).map((change) => listener(change)))
        await yieldToOthers()
      }
  }
}
