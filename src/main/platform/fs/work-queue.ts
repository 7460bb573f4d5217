export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` after all work queued earlier under this name has settled. @throws errors of `work` */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const task = (this.#tails.get(name) ?? Promise.resolve()).then(work, work)
    this.#tails.set(name, task)
    try {
      return await task
    } finally {
      if (this.#tails.get(name) === task) this.#tails.delete(name)
    }
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.#tails.values())
  }
}

/** Runs `work` on `size` items at a time; results keep the order. @throws the signal's reason; errors of `work` */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += size) {
    signal?.throwIfAborted()
    results.push(...(await Promise.all(items.slice(from, from + size).map(work))))
  }
  return results
}
