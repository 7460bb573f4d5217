/** Returns the largest group of items with the same key; on a tie, the one that begins first. */
export function mostFrequent<T>(items: readonly T[], keyOf: (item: T) => string | number): readonly T[] {
  const groups = [...Map.groupBy(items, keyOf).values()]
  return groups.reduce<readonly T[]>((best, group) => (group.length > best.length ? group : best), [])
}
