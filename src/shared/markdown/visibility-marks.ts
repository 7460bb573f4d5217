import { hasContent, withVisibility } from './visibility-edit.ts'
import { blocksOf, coverOf, markPlace, type Blocks } from './visibility-blocks.ts'
import { hasLocalMark, localMark, visibilityOf } from './visibility.ts'

/** Adds as few privacy marks as possible so that the wanted lines are local. @param isWanted receives a 0-based line */
export function withLocalLines(text: string, isWanted: (line: number) => boolean): string {
  const lines = text.split('\n')
  const missing = linesNeedingMark(text, isWanted)
  if (missing === undefined) return withVisibility(text, true)
  for (const at of missing) lines[at] = withMark(lines[at] ?? '')
  return lines.join('\n')
}

/**
 * Returns the 0-based lines that need a mark so that all wanted lines are local.
 * @returns undefined if a carriage return without a line feed makes lines ambiguous; the whole text must then be local
 */
export function linesNeedingMark(text: string, isWanted: (line: number) => boolean): number[] | undefined {
  const { isWhole, lines: known } = visibilityOf(text)
  if (isWhole) return []
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  if (/\r(?!\n)/.test(text)) return lines.some((_, at) => isWanted(at)) ? undefined : []
  const local = new Set(known)
  let blocks: Blocks | undefined
  const places: number[] = []
  for (const [at, line] of lines.entries()) {
    if (!isWanted(at) || local.has(at) || !hasContent(line)) continue
    blocks ??= blocksOf(lines)
    const place = markPlace(blocks, at)
    const { from, to } = coverOf(blocks, place)
    for (let one = from; one < to; one += 1) local.add(one)
    places.push(place)
  }
  return places
}

/** Appends the privacy mark, before a block id at the end of the line. */
export function withMark(line: string): string {
  const [, text = line, rest = ''] = /^(.*?)((?:\s\^[\w-]+)?\s*)$/s.exec(line) ?? []
  return `${text} ${localMark}${rest}`
}

/**
 * Removes the 0-based lines `gone`. A removed heading whose mark covers remaining lines stays as an empty marked
 * heading.
 */
export function withoutLines(text: string, gone: ReadonlySet<number>): string {
  const lines = text.split('\n')
  const { isWhole, lines: local } = visibilityOf(text)
  if (!isWhole && local.size === 0) return lines.filter((_, at) => !gone.has(at)).join('\n')
  const blocks = blocksOf(lines.map((line) => line.replace(/\r$/, '')))
  const kept = lines.flatMap((line, at) => {
    if (!gone.has(at)) return { line, isLocal: local.has(at) }
    const emptied = isWhole ? undefined : emptiedHeading(blocks, at, (one) => !gone.has(one))
    return emptied === undefined ? [] : { line: emptied + (line.endsWith('\r') ? '\r' : ''), isLocal: true }
  })
  const result = kept.map(({ line }) => line).join('\n')
  if (!isWhole) return withLocalLines(result, (line) => kept[line]?.isLocal === true)
  return hasContent(result) && !visibilityOf(result).isWhole ? withVisibility(result, true) : result
}

/** Returns an empty heading if the mark of the removed line `at` (0-based) covers remaining lines; else undefined. */
export function emptiedHeading(blocks: Blocks, at: number, isKept: (line: number) => boolean): string | undefined {
  const { lines, lineInfo } = blocks
  const line = lines[at] ?? ''
  if (!lineInfo[at]?.level || !/^\s*#/.test(line) || !hasLocalMark(line)) return undefined
  const { to } = coverOf(blocks, at)
  const isNeeded = lines.slice(at + 1, to).some((one, by) => isKept(at + 1 + by) && hasContent(one))
  return isNeeded ? `${'#'.repeat(lineInfo[at]?.level ?? 1)} ${localMark}` : undefined
}
