/**
 * Returns the results in the order of the items; processes `size` items concurrently.
 * @throws the reason of `signal`, checked before each batch; the first error of `work`
 */
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
