/**
 * Which lines two texts share. Lines that only one side has are set aside first (they can match nothing), what both
 * begin and end with is taken off, and the shortest edit is looked for with Myers' greedy algorithm ("An O(ND) Difference
 * Algorithm", 1986). That is quadratic in the number of differences, so it is bounded: past the bound, lines that stand
 * once on either side hold the two together, and what lies between them without any counts as replaced. Pure.
 */

/** Half-open ranges, 0-based: lines `from` to `to` of the old text became lines `newFrom` to `newTo` of the new one. */
export interface LineEdit {
  readonly from: number
  readonly to: number
  readonly newFrom: number
  readonly newTo: number
}

/** Differences in one stretch past which no shortest edit is looked for: about 10 ms of work. */
const maxDifferences = 1200
/** Steps of all searches for one pair of texts: about 100 ms of work. */
const usualSteps = 10_000_000

interface Range {
  readonly from: number
  readonly to: number
  readonly newFrom: number
  readonly newTo: number
}

/**
 * The edits that turn `before` into `after`, in order, none touching the next.
 * @param steps how much work may be spent on a short answer; with 0 the anchors alone decide
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
  steps: number = usualSteps,
): LineEdit[] {
  const [olds, news] = numbered(before, after)
  const kept = new Uint8Array(olds.length)
  const keptNew = new Uint8Array(news.length)
  const shared = sharedOnly(olds, news)
  const matcher = new Matcher(shared, steps)
  matcher.match({ from: 0, to: shared.olds.length, newFrom: 0, newTo: shared.news.length })
  for (const [line, newLine] of matcher.pairs) {
    kept[shared.oldPlaces[line] ?? 0] = 1
    keptNew[shared.newPlaces[newLine] ?? 0] = 1
  }
  return slidDown(editsOf(kept, keptNew), olds, news)
}

/** The same of two texts. One that ends with the end of a line has an empty line behind it. */
export function changesOf(before: string, after: string): LineEdit[] {
  return compareLines(before.split('\n'), after.split('\n'))
}

/**
 * Of several equal lines it is the last that came or went, as Git has it: what was added at the end of a list is not said
 * to have been added before its last line.
 */
function slidDown(edits: readonly LineEdit[], olds: Int32Array, news: Int32Array): LineEdit[] {
  return edits.map((edit, index) => {
    const { from, to, newFrom, newTo } = edit
    const isDeletion = newFrom === newTo
    if (!isDeletion && from !== to) return edit
    const next = edits[index + 1]
    const [lines, first, end, bound] = isDeletion
      ? [olds, from, to, next ? next.from - 1 : olds.length]
      : [news, newFrom, newTo, next ? next.newFrom - 1 : news.length]
    let by = 0
    while (end + by < bound && lines[first + by] === lines[end + by]) by += 1
    return { from: from + by, to: to + by, newFrom: newFrom + by, newTo: newTo + by }
  })
}

/** Equal lines get equal numbers. */
function numbered(before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  const number = (line: string) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  }
  return [Int32Array.from(before, number), Int32Array.from(after, number)]
}

interface Shared {
  readonly olds: Int32Array
  readonly news: Int32Array
  /** Where each of them stood. */
  readonly oldPlaces: Int32Array
  readonly newPlaces: Int32Array
}

function sharedOnly(olds: Int32Array, news: Int32Array): Shared {
  const oldPlaces = placesOf(olds, new Set(news))
  const newPlaces = placesOf(news, new Set(olds))
  return {
    olds: oldPlaces.map((place) => olds[place] ?? 0),
    news: newPlaces.map((place) => news[place] ?? 0),
    oldPlaces,
    newPlaces,
  }
}

function placesOf(lines: Int32Array, others: ReadonlySet<number>): Int32Array {
  const places: number[] = []
  for (let line = 0; line < lines.length; line += 1) if (others.has(lines[line] ?? -1)) places.push(line)
  return Int32Array.from(places)
}

class Matcher {
  readonly pairs: [line: number, newLine: number][] = []
  readonly #olds: Int32Array
  readonly #news: Int32Array
  #steps: number

  constructor({ olds, news }: Shared, steps: number) {
    this.#olds = olds
    this.#news = news
    this.#steps = steps
  }

