import { addedLines, hasContent } from './visibility-edit.ts'
import { scanBlocks, type Fence } from './blocks/scan-blocks.ts'
import { withoutMarks } from './visibility.ts'

/**
 * Appends a source mark to each added line with content that is not covered. For a code block, adds the mark on a
 * separate line after it: on the opening fence it would become part of the info string.
 * @param isCovered returns true if the marks of a line already name the source
 */
export function withAddedSource(before: string, after: string, mark: string, isCovered: (line: string) => boolean) {
  const lines = after.split('\n')
  const fences = new Map(scanBlocks(lines).flatMap((block) => (block.kind === 'fence' ? [[block.from, block]] : [])))
  const codeBlocks: Fence[] = []
  for (const [index] of addedLines(before, after)) {
    const line = lines[index] ?? ''
    if (!hasContent(line) || isCovered(line)) continue
    const fence = fences.get(index)
    if (fence) codeBlocks.push(fence)
    else lines[index] = line.replace(/\s*$/, (space) => ` ${mark}${space}`)
  }
  for (const { from, to, isClosed } of codeBlocks.toReversed()) {
    const nextLine = lines[to] ?? ''
    if (withoutMarks(nextLine).trim() === '' && isCovered(nextLine)) continue
    const [prefix = ''] = /^[\s>]*/.exec(lines[from] ?? '') ?? []
    const lineEnd = lines[from]?.endsWith('\r') ? '\r' : ''
    // If the fence is unclosed, the mark goes before it: all that follows is code.
    lines.splice(isClosed ? to : from, 0, `${prefix}${mark}${lineEnd}`)
  }
  return lines.join('\n')
}
