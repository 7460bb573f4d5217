/** Work that must not overlap, one after the other, by name. */
export class Queue {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` when everything that was queued under this name before has ended, well or not. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(name) ?? Promise.resolve()).then(work, work)
    this.#tails.set(name, turn)
    try {
      return await turn
    } finally {
      if (this.#tails.get(name) === turn) this.#tails.delete(name)
    }
  }

  /** Waits for all that was queued so far. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#tails.values())
  }
}
