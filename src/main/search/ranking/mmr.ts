export interface MmrOptions<T> {
  /** In [0, 1]: 1 ranks by score alone, 0 gives diversity its full weight. */
  readonly lambda: number
  readonly maxResults: number
  /** Returns a candidate's words; called once per candidate. */
  readonly wordsOf: (candidate: T) => ReadonlySet<unknown>
}

export interface Diversified<T> {
  readonly candidate: T
  /** Factor on the score, because of the similarity to better results; 1 if the candidate was not selected. */
  readonly factor: number
}

interface Open<T> {
  readonly candidate: T
  readonly words: ReadonlySet<unknown>
  closest: number
}

/**
 * Variant of maximal marginal relevance (MMR): repeatedly selects the candidate with the highest score
 * times 1 − (1 − lambda) · similarity to the selected ones; of equals, the first. Takes `candidates` × `maxResults`
 * comparisons.
 * @returns the selected candidates, then the others in their original order
 */
export function rerankByMmr<T extends { readonly score: number }>(
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

function jaccard(one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of small) if (large.has(word)) shared += 1
  return shared / Math.max(1, one.size + other.size - shared)
}
