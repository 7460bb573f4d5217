import type { LineEdit } from '#shared/contract/index.ts'

const contextLines = 2

/** Lines of a text without line ends, with an index to find them. */
export class TextLines {
  readonly lines: readonly string[]
  readonly #raw: readonly string[]
  /** Line text to 0-based places. */
  #places: Map<string, number[]> | undefined
  #trimmed: Map<string, number[]> | undefined

  constructor(text: string) {
    this.#raw = text.split('\n')
    this.lines = this.#raw.map(withoutReturn)
  }

  /**
   * Finds consecutive lines: at `line` (1-based) or the nearest place.
   * @returns the 1-based first line; undefined if they are gone. For no lines, `line` if at most one after the end
   */
  find(wanted: readonly string[], line: number): number | undefined {
    const [first] = wanted
    if (first === undefined) return line <= this.lines.length + 1 ? line : undefined
    this.#places ??= placesOf(this.lines)
    const starts = (this.#places.get(first) ?? []).filter((start) =>
      wanted.every((one, offset) => this.lines[start + offset] === one),
    )
    return nearest(starts, line)
  }

  /**
   * Finds a line by its trimmed text.
   * @param start beginning of the text; the whole text with `isWhole`
   * @returns the 1-based line; undefined if there is none
   */
  findWords(start: string, line: number, isWhole: boolean): number | undefined {
    this.#trimmed ??= placesOf(this.lines.map((one) => one.trim()))
    if (isWhole) return nearest(this.#trimmed.get(start) ?? [], line)
    return nearest(
      [...this.#trimmed].flatMap(([words, places]) => (words.startsWith(start) ? places : [])),
      line,
    )
  }

  /** Applies edits to the text. They must fit its lines and not overlap. Line ends stay. */
  apply(edits: readonly LineEdit[]): string {
    const lines = [...this.#raw]
    const end = this.#raw.some((line) => line.endsWith('\r')) ? '\r' : ''
    for (const { from, to, added } of sortEdits(edits.map(minimalEdit)).reverse()) {
      const made = added.map((line) => line + end)
      // A last line without a line end gets one before added lines.
      const last = lines[from - 1]
      if (from === lines.length && made.length > 0 && last?.endsWith(end) === false) lines[from - 1] = last + end
      lines.splice(from, to - from, ...made)
    }
    // The new last line has no line end if the old one had none.
    const last = lines.at(-1)
    if (last?.endsWith('\r') && !this.#raw.at(-1)?.endsWith('\r')) lines[lines.length - 1] = last.slice(0, -1)
    return lines.join('\n')
  }

  /** Returns a unified diff. The edits must fit the lines and not overlap. */
  patch(path: string, edits: readonly LineEdit[]): string {
    const ordered = sortEdits(edits.map(minimalEdit))
    const groups: MinimalEdit[][] = []
    for (const edit of ordered) {
      const last = groups.at(-1)?.at(-1)
      if (last && edit.from - last.to <= 2 * contextLines) groups.at(-1)?.push(edit)
      else groups.push([edit])
    }
    let shift = 0
    const hunks = groups.flatMap((group) => {
      const hunk = this.#hunk(group, shift)
      shift += group.reduce((sum, { from, to, added }) => sum + added.length - (to - from), 0)
      return hunk
    })
    return [`--- ${path}`, `+++ ${path}`, ...hunks, ''].join('\n')
  }

  #hunk(edits: readonly MinimalEdit[], shift: number): string[] {
    const marked = (mark: string, lines: readonly string[]) => lines.map((line) => mark + line)
    const start = Math.max(0, (edits[0]?.from ?? 0) - contextLines)
    const end = Math.min(this.lines.length, (edits.at(-1)?.to ?? 0) + contextLines)
    const body: string[] = []
    let at = start
    for (const { from, to, added } of edits) {
      body.push(...marked(' ', this.lines.slice(at, from)), ...marked('-', this.lines.slice(from, to)))
      body.push(...marked('+', added))
      at = to
    }
    body.push(...marked(' ', this.lines.slice(at, end)))
    const count = (marks: string) => body.filter((line) => marks.includes(line.charAt(0))).length
    const [had, has] = [count(' -'), count(' +')]
    // An empty range names the line before it.
    return [`@@ -${start + (had > 0 ? 1 : 0)},${had} +${start + shift + (has > 0 ? 1 : 0)},${has} @@`, ...body]
  }
}

/** Replaces the lines `from` to `to` (exclusive), 0-based. */
interface MinimalEdit {
  readonly from: number
  readonly to: number
  readonly added: readonly string[]
}

/** Strips the unchanged lines at both ends of an edit. */
export function minimalEdit({ line, before, after }: LineEdit): MinimalEdit {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1
  const from = line - 1 + start
  return { from, to: line - 1 + before.length - end, added: after.slice(start, after.length - end) }
}

/** Sorts by place. Insertions come before a replacement at the same place. */
export function sortEdits<T extends { readonly from: number; readonly to: number }>(edits: readonly T[]): T[] {
  return edits.toSorted(
    (one, other) => one.from - other.from || Number(one.from < one.to) - Number(other.from < other.to),
  )
}

/** Returns true if two edits of one text overlap. An insertion at an edge of the other edit does not. */
export function overlaps(one: LineEdit, other: LineEdit): boolean {
  const a = minimalEdit(one)
  const b = minimalEdit(other)
  if (a.from === a.to && b.from === b.to) return false
  if (a.from === a.to) return b.from < a.from && a.from < b.to
  if (b.from === b.to) return a.from < b.from && b.from < a.to
  return a.from < b.to && b.from < a.to
}

function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [index, line] of lines.entries()) {
    const known = places.get(line)
    if (known) known.push(index)
    else places.set(line, [index])
  }
  return places
}

/**
 * @param starts 0-based
 * @returns 1-based; undefined without starts
 */
function nearest(starts: readonly number[], line: number): number | undefined {
  let best: number | undefined
  for (const start of starts)
    if (best === undefined || Math.abs(start + 1 - line) < Math.abs(best - line)) best = start + 1
  return best
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
