/** Three-way merge by lines (M43): two changes of the same text become one when they do not touch. Pure. */
import { diffArrays } from 'diff'

interface Edit {
  /** The half-open range of base lines that it replaces. */
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/** The merged text, or undefined when both sides changed the same or neighbouring lines differently. */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const baseLines = splitLines(base)
  const edits = combine(editsOf(baseLines, splitLines(mine)), editsOf(baseLines, splitLines(theirs)))
  if (!edits) return undefined
  const merged: string[] = []
  let line = 0
  for (const edit of edits) {
    merged.push(...baseLines.slice(line, edit.from), ...edit.lines)
    line = edit.to
  }
  return [...merged, ...baseLines.slice(line)].join('')
}

/** Lines with their line ends, so that joining gives the text back. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function editsOf(base: readonly string[], changed: readonly string[]): Edit[] {
  const edits: Edit[] = []
  let line = 0
  let open: { from: number; to: number; lines: string[] } | undefined
  for (const part of diffArrays([...base], [...changed])) {
    if (!part.added && !part.removed) {
      if (open) edits.push(open)
      open = undefined
      line += part.count
      continue
    }
    open ??= { from: line, to: line, lines: [] }
    if (part.removed) {
      line += part.count
      open.to = line
    } else open.lines.push(...part.value)
  }
  if (open) edits.push(open)
  return edits
}

function combine(mine: readonly Edit[], theirs: readonly Edit[]): Edit[] | undefined {
  const all = [...mine]
  for (const edit of theirs) {
    const touching = mine.filter((other) => edit.from <= other.to && other.from <= edit.to)
    if (touching.length === 0) all.push(edit)
    else if (touching.length > 1 || !touching.every((other) => isSameEdit(edit, other))) return undefined
  }
  return all.sort((a, b) => a.from - b.from || a.to - b.to)
}

function isSameEdit(a: Edit, b: Edit): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('') === b.lines.join('')
}
