import { diffArrays } from 'diff'

/** Replaces lines `from` to `to` of the old text by `newFrom` to `newTo` of the new one; 0-based, end exclusive. */
export interface EditedLines {
  readonly from: number
  readonly to: number
  readonly newFrom: number
  readonly newTo: number
}

/** Default limit of comparisons, which take about 0.3 s. */
const defaultSteps = 2_000_000

/**
 * Returns the edits that turn `before` into `after`, in order and not adjacent: the shortest script, or, if the search
 * takes more than about `steps` comparisons, one edit between the common prefix and suffix. Empty for equal texts.
 */
export function compareLines(
  before: readonly string[],
  after: readonly string[],
  steps: number = defaultSteps,
): EditedLines[] {
  // Leaves out lines that occur in one text only. With d differences, the search then takes d²/2 steps.
  const oldIndices = sharedIndices(before, new Set(after))
  const newIndices = sharedIndices(after, new Set(before))
  const parts = diffArrays(
    oldIndices.map((index) => before[index]),
    newIndices.map((index) => after[index]),
    { maxEditLength: Math.floor(Math.sqrt(2 * steps)) },
  )
  if (!parts) {
    const { start, end } = commonEnds(before, after)
    return [{ from: start, to: before.length - end, newFrom: start, newTo: after.length - end }]
  }
  const matches: [line: number, newLine: number][] = []
  let [oldAt, newAt] = [0, 0]
  for (const { added, removed, count } of parts) {
    if (!added && !removed)
      for (let at = 0; at < count; at += 1) matches.push([oldIndices[oldAt + at] ?? 0, newIndices[newAt + at] ?? 0])
    if (!added) oldAt += count
    if (!removed) newAt += count
  }
  return editsBetween(matches, before.length, after.length)
}

/** Splits a text into lines that keep their line breaks, so that joining them restores the text. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function sharedIndices(lines: readonly string[], otherLines: ReadonlySet<string>): number[] {
  return lines.flatMap((line, index) => (otherLines.has(line) ? [index] : []))
}

/** The common start and the common end of two lists or texts do not overlap. */
export function commonEnds(before: ArrayLike<unknown>, after: ArrayLike<unknown>): { start: number; end: number } {
  const minLength = Math.min(before.length, after.length)
  let start = 0
  while (start < minLength && before[start] === after[start]) start += 1
  let end = 0
  while (end < minLength - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  return { start, end }
}

function editsBetween(
  matches: readonly (readonly [number, number])[],
  length: number,
  newLength: number,
): EditedLines[] {
  const edits: EditedLines[] = []
  let [from, newFrom] = [0, 0]
  for (const [to, newTo] of [...matches, [length, newLength] as const]) {
    if (to > from || newTo > newFrom) edits.push({ from, to, newFrom, newTo })
    from = to + 1
    newFrom = newTo + 1
  }
  return edits
}
