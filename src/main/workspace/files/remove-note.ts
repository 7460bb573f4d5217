import type { AddedNote } from '#shared/markdown/added-note.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'

/** @returns the text without the note; undefined where its lines do not stand under its heading any more */
export function withoutNote(text: string, { headings, under, body, at }: AddedNote): string | undefined {
  const lines = text.split('\n')
  const distance = (start: number) =>
    Math.abs(start - at) + (goesOn(lines, start - 1 + body.length) ? lines.length + at : 0)
  const start = placesOf(lines, under, body).toSorted((one, other) => distance(one) - distance(other))[0]
  if (start === undefined) return undefined
  cut(lines, start - 1, body.length)
  for (const heading of headings.toReversed()) {
    const found = sectionsOf(lines).findLast(({ from }) => from <= start && bare(lines[from - 1]) === heading)
    if (found && lines.slice(found.from, found.to).every(isEmpty)) cut(lines, found.from - 1, 1)
  }
  return lines.every(isEmpty) ? '' : lines.join('\n')
}

/** 1-based lines at which the body stands in sections of that name; a note may begin with a heading of its own. */
function placesOf(lines: readonly string[], under: string, body: readonly string[]): number[] {
  const places = new Set<number>()
  for (const { title, from, to } of sectionsOf(lines)) {
    if (title !== under) continue
    for (let start = from + 1; start <= to + 1; start += 1)
      if (body.every((line, index) => bare(lines[start - 1 + index]) === line)) places.add(start)
  }
  return [...places]
}

/** Whether what stands before a line goes on there, below an empty line too: a longer note begins with the same words. */
function goesOn(lines: readonly string[], index: number): boolean {
  const next = lines.slice(index).find((line) => !isEmpty(line))
  return next !== undefined && /^\s/.test(next)
}

/** Lines are gone, and of the empty ones around them those that nothing needs. */
function cut(lines: string[], start: number, count: number): void {
  lines.splice(start, count)
  if (start > 0 && isEmpty(lines[start - 1])) {
    const next = lines.findIndex((line, index) => index >= start && !isEmpty(line))
    lines.splice(start, (next < 0 ? lines.length : next) - start)
  }
  // At the end of a file one line break is enough.
  if (start === lines.length && isEmpty(lines[start - 1]) && isEmpty(lines[start - 2])) lines.pop()
}

/** Without what is left of a Windows line break. */
function bare(line: string | undefined): string | undefined {
  return line?.endsWith('\r') ? line.slice(0, -1) : line
}

function isEmpty(line: string | undefined): boolean {
  return line !== undefined && line.trim() === ''
}
