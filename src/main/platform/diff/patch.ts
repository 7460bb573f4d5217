import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from 'diff'
import type { FileChange } from '#shared/util/file-change.ts'
import { formatLargeChange } from '#shared/util/large-change.ts'
import { compareLines, type EditedLines, splitLines } from './compare-lines.ts'
import { revertInText } from './merge-texts.ts'

/** Limits of a patch to display; a longer patch has no lines (see shared/util/large-change.ts). */
const maxLines = 2000
const maxCharacters = 200_000

type Lines = readonly string[]

const contextLines = 2

/** `startLine`: first changed line of the new text, 1-based; 1 without a change. @param steps as in `compareLines` */
export function describeChange(path: string, before: string, after: string, steps?: number): FileChange {
  const [beforeLines, afterLines] = [splitLines(before), splitLines(after)]
  const edits = compareLines(beforeLines, afterLines, steps)
  const { added, removed } = countChanged(edits)
  const patch = isLarge(edits, beforeLines, afterLines)
    ? formatLargeChange(path, { added, removed })
    : `--- ${path}\n+++ ${path}\n${formatHunks(edits, beforeLines, afterLines)}`
  return { path, patch, added, removed, startLine: (edits[0]?.newFrom ?? 0) + 1 }
}

function isLarge(edits: readonly EditedLines[], beforeLines: Lines, afterLines: Lines): boolean {
  const { added, removed } = countChanged(edits)
  const characters = edits.reduce(
    (sum, { from, to, newFrom, newTo }) =>
      sum + beforeLines.slice(from, to).join('').length + afterLines.slice(newFrom, newTo).join('').length,
    0,
  )
  return added + removed > maxLines || characters > maxCharacters
}

export function countLines(before: string, after: string, steps?: number): { added: number; removed: number } {
  return countChanged(compareLines(splitLines(before), splitLines(after), steps))
}

function countChanged(edits: readonly EditedLines[]): { added: number; removed: number } {
  const sumOf = (count: (edit: EditedLines) => number) => edits.reduce((sum, edit) => sum + count(edit), 0)
  return { added: sumOf(({ newFrom, newTo }) => newTo - newFrom), removed: sumOf(({ from, to }) => to - from) }
}

/** Returns the edits of each hunk of a change, in order. A large change is one hunk, as in its patch. */
function hunkEdits(before: string, after: string): EditedLines[][] {
  const [beforeLines, afterLines] = [splitLines(before), splitLines(after)]
  const edits = compareLines(beforeLines, afterLines)
  return isLarge(edits, beforeLines, afterLines) ? [edits] : groupEdits(edits)
}

/** `there`: the hunk can be undone; `undone`: the old text is back; `changed`: neither. */
export type HunkStatus = 'there' | 'undone' | 'changed'

/** @param hunks 0-based indices of the hunks to revert */
export function withoutHunks(before: string, after: string, hunks: readonly number[]): string {
  const beforeLines = before.split(/(?<=\n)/)
  const afterLines = after.split(/(?<=\n)/)
  const kept: string[] = []
  let at = 0
  for (const [index, edits] of hunkEdits(before, after).entries())
    for (const { from, to, newFrom, newTo } of hunks.includes(index) ? edits : []) {
      kept.push(...afterLines.slice(at, newFrom), ...beforeLines.slice(from, to))
      at = newTo
    }
  return [...kept, ...afterLines.slice(at)].join('')
}

export function hunkStatuses(before: string, after: string, current: string): HunkStatus[] {
  return hunkEdits(before, after).map((_, index) => {
    const result = revertInText(after, current, withoutHunks(before, after, [index]))
    if ('line' in result) return 'changed'
    return result.text === current ? 'undone' : 'there'
  })
}

/** Returns edits as the hunks of a unified diff, without file names. The lines have line breaks. */
export function formatHunks(edits: readonly EditedLines[], beforeLines: Lines, afterLines: Lines): string {
  if (edits.length === 0) return ''
  const noNames = { oldFileName: undefined, newFileName: undefined, oldHeader: undefined, newHeader: undefined }
  const hunks = groupEdits(edits).map((group) => hunkOf(group, beforeLines, afterLines))
  return formatPatch({ ...noNames, hunks }, OMIT_HEADERS)
}

/** Edits with adjacent or overlapping context form one hunk. */
function groupEdits(edits: readonly EditedLines[]): EditedLines[][] {
  const groups: EditedLines[][] = []
  for (const edit of edits) {
    const last = groups.at(-1)?.at(-1)
    if (last && edit.from - last.to <= 2 * contextLines) groups.at(-1)?.push(edit)
    else groups.push([edit])
  }
  return groups
}

function hunkOf(edits: readonly EditedLines[], beforeLines: Lines, afterLines: Lines): StructuredPatchHunk {
  const [first, last] = [edits[0], edits.at(-1)]
  const from = Math.max(0, (first?.from ?? 0) - contextLines)
  const to = Math.min(beforeLines.length, (last?.to ?? 0) + contextLines)
  const newFrom = (first?.newFrom ?? 0) - ((first?.from ?? 0) - from)
  const newTo = (last?.newTo ?? 0) + (to - (last?.to ?? 0))
  const lines: string[] = []
  let at = from
  for (const edit of edits) {
    lines.push(...withSign(' ', beforeLines.slice(at, edit.from)))
    lines.push(...withSign('-', beforeLines.slice(edit.from, edit.to)))
    lines.push(...withSign('+', afterLines.slice(edit.newFrom, edit.newTo)))
    at = edit.to
  }
  lines.push(...withSign(' ', beforeLines.slice(at, to)))
  return { oldStart: from + 1, oldLines: to - from, newStart: newFrom + 1, newLines: newTo - newFrom, lines }
}

function withSign(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  )
}
