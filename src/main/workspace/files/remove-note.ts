import type { AddedNote } from '#shared/markdown/added-note.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'

/** Removes a note from a text; undefined if its lines are no longer below its heading. */
export function removeNote(text: string, { headings, under, body, at }: AddedNote): string | undefined {
  const lines = text.split('\n')
  // Prefers the match that is nearest to the original line and not the start of a longer note.
  const distance = (start: number) =>
    Math.abs(start - at) + (continuesIndented(lines, start - 1 + body.length) ? lines.length + at : 0)
  const start = findStartLines(lines, under, body).toSorted((a, b) => distance(a) - distance(b))[0]
  if (start === undefined) return undefined
  removeLines(lines, start - 1, body.length)
  for (const heading of headings.toReversed()) {
    const section = sectionsOf(lines).findLast(
      ({ from }) => from <= start && withoutCarriageReturn(lines[from - 1]) === heading,
    )
    if (section && lines.slice(section.from, section.to).every(isEmpty)) removeLines(lines, section.from - 1, 1)
  }
  return lines.every(isEmpty) ? '' : lines.join('\n')
}

/** Finds `body` in the sections with the title `under`. @returns 1-based start lines */
function findStartLines(lines: readonly string[], under: string, body: readonly string[]): number[] {
  const startLines = new Set<number>()
  for (const { title, from, to } of sectionsOf(lines)) {
    if (title !== under) continue
    for (let start = from + 1; start <= to + 1; start += 1)
      if (body.every((line, index) => withoutCarriageReturn(lines[start - 1 + index]) === line)) startLines.add(start)
  }
  return [...startLines]
}

/** Returns true if an indented line follows, so that the match is only the start of a longer note. */
function continuesIndented(lines: readonly string[], index: number): boolean {
  const nextLine = lines.slice(index).find((line) => !isEmpty(line))
  return nextLine !== undefined && /^\s/.test(nextLine)
}

/** Removes lines, and the blank lines after them if a blank line is before them. @param start 0-based */
function removeLines(lines: string[], start: number, count: number): void {
  lines.splice(start, count)
  if (start > 0 && isEmpty(lines[start - 1])) {
    const nextIndex = lines.findIndex((line, index) => index >= start && !isEmpty(line))
    lines.splice(start, (nextIndex < 0 ? lines.length : nextIndex) - start)
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
