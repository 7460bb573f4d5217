export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}

export function cached<Key, T extends NonNullable<unknown> | null>(compute: (key: Key) => T): (key: Key) => T {
  const known = new Map<Key, T>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = compute(key)))
    return value
  }
}
