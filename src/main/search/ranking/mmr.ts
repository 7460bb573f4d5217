export interface MmrOptions<T> {
  /** In [0, 1]: 1 looks at scores alone, 0 most at distance. */
  readonly lambda: number
  readonly maxResults: number
  /** What a candidate says; asked once for each. */
  readonly wordsOf: (candidate: T) => ReadonlySet<unknown>
}

export interface Diversified<T> {
  readonly candidate: T
  /** What its likeness to the better hits leaves of its score; 1 for a candidate that was not picked. */
  readonly factor: number
}

interface Open<T> {
  readonly candidate: T
  readonly words: ReadonlySet<unknown>
  /** Its likeness to the most alike of what was picked so far. */
  closest: number
}

/**
 * Each next hit is the one with the best balance of its score and its distance to what was already picked; of equals the
 * first. After each pick the others are compared with that one alone: `candidates` × `maxResults` comparisons.
 * @returns what was picked, then the others in the order they came
 */
export function diversify<T extends { readonly score: number }>(
  candidates: readonly T[],
  { lambda, maxResults, wordsOf }: MmrOptions<T>,
): Diversified<T>[] {
  const open = candidates.map((candidate): Open<T> => ({ candidate, words: wordsOf(candidate), closest: 0 }))
  const picked: Diversified<T>[] = []
  const factorOf = ({ closest }: Open<T>) => 1 - (1 - lambda) * closest
  while (picked.length < maxResults) {
    let best = 0
    let bestScore = -Infinity
    for (const [index, one] of open.entries()) {
      const score = one.candidate.score * factorOf(one)
      if (score > bestScore) {
        bestScore = score
        best = index
      }
    }
    const [next] = open.splice(best, 1)
    if (!next) break
    picked.push({ candidate: next.candidate, factor: factorOf(next) })
    for (const other of open) other.closest = Math.max(other.closest, jaccard(other.words, next.words))
  }
  return [...picked, ...open.map(({ candidate }) => ({ candidate, factor: 1 }))]
}

/** Jaccard similarity of two sets of words. */
function jaccard(one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of small) if (large.has(word)) shared += 1
  return shared / Math.max(1, one.size + other.size - shared)
}
