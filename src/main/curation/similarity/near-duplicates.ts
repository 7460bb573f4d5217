/**
 * Near-duplicate lines: Jaccard similarity of character shingles; MinHash with banding finds candidates without
 * comparing all pairs (Broder, "On the resemblance and containment of documents", 1997; Leskovec, Rajaraman & Ullman,
 * "Mining of Massive Datasets", ch. 3).
 */

/** Shingle length in characters; CJK text carries more meaning per character. */
const shingleSize = { other: 4, cjk: 2 }
/** Minimum length in characters after normalisation; shorter lines are similar by chance. */
const minCharacters = { other: 20, cjk: 8 }
const threshold = 0.7
/** 8 bands of 3 rows: a pair of similarity 0.7 becomes a candidate with a probability of 0.96, one of 0.3 with 0.2. */
const bands = 8
const rows = 3
/**
 * Minimum estimated similarity for an exact comparison. The estimate is the share of equal minima (± 0.1). Misses 1 in
 * 200 pairs of similarity 0.7.
 */
const minEstimate = 0.45
/** Limit of comparisons per bucket, for memories with many lines of one pattern. */
const maxCompared = 4

export interface DuplicateGroup {
  /** Lowest similarity to the first line, 0 to 1; only the next 100 lines are compared. */
  readonly similarity: number
  /** Indexes, ascending; at least two. */
  readonly lines: readonly number[]
}

/** Returns groups of similar lines, highest similarity first; short lines are in no group. */
export function nearDuplicates(lines: readonly string[]): DuplicateGroup[] {
  const parent = Array.from(lines, (_, index) => index)
  /** Union-find with path halving. */
  const rootOf = (index: number): number => {
    let at = index
    while (parent[at] !== at) at = parent[at] = parent[parent[at] ?? at] ?? at
    return at
  }
  const merge = (one: number, other: number) => {
    const [smaller, larger] = [rootOf(one), rootOf(other)].sort((a, b) => a - b)
    if (smaller !== undefined && larger !== undefined) parent[larger] = smaller
  }
  const indexByText = new Map<string, number>()
  const buckets = Array.from({ length: bands }, () => new Map<number, number[]>())
  const shinglesOf = (index: number) => shingles(normalize(lines[index] ?? ''))
  const signatures = new Uint32Array(lines.length * bands * rows)
  const signatureOf = (index: number) => signatures.subarray(index * bands * rows, (index + 1) * bands * rows)
  for (const [index, line] of lines.entries()) {
    const text = normalize(line)
    if (text.length < minCharacters[scriptOf(text)]) continue
    const equalLine = indexByText.get(text)
    if (equalLine !== undefined) {
      merge(equalLine, index)
      continue
    }
    indexByText.set(text, index)
    const signature = signatureOf(index)
    writeSignature(text, signature)
    let ownShingles: Set<number> | undefined
    const isSimilar = (other: number) =>
      estimateSimilarity(signatureOf(other), signature) >= minEstimate &&
      jaccard(shinglesOf(other), (ownShingles ??= shingles(text))) >= threshold
    for (const [band, key] of bandKeys(signature).entries()) {
      const bucket = buckets[band]?.get(key)
      if (!bucket) {
        buckets[band]?.set(key, [index])
        continue
      }
      const similar = bucket.slice(0, maxCompared).find((other) => rootOf(other) === rootOf(index) || isSimilar(other))
      if (similar === undefined) bucket.push(index)
      else merge(similar, index)
    }
  }
  return [...Map.groupBy(lines.keys(), rootOf).values()]
    .filter(({ length }) => length > 1)
    .map((group) => {
      const [first = 0, ...others] = group
      const ownShingles = shinglesOf(first)
      return {
        similarity: Math.min(...others.slice(0, 100).map((other) => jaccard(ownShingles, shinglesOf(other)))),
        lines: group,
      }
    })
    .sort((one, other) => other.similarity - one.similarity || (one.lines[0] ?? 0) - (other.lines[0] ?? 0))
}

/** Returns the similarity of two lines, 0 to 1; 1 if they are equal after normalisation. */
export function similarityOf(one: string, other: string): number {
  const [first, second] = [normalize(one), normalize(other)]
  return first === second ? 1 : jaccard(shingles(first), shingles(second))
}

function normalize(line: string): string {
  if (asciiPattern.test(line))
    return line
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()
  return line
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** ASCII lines need no Unicode tables, whose use takes most of the time in a large memory. */
const asciiPattern = /^\p{ASCII}*$/u

function scriptOf(text: string): keyof typeof shingleSize {
  const cjk = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return cjk > text.length / 3 ? 'cjk' : 'other'
}

/** FNV-1a hashes of the shingles, 32 bits. */
function shingles(text: string): Set<number> {
  const size = shingleSize[scriptOf(text)]
  const hashes = new Set<number>()
  for (let from = 0; from + size <= text.length; from += 1) hashes.add(shingleAt(text, from, size))
  return hashes
}

function shingleAt(text: string, from: number, size: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < from + size; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Writes the MinHash signature: the minimum per hash function. Repeated shingles do not change it. */
function writeSignature(text: string, minima: Uint32Array): void {
  const size = shingleSize[scriptOf(text)]
  minima.fill(0xffffffff)
  for (let from = 0; from + size <= text.length; from += 1) {
    const shingle = shingleAt(text, from, size)
    for (let index = 0; index < minima.length; index += 1) {
      const hash = Math.imul(shingle ^ (seeds[index] ?? 0), 0x9e3779b1) >>> 0
      const mixed = (hash ^ (hash >>> 15)) >>> 0
      if (mixed < (minima[index] ?? 0)) minima[index] = mixed
    }
  }
}

function estimateSimilarity(one: Uint32Array, other: Uint32Array): number {
  let equal = 0
  for (let index = 0; index < one.length; index += 1) if (one[index] === other[index]) equal += 1
  return equal / one.length
}

function bandKeys(minima: Uint32Array): number[] {
  return Array.from({ length: bands }, (_, band) => {
    let key = band
    for (let row = 0; row < rows; row += 1)
      key = Math.imul(key ^ (minima[band * rows + row] ?? 0), 0x85ebca6b) ^ (key >>> 13)
    // Small integers make lookups in `Map` several times faster.
    return key
  })
}

const seeds = Uint32Array.from({ length: bands * rows }, (_, index) => Math.imul(index + 1, 0xc2b2ae35))

function jaccard(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  if (one.size === 0 || other.size === 0) return 0
  let shared = 0
  for (const value of one) if (other.has(value)) shared += 1
  return shared / (one.size + other.size - shared)
}
