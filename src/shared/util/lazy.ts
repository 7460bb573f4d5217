export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}

/** @param compute returns null instead of undefined, because an undefined value would be computed again */
export function cached<Key, T extends NonNullable<unknown> | null>(compute: (key: Key) => T, maxSize = Infinity) {
  const known = new Map<Key, T>()
  return (key: Key): T => {
    let value = known.get(key)
    if (value === undefined) setBounded(known, key, (value = compute(key)), maxSize)
    return value
  }
}

/** Sets an entry and deletes the oldest ones beyond `maxSize`. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxSize: number): void {
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= maxSize) return
    map.delete(oldest)
  }
}
