import { hasContent, withVisibility } from './visibility-edit.ts'
import { blocksOf, coverOf, markPlace, type Blocks } from './visibility-blocks.ts'
import { hasLocalMark, localMark, visibilityOf } from './visibility.ts'

/** Marks the lines for which `shouldBeLocal` (0-based line) returns true, with as few privacy marks as possible. */
export function withLocalLines(text: string, shouldBeLocal: (line: number) => boolean): string {
  const lines = text.split('\n')
  const indexes = linesNeedingMark(text, shouldBeLocal)
  if (indexes === undefined) return withVisibility(text, true)
  for (const index of indexes) lines[index] = withMark(lines[index] ?? '')
  return lines.join('\n')
}

/**
 * Returns the 0-based lines that need a mark so that all lines that should be local are.
 * @returns undefined if a carriage return without a line feed makes lines ambiguous; the whole text must then be local
 */
export function linesNeedingMark(text: string, shouldBeLocal: (line: number) => boolean): number[] | undefined {
  const { isFullyLocal, localLines: markedLines } = visibilityOf(text)
  if (isFullyLocal) return []
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  if (/\r(?!\n)/.test(text)) return lines.some((_, index) => shouldBeLocal(index)) ? undefined : []
  const local = new Set(markedLines)
  let blocks: Blocks | undefined
  const markPlaces: number[] = []
  for (const [index, line] of lines.entries()) {
    if (!shouldBeLocal(index) || local.has(index) || !hasContent(line)) continue
    blocks ??= blocksOf(lines)
    const markedLine = markPlace(blocks, index)
    const { from, to } = coverOf(blocks, markedLine)
    for (let covered = from; covered < to; covered += 1) local.add(covered)
    markPlaces.push(markedLine)
  }
  return markPlaces
}

/** Appends the privacy mark, before a block id at the end of the line. */
export function withMark(line: string): string {
  const [, text = line, suffix = ''] = /^(.*?)((?:\s\^[\w-]+)?\s*)$/s.exec(line) ?? []
  return `${text} ${localMark}${suffix}`
}

/**
 * Removes the 0-based lines `removed`. A removed heading whose mark covers remaining lines stays as an empty marked
 * heading.
 */
export function withoutLines(text: string, removed: ReadonlySet<number>): string {
  const lines = text.split('\n')
  const { isFullyLocal, localLines: local } = visibilityOf(text)
  if (!isFullyLocal && local.size === 0) return lines.filter((_, index) => !removed.has(index)).join('\n')
  const blocks = blocksOf(lines.map((line) => line.replace(/\r$/, '')))
  const remaining = lines.flatMap((line, index) => {
    if (!removed.has(index)) return { line, isLocal: local.has(index) }
    const heading = isFullyLocal ? undefined : emptiedHeading(blocks, index, (index) => !removed.has(index))
    return heading === undefined ? [] : { line: heading + (line.endsWith('\r') ? '\r' : ''), isLocal: true }
  })
  const result = remaining.map(({ line }) => line).join('\n')
  if (!isFullyLocal) return withLocalLines(result, (line) => remaining[line]?.isLocal === true)
  return hasContent(result) && !visibilityOf(result).isFullyLocal ? withVisibility(result, true) : result
}

/** Returns an empty heading if the mark of the removed line `index` (0-based) covers remaining lines; else undefined. */
export function emptiedHeading(blocks: Blocks, index: number, remains: (line: number) => boolean): string | undefined {
  const { lines, lineInfo } = blocks
  const line = lines[index] ?? ''
  if (!lineInfo[index]?.level || !/^\s*#/.test(line) || !hasLocalMark(line)) return undefined
  const { to } = coverOf(blocks, index)
  const coveredLines = lines.slice(index + 1, to)
  const isNeeded = coveredLines.some((text, offset) => remains(index + 1 + offset) && hasContent(text))
  return isNeeded ? `${'#'.repeat(lineInfo[index]?.level ?? 1)} ${localMark}` : undefined
}
