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
