import type { LineEdit } from '#shared/contract/index.ts'
import { commonEnds, formatHunks } from '#platform'

/** Lines of a text without line ends, with an index to find them. */
export class TextLines {
  readonly lines: readonly string[]
  readonly #raw: readonly string[]
  /** 0-based line indexes by text. */
  #indexesByText: Map<string, number[]> | undefined
  #indexesByTrimmedText: Map<string, number[]> | undefined

  constructor(text: string) {
    this.#raw = text.split('\n')
    this.lines = this.#raw.map((line) => line.replace(/\r$/, ''))
  }

  /**
   * Finds consecutive lines at or nearest to `line` (1-based).
   * @param searched if it is empty, the result is `line`, provided that it is at most one line after the end
   * @returns the 1-based first line; undefined if the lines are gone
   */
  find(searched: readonly string[], line: number): number | undefined {
    const [first] = searched
    if (first === undefined) return line <= this.lines.length + 1 ? line : undefined
    this.#indexesByText ??= indexesByText(this.lines)
    const starts = (this.#indexesByText.get(first) ?? []).filter((start) =>
      searched.every((text, offset) => this.lines[start + offset] === text),
    )
    return nearest(starts, line)
  }

  /**
   * Finds the line nearest to `line` by its trimmed text.
   * @param start beginning of the text, or the whole text if `isWhole`
   * @returns the 1-based line; undefined if there is none
   */
  findTrimmed(start: string, line: number, isWhole: boolean): number | undefined {
    this.#indexesByTrimmedText ??= indexesByText(this.lines.map((text) => text.trim()))
    if (isWhole) return nearest(this.#indexesByTrimmedText.get(start) ?? [], line)
    return nearest(
      [...this.#indexesByTrimmedText].flatMap(([text, indexes]) => (text.startsWith(start) ? indexes : [])),
      line,
    )
  }

  /** Applies edits to the text. They must fit its lines and not overlap. Line ends stay. */
  apply(edits: readonly LineEdit[]): string {
    const lines = [...this.#raw]
    const eol = this.#raw.some((line) => line.endsWith('\r')) ? '\r' : ''
    for (const { from, to, added } of sortEdits(edits.map(minimalEdit)).reverse()) {
      const newLines = added.map((line) => line + eol)
      // A last line without a line end gets one before added lines.
      const last = lines[from - 1]
      if (from === lines.length && newLines.length > 0 && last?.endsWith(eol) === false) lines[from - 1] = last + eol
      lines.splice(from, to - from, ...newLines)
    }
    // The new last line has no line end if the old one had none.
    const last = lines.at(-1)
    if (last?.endsWith('\r') && !this.#raw.at(-1)?.endsWith('\r')) lines[lines.length - 1] = last.slice(0, -1)
    return lines.join('\n')
  }

  /** Returns a unified diff. The edits must fit the lines and not overlap. */
  patch(path: string, edits: readonly LineEdit[]): string {
    const newLines = [...this.lines]
    let shift = 0
    const ordered = sortEdits(edits.map(minimalEdit)).map(({ from, to, added }) => {
      const newFrom = from + shift
      newLines.splice(newFrom, to - from, ...added)
      shift += added.length - (to - from)
      return { from, to, newFrom, newTo: newFrom + added.length }
    })
    const withBreaks = (lines: readonly string[]) => lines.map((line) => `${line}\n`)
    return `--- ${path}\n+++ ${path}\n${formatHunks(ordered, withBreaks(this.lines), withBreaks(newLines))}`
  }
}

/** Strips the unchanged lines at both ends of an edit. The result replaces the lines `from` to `to` (exclusive), 0-based. */
export function minimalEdit({ line, before, after }: LineEdit) {
  const { start, end } = commonEnds(before, after)
  return { from: line - 1 + start, to: line - 1 + before.length - end, added: after.slice(start, after.length - end) }
}

/** Sorts by place. Insertions come before a replacement at the same place. */
export function sortEdits<T extends { readonly from: number; readonly to: number }>(edits: readonly T[]): T[] {
  return edits.toSorted(
    (one, other) => one.from - other.from || Number(one.from < one.to) - Number(other.from < other.to),
  )
}

/** Returns true if two edits of one text overlap. An insertion at an edge of the other edit does not. */
export function editsOverlap(one: LineEdit, other: LineEdit): boolean {
  const [a, b] = [minimalEdit(one), minimalEdit(other)]
  return a.from < b.to && b.from < a.to
}

function indexesByText(lines: readonly string[]): Map<string, number[]> {
  return Map.groupBy(lines.keys(), (index) => lines[index] ?? '')
}

/** Returns the start nearest to `line`, 1-based; undefined without starts. @param starts 0-based */
function nearest(starts: readonly number[], line: number): number | undefined {
  const lines = starts.map((start) => start + 1)
  return lines.sort((one, other) => Math.abs(one - line) - Math.abs(other - line))[0]
}
