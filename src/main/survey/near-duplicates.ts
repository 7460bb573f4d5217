/**
 * Lines that say nearly the same: Jaccard similarity of their character shingles, with candidates found by MinHash and
 * banding (Broder, "On the resemblance and containment of documents", 1997; Leskovec, Rajaraman & Ullman, "Mining of
 * Massive Datasets", ch. 3), so that a hundred thousand lines are not compared pair by pair. Pure.
 */

/** Shingles of this many characters; text in CJK characters says as much in fewer. */
const shingleSize = { other: 4, cjk: 2 }
/** Shorter lines, in characters without marks, are alike by chance. */
const minCharacters = { other: 20, cjk: 8 }
const threshold = 0.7
/** 8 bands of 3: a pair of similarity 0.7 is looked at with a probability of 0.96, one of 0.3 with 0.2. */
const bands = 8
const rows = 3
/** Lines of a bucket that a new one is compared with: many lines of one pattern would be too many pairs. */
const maxCompared = 4

export interface DuplicateGroup {
  /** Of the least alike line to the first, in [0, 1]. */
  readonly similarity: number
  /** Indices, ascending; at least two. */
  readonly lines: readonly number[]
}

/** @returns groups of lines, the most alike first */
export function nearDuplicates(lines: readonly string[]): DuplicateGroup[] {
  const parent = Array.from(lines, (_, index) => index)
  const root = (index: number): number => {
    let at = index
    while (parent[at] !== at) at = parent[at] = parent[parent[at] ?? at] ?? at
    return at
  }
  const join = (one: number, other: number) => {
    const [first, second] = [root(one), root(other)].sort((a, b) => a - b)
    if (first !== undefined && second !== undefined) parent[second] = first
  }
  const same = new Map<string, number>()
  const buckets = Array.from({ length: bands }, () => new Map<number, number[]>())
  const shinglesOf = (index: number) => shingles(normalize(lines[index] ?? ''))
  for (const [index, line] of lines.entries()) {
    const text = normalize(line)
    if (text.length < minCharacters[scriptOf(text)]) continue
    const twin = same.get(text)
    if (twin !== undefined) {
      join(twin, index)
      continue
    }
    same.set(text, index)
    const set = shingles(text)
    for (const [band, key] of bandKeys(set).entries()) {
      const bucket = buckets[band]?.get(key)
      if (!bucket) {
        buckets[band]?.set(key, [index])
        continue
      }
      const alike = bucket
        .slice(0, maxCompared)
        .find((other) => root(other) === root(index) || jaccard(shinglesOf(other), set) >= threshold)
      if (alike === undefined) bucket.push(index)
      else join(alike, index)
    }
  }
  const groups = new Map<number, number[]>()
  for (const index of lines.keys()) {
    const first = root(index)
    if (first === index) continue
    const group = groups.get(first)
    if (group) group.push(index)
    else groups.set(first, [first, index])
  }
  return [...groups.values()]
    .map((group) => {
      const [first = 0, ...others] = group
      const own = shinglesOf(first)
      return {
        similarity: Math.min(...others.slice(0, 100).map((other) => jaccard(own, shinglesOf(other)))),
        lines: group,
      }
    })
    .sort((one, other) => other.similarity - one.similarity || (one.lines[0] ?? 0) - (other.lines[0] ?? 0))
}

/** Letters and digits alone, in lower case: list marks, emphasis and punctuation make no difference. */
function normalize(line: string): string {
  return line
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function scriptOf(text: string): keyof typeof shingleSize {
  const cjk = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return cjk > text.length / 3 ? 'cjk' : 'other'
}

/** Hashes (FNV-1a, 32 bits) of the text's shingles. */
function shingles(text: string): Set<number> {
  const size = shingleSize[scriptOf(text)]
  const found = new Set<number>()
  for (let from = 0; from + size <= text.length; from += 1) {
    let hash = 0x811c9dc5
    for (let at = from; at < from + size; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    found.add(hash >>> 0)
  }
  return found
}

/** One hash a band, over the band's minima. */
function bandKeys(set: ReadonlySet<number>): number[] {
  const minima = new Uint32Array(bands * rows).fill(0xffffffff)
  for (const shingle of set) {
    for (let index = 0; index < minima.length; index += 1) {
      const hash = Math.imul(shingle ^ (seeds[index] ?? 0), 0x9e3779b1) >>> 0
      const mixed = (hash ^ (hash >>> 15)) >>> 0
      if (mixed < (minima[index] ?? 0)) minima[index] = mixed
    }
  }
  return Array.from({ length: bands }, (_, band) => {
    let key = band
    for (let row = 0; row < rows; row += 1)
      key = Math.imul(key ^ (minima[band * rows + row] ?? 0), 0x85ebca6b) ^ (key >>> 13)
    return key >>> 0
  })
}

const seeds = Uint32Array.from({ length: bands * rows }, (_, index) => Math.imul(index + 1, 0xc2b2ae35))

function jaccard(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  if (one.size === 0 || other.size === 0) return 0
  let shared = 0
  for (const value of one) if (other.has(value)) shared += 1
  return shared / (one.size + other.size - shared)
}
