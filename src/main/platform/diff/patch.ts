import { applyPatch, formatPatch, OMIT_HEADERS, parsePatch, reversePatch, type StructuredPatchHunk } from 'diff'
import type { FileChange } from '#shared/util/file-change.ts'
import { formatLargeChange, parseLargeChange } from '#shared/util/large-change.ts'
import { compareLines, type LineEdit, splitLines } from './compare-lines.ts'
import { hash } from 'node:crypto'

/** Limits of a patch to display; a longer patch contains only blob ids (see shared/util/large-change.ts). */
const maxLines = 2000
const maxCharacters = 200_000
/** Limit of a patch if the history does not store the texts; below the request limit of undo. */
const maxCharactersWithoutHistory = 8_000_000

type Lines = readonly string[]

const contextLines = 2
const fuzzFactor = 2

/** `there`: the change can be undone; `undone`: the old text is back; `changed`: neither. */
export type RevertStatus = 'there' | 'undone' | 'changed'

export interface DescribeOptions {
  /** True if the history stores both texts, so that their ids can replace a long patch. */
  readonly isInHistory: boolean
  /** Limit of the comparison, as in `compareLines`. */
  readonly steps?: number
}

/** Describes a change by lines. `startLine` is the first changed line of the new text, 1-based; 1 without a change. */
export function describeChange(
  path: string,
  before: string,
  after: string,
  { isInHistory, steps }: DescribeOptions,
): FileChange {
  const [beforeLines, afterLines] = [splitLines(before), splitLines(after)]
  const edits = compareLines(beforeLines, afterLines, steps)
  const { added, removed } = countChanged(edits)
  const characters = edits.reduce(
    (sum, { from, to, newFrom, newTo }) =>
      sum + beforeLines.slice(from, to).join('').length + afterLines.slice(newFrom, newTo).join('').length,
    0,
  )
  const isLong = isInHistory
    ? added + removed > maxLines || characters > maxCharacters
    : characters > maxCharactersWithoutHistory
  const patch = isLong
    ? formatLargeChange(path, { before: blobId(before), after: blobId(after), added, removed })
    : formatPatch({
        oldFileName: path,
        newFileName: path,
        oldHeader: undefined,
        newHeader: undefined,
        hunks: hunksOf(edits, beforeLines, afterLines),
      })
  return { path, patch, added, removed, startLine: (edits[0]?.newFrom ?? 0) + 1 }
}

export function countLines(before: string, after: string): { added: number; removed: number } {
  return countChanged(compareLines(splitLines(before), splitLines(after)))
}

function countChanged(edits: readonly LineEdit[]): { added: number; removed: number } {
  const sumOf = (count: (edit: LineEdit) => number) => edits.reduce((sum, edit) => sum + count(edit), 0)
  return { added: sumOf(({ newFrom, newTo }) => newTo - newFrom), removed: sumOf(({ from, to }) => to - from) }
}

/**
 * Reverts a patch in a text, even if other lines have changed or some hunks are already undone.
 * @returns undefined if the changed lines are no longer there
 */
export function revertPatch(text: string, patch: string): string | undefined {
  const [parsed] = parsePatch(patch)
  if (!parsed) return undefined
  const statuses = revertStatusOfHunks(text, patch)
  const hunks = parsed.hunks.filter((_, index) => statuses[index] !== 'undone')
  if (hunks.length === 0) return text
  const restored = applyPatch(text, reversePatch({ ...parsed, hunks }), { fuzzFactor })
  return restored === false ? undefined : restored
}

export function invertPatch(patch: string): string {
  const large = parseLargeChange(patch)
  if (large) {
    const { before, after, added, removed } = large
    const path = /^--- (.*)$/m.exec(patch)?.[1] ?? ''
    return formatLargeChange(path, { before: after, after: before, added: removed, removed: added })
  }
  const [parsed] = parsePatch(patch)
  return parsed ? formatPatch(reversePatch(parsed)) : patch
}

