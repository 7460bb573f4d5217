/** Returns a getter that calls `make` on first use and caches the result. */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}
