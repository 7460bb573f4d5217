/** Work that nobody waits for, until the end: then everybody waits for it. */
export class Background {
  readonly #work = new Set<Promise<void>>()
  readonly #onFault: (error: unknown) => void

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  run(work: Promise<void>): void {
    const guarded = work.catch(this.#onFault)
    this.#work.add(guarded)
    void guarded.finally(() => this.#work.delete(guarded))
  }

  async close(): Promise<void> {
    await Promise.all(this.#work)
  }
}
