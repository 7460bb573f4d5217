export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}
