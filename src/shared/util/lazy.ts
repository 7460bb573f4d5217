/** What is made when it is first asked for: what a process that has just started need not have, it need not wait for. Pure. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
