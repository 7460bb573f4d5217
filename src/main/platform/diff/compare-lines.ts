import { diffArrays } from 'diff'

/** Replaces lines `from` to `to` of the old text by `newFrom` to `newTo` of the new one; 0-based, end exclusive. */
export interface LineEdit {
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
): LineEdit[] {
  // Leaves out lines that occur in one text only. With d differences, the search then takes d²/2 steps.
  const oldIndices = sharedIndices(before, new Set(after))
  const newIndices = sharedIndices(after, new Set(before))
  const parts = diffArrays(
    oldIndices.map((index) => before[index]),
    newIndices.map((index) => after[index]),
    { maxEditLength: Math.floor(Math.sqrt(2 * steps)) },
  )
  const matches: [line: number, newLine: number][] = []
  let [oldAt, newAt] = [0, 0]
  for (const { added, removed, count } of parts ?? []) {
    if (!added && !removed)
      for (let at = 0; at < count; at += 1) matches.push([oldIndices[oldAt + at] ?? 0, newIndices[newAt + at] ?? 0])
    if (!added) oldAt += count
    if (!removed) newAt += count
  }
  return editsBetween(parts ? matches : matchCommonEnds(before, after), before.length, after.length)
}

/** Compares two texts by line. A trailing line break counts as an empty last line. */
export function compareTexts(before: string, after: string): LineEdit[] {
  return compareLines(before.split('\n'), after.split('\n'))
}

/** Splits a text into lines that keep their line breaks, so that joining them restores the text. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function sharedIndices(lines: readonly string[], otherLines: ReadonlySet<string>): number[] {
  return lines.flatMap((line, index) => (otherLines.has(line) ? [index] : []))
}

function matchCommonEnds(before: readonly string[], after: readonly string[]): [number, number][] {
  const minLength = Math.min(before.length, after.length)
  let prefixLength = 0
  while (prefixLength < minLength && before[prefixLength] === after[prefixLength]) prefixLength += 1
  let suffixLength = 0
  while (suffixLength < minLength - prefixLength && before.at(-1 - suffixLength) === after.at(-1 - suffixLength))
    suffixLength += 1
  const prefix = Array.from({ length: prefixLength }, (_, at): [number, number] => [at, at])
  const suffix = Array.from({ length: suffixLength }, (_, at): [number, number] => [
    before.length - suffixLength + at,
    after.length - suffixLength + at,
  ])
  return [...prefix, ...suffix]
}

function editsBetween(matches: readonly (readonly [number, number])[], length: number, newLength: number): LineEdit[] {
  const edits: LineEdit[] = []
  let [from, newFrom] = [0, 0]
  for (const [to, newTo] of [...matches, [length, newLength] as const]) {
    if (to > from || newTo > newFrom) edits.push({ from, to, newFrom, newTo })
    from = to + 1
    newFrom = newTo + 1
  }
  return edits
}