  match(whole: Range): void {
    const open = [whole]
    for (let range = open.pop(); range; range = open.pop()) {
      const inner = this.#trim(range)
      if (inner.from === inner.to || inner.newFrom === inner.newTo || this.#shortest(inner)) continue
      for (const gap of this.#betweenAnchors(inner)) open.push(gap)
    }
  }

  #trim({ from, to, newFrom, newTo }: Range): Range {
    while (from < to && newFrom < newTo && this.#olds[from] === this.#news[newFrom]) {
      this.pairs.push([from, newFrom])
      from += 1
      newFrom += 1
    }
    while (from < to && newFrom < newTo && this.#olds[to - 1] === this.#news[newTo - 1]) {
      to -= 1
      newTo -= 1
      this.pairs.push([to, newTo])
    }
    return { from, to, newFrom, newTo }
  }

  /** @returns false when there are too many differences: nothing was matched then */
  #shortest({ from, to, newFrom, newTo }: Range): boolean {
    const [length, newLength] = [to - from, newTo - newFrom]
    const most = Math.min(maxDifferences, length + newLength)
    const middle = most + 1
    const reach = new Int32Array(2 * middle + 1)
    /** How far each diagonal had come before each round: for the way back. */
    const rounds: Int32Array[] = []
    for (let differences = 0; differences <= most; differences += 1) {
      this.#steps -= differences + 1
      if (this.#steps < 0) return false
      rounds.push(reach.slice(middle - differences - 1, middle + differences + 2))
      for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
        const below = reach[middle + diagonal - 1] ?? 0
        const above = reach[middle + diagonal + 1] ?? 0
        let line = diagonal === -differences || (diagonal !== differences && below < above) ? above : below + 1
        let newLine = line - diagonal
        const start = line
        while (line < length && newLine < newLength && this.#olds[from + line] === this.#news[newFrom + newLine]) {
          line += 1
          newLine += 1
        }
        this.#steps -= line - start
        reach[middle + diagonal] = line
        if (line >= length && newLine >= newLength) {
          this.#walkBack(rounds, { from, to, newFrom, newTo })
          return true
        }
      }
    }
    return false
  }

  #walkBack(rounds: readonly Int32Array[], { from, to, newFrom, newTo }: Range): void {
    let line = to - from
    let newLine = newTo - newFrom
    for (let differences = rounds.length - 1; differences >= 0; differences -= 1) {
      const reach = rounds[differences] ?? new Int32Array()
      const middle = differences + 1
      const diagonal = line - newLine
      const below = reach[middle + diagonal - 1] ?? 0
      const above = reach[middle + diagonal + 1] ?? 0
      const isAdded = diagonal === -differences || (diagonal !== differences && below < above)
      const fromLine = differences === 0 ? 0 : isAdded ? above : below
      const fromNew = differences === 0 ? 0 : fromLine - (isAdded ? diagonal + 1 : diagonal - 1)
      while (line > fromLine && newLine > fromNew) {
        line -= 1
        newLine -= 1
        this.pairs.push([from + line, newFrom + newLine])
      }
      line = fromLine
      newLine = fromNew
    }
  }

  /** Lines that stand once on either side, the longest row of them in the same order; and what lies between. */
  #betweenAnchors(range: Range): Range[] {
    const anchors = longestRow(uniquePairs(this.#olds, this.#news, range))
    if (anchors.length === 0) return []
    const gaps: Range[] = []
    let { from, newFrom } = range
    for (const [line, newLine] of [...anchors, [range.to, range.newTo] as const]) {
      if (line < range.to) this.pairs.push([line, newLine])
      if (line > from && newLine > newFrom) gaps.push({ from, to: line, newFrom, newTo: newLine })
      from = line + 1
      newFrom = newLine + 1
    }
    return gaps
  }
}

type Pair = [line: number, newLine: number]

/** In the order of the old text. */
function uniquePairs(olds: Int32Array, news: Int32Array, { from, to, newFrom, newTo }: Range): Pair[] {
  const places = onePlaceEach(olds, from, to)
  const newPlaces = onePlaceEach(news, newFrom, newTo)
  const pairs: Pair[] = []
  for (const [number, line] of places) {
    const newLine = newPlaces.get(number)
    if (line >= 0 && newLine !== undefined && newLine >= 0) pairs.push([line, newLine])
  }
  return pairs
}

/** By number of the line; -1 for those that stand more than once. */
function onePlaceEach(lines: Int32Array, from: number, to: number): Map<number, number> {
  const places = new Map<number, number>()
  for (let line = from; line < to; line += 1) {
    const number = lines[line] ?? 0
    places.set(number, places.has(number) ? -1 : line)
  }
  return places
}

/** The longest row of pairs whose new lines rise, by patience sorting. */
function longestRow(pairs: readonly Pair[]): Pair[] {
  /** Of each pile the pair on top, and for each pair the one before it. */
  const tops: number[] = []
  const before = new Int32Array(pairs.length).fill(-1)
  for (const [index, [, newLine]] of pairs.entries()) {
    let low = 0
    let high = tops.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tops[middle] ?? 0]?.[1] ?? 0) < newLine) low = middle + 1
      else high = middle
    }
    before[index] = low === 0 ? -1 : (tops[low - 1] ?? -1)
    tops[low] = index
  }
  const row: Pair[] = []
  for (let index = tops.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index]
    if (pair) row.push(pair)
  }
  return row.reverse()
}

/** What lies between the kept lines. Kept ones stand in the same order on both sides. */
function editsOf(kept: Uint8Array, keptNew: Uint8Array): LineEdit[] {
  const edits: LineEdit[] = []
  let line = 0
  let newLine = 0
  while (line < kept.length || newLine < keptNew.length) {
    const [from, newFrom] = [line, newLine]
    while (line < kept.length && kept[line] === 0) line += 1
    while (newLine < keptNew.length && keptNew[newLine] === 0) newLine += 1
    if (line > from || newLine > newFrom) edits.push({ from, to: line, newFrom, newTo: newLine })
    line += 1
    newLine += 1
  }
  return edits
}
