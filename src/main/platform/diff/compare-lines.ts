import { diffArrays } from 'diff'

/** Half-open ranges, 0-based: lines `from` to `to` of the old text became lines `newFrom` to `newTo` of the new one. */
export interface LineEdit {
  readonly from: number
  readonly to: number
  readonly newFrom: number
  readonly newTo: number
}

/** Some 0.3 s of work. */
const usualSteps = 2_000_000

/**
 * The edits that turn `before` into `after`, in order, none touching the next: the shortest, or, where that is too much
 * work, one edit between the lines that both begin and end with.
 * @param steps how much work may be spent on a short answer
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
  steps: number = usualSteps,
): LineEdit[] {
  // Lines that only one side has match nothing. Without them the search is short: it takes d²/2 steps for d differences.
  const olds = placesOf(before, new Set(after))
  const news = placesOf(after, new Set(before))
  const parts = diffArrays(
    olds.map((place) => before[place]),
    news.map((place) => after[place]),
    { maxEditLength: Math.floor(Math.sqrt(2 * steps)) },
  )
  const kept: [line: number, newLine: number][] = []
  let [old, next] = [0, 0]
  for (const { added, removed, count } of parts ?? []) {
    if (!added && !removed) for (let at = 0; at < count; at += 1) kept.push([olds[old + at] ?? 0, news[next + at] ?? 0])
    if (!added) old += count
    if (!removed) next += count
  }
  return editsBetween(parts ? kept : outerLines(before, after), before.length, after.length)
}

/** The same of two texts. One that ends with the end of a line has an empty line behind it. */
export function changesOf(before: string, after: string): LineEdit[] {
  return compareLines(before.split('\n'), after.split('\n'))
}

/** The lines of a text with their ends, so that joining them gives the text back. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function placesOf(lines: readonly string[], others: ReadonlySet<string>): number[] {
  return lines.flatMap((line, place) => (others.has(line) ? [place] : []))
}

/** Lines that both texts begin and end with. */
function outerLines(before: readonly string[], after: readonly string[]): [number, number][] {
  const most = Math.min(before.length, after.length)
  let first = 0
  while (first < most && before[first] === after[first]) first += 1
  let last = 0
  while (last < most - first && before.at(-1 - last) === after.at(-1 - last)) last += 1
  const begin = Array.from({ length: first }, (_, at): [number, number] => [at, at])
  const end = Array.from({ length: last }, (_, at): [number, number] => [
    before.length - last + at,
    after.length - last + at,
  ])
  return [...begin, ...end]
}

function editsBetween(kept: readonly (readonly [number, number])[], length: number, newLength: number): LineEdit[] {
  const edits: LineEdit[] = []
  let [from, newFrom] = [0, 0]
  for (const [to, newTo] of [...kept, [length, newLength] as const]) {
    if (to > from || newTo > newFrom) edits.push({ from, to, newFrom, newTo })
    from = to + 1
    newFrom = newTo + 1
  }
  return edits
}
