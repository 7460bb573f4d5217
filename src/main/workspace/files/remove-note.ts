import type { AddedNote } from '#shared/markdown/added-note.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'

/** Removes a note from a text; undefined if its lines are no longer below its heading. */
export function removeNote(text: string, { headings, under, body, at }: AddedNote): string | undefined {
  const lines = text.split('\n')
  const distance = (start: number) =>
    Math.abs(start - at) + (continuesIndented(lines, start - 1 + body.length) ? lines.length + at : 0)
  const start = findStartLines(lines, under, body).toSorted((one, other) => distance(one) - distance(other))[0]
  if (start === undefined) return undefined
  removeLines(lines, start - 1, body.length)
  for (const heading of headings.toReversed()) {
    const found = sectionsOf(lines).findLast(
      ({ from }) => from <= start && withoutCarriageReturn(lines[from - 1]) === heading,
    )
    if (found && lines.slice(found.from, found.to).every(isEmpty)) removeLines(lines, found.from - 1, 1)
  }
  return lines.every(isEmpty) ? '' : lines.join('\n')
}

/** Finds the body in sections of that title. @returns 1-based start lines */
function findStartLines(lines: readonly string[], under: string, body: readonly string[]): number[] {
  const places = new Set<number>()
  for (const { title, from, to } of sectionsOf(lines)) {
    if (title !== under) continue
    for (let start = from + 1; start <= to + 1; start += 1)
      if (body.every((line, index) => withoutCarriageReturn(lines[start - 1 + index]) === line)) places.add(start)
  }
  return [...places]
}

/** Returns true if an indented line follows: then the match is the start of a longer note. */
function continuesIndented(lines: readonly string[], index: number): boolean {
  const next = lines.slice(index).find((line) => !isEmpty(line))
  return next !== undefined && /^\s/.test(next)
}

function removeLines(lines: string[], start: number, count: number): void {
  lines.splice(start, count)
  if (start > 0 && isEmpty(lines[start - 1])) {
    const next = lines.findIndex((line, index) => index >= start && !isEmpty(line))
    lines.splice(start, (next < 0 ? lines.length : next) - start)
  }
  // Keep a single line break at the end of the file.
  if (start === lines.length && isEmpty(lines[start - 1]) && isEmpty(lines[start - 2])) lines.pop()
}

function withoutCarriageReturn(line: string | undefined): string | undefined {
  return line?.endsWith('\r') ? line.slice(0, -1) : line
}

function isEmpty(line: string | undefined): boolean {
  return line !== undefined && line.trim() === ''
}