/** Returns the status of each hunk in a text, in order; empty if the patch has no hunks. */
export function revertStatusOfHunks(text: string, patch: string): RevertStatus[] {
  const [parsed] = parsePatch(patch)
  if (!parsed) return []
  const lines = splitLines(text)
  return parsed.hunks.map((hunk) => {
    const [beforeLines, afterLines] = [linesOfSide(hunk, '-'), linesOfSide(hunk, '+')]
    const isLast = reachesEnd(hunk)
    if (matchesAt(lines, hunk.newStart, afterLines, isLast)) return 'there'
    if (matchesAt(lines, hunk.oldStart, beforeLines, isLast)) return 'undone'
    const hunkPatch = { ...parsed, hunks: [hunk] }
    const reversed = reversePatch(hunkPatch)
    const canRevert = applyPatch(text, reversed) !== false
    const reapplied = applyPatch(text, hunkPatch)
    // At the end of a file, one side can be a prefix of the other, so that both match; the file contains the longer one.
    if (canRevert && reapplied !== false) return afterLines.length >= beforeLines.length ? 'there' : 'undone'
    if (canRevert) return 'there'
    // Without context after the change, the patch may have matched a later edit of the changed lines.
    const lastLine = hunk.lines.findLast((line) => !line.startsWith('\\'))
    if (reapplied !== false && (lastLine?.startsWith(' ') || reapplied.endsWith(afterLines.join('')))) return 'undone'
    return applyPatch(text, reversed, { fuzzFactor }) === false ? 'changed' : 'there'
  })
}

/** @param start 1-based @param isLast true if the lines must be the last ones of the file */
function matchesAt(lines: readonly string[], start: number, side: readonly string[], isLast: boolean): boolean {
  const from = start - 1
  return (!isLast || from + side.length === lines.length) && side.every((line, index) => lines[from + index] === line)
}

function linesOfSide({ lines }: StructuredPatchHunk, sign: '-' | '+'): string[] {
  return lines.flatMap((line, index) => {
    if (!line.startsWith(' ') && !line.startsWith(sign)) return []
    return [`${line.slice(1)}${lines[index + 1]?.startsWith('\\') ? '' : '\n'}`]
  })
}

function reachesEnd({ lines }: StructuredPatchHunk): boolean {
  const contentLines = lines.filter((line) => !line.startsWith('\\'))
  return contentLines.slice(-contextLines).some((line) => !line.startsWith(' ')) || contentLines.length < contextLines
}

/** Returns edits as the hunks of a unified diff, without file names. The lines have line breaks. */
export function formatHunks(edits: readonly LineEdit[], beforeLines: Lines, afterLines: Lines): string {
  if (edits.length === 0) return ''
  const noNames = { oldFileName: undefined, newFileName: undefined, oldHeader: undefined, newHeader: undefined }
  return formatPatch({ ...noNames, hunks: hunksOf(edits, beforeLines, afterLines) }, OMIT_HEADERS)
}

function hunksOf(edits: readonly LineEdit[], beforeLines: Lines, afterLines: Lines): StructuredPatchHunk[] {
  const hunks: StructuredPatchHunk[] = []
  for (let index = 0; index < edits.length;) {
    let last = index
    // Edits with adjacent or overlapping context form one hunk.
    while ((edits[last + 1]?.from ?? Infinity) - (edits[last]?.to ?? 0) <= 2 * contextLines) last += 1
    hunks.push(hunkOf(edits.slice(index, last + 1), beforeLines, afterLines))
    index = last + 1
  }
  return hunks
}

function hunkOf(edits: readonly LineEdit[], beforeLines: Lines, afterLines: Lines): StructuredPatchHunk {
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

/** Returns the Git blob id (SHA-1) of a text in UTF-8. */
export function blobId(text: string): string {
  return hash('sha1', blobOf(text))
}

/** Returns the uncompressed Git blob object of a text. */
export function blobOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])
}
