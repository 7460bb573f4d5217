/** Files that stand for a memory when all of them would take too long. */
const maxFiles = 200

/** Every one of `needed`, then others at even distances. Pure. */
export function sampleOf(all: readonly string[], needed: readonly string[]): string[] {
  const wanted = new Set(needed)
  const others = all.filter((path) => !wanted.has(path))
  const room = Math.max(0, maxFiles - wanted.size)
  const step = Math.max(1, others.length / Math.max(1, room))
  for (let at = 0; at < others.length && wanted.size < maxFiles; at += step) {
    const path = others[Math.floor(at)]
    if (path !== undefined) wanted.add(path)
  }
  return [...wanted]
}
