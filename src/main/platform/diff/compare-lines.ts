import { diffArrays } from 'diff'

/** Replaces lines `from` to `to` of the old text by `newFrom` to `newTo` of the new one; 0-based, end exclusive. */
export interface LineEdit {
  readonly from: number
  readonly to: number
  readonly newFrom: number
  readonly newTo: number
}

/** Default limit of the search: about 0.3 s. */
const usualSteps = 2_000_000

/**
 * Returns the edits that turn `before` into `after`, in order and not adjacent: the shortest script, or, if the search
 * takes more than about `steps` comparisons, one edit between the common prefix and suffix. Empty for equal texts.
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
  steps: number = usualSteps,
): LineEdit[] {
  // Lines that occur on one side only cannot match. Without them the search takes d²/2 steps for d differences.
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

/** Compares two texts by line. A trailing line break counts as an empty last line. */
export function compareTexts(before: string, after: string): LineEdit[] {
  return compareLines(before.split('\n'), after.split('\n'))
}

/** Splits a text into lines that keep their line breaks, so that joining them restores the text. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function placesOf(lines: readonly string[], others: ReadonlySet<string>): number[] {
  return lines.flatMap((line, place) => (others.has(line) ? [place] : []))
}

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
