import { addedLines, saysSomething } from './visibility-edit.ts'
import { scanBlocks, type Fence } from './blocks/scan-blocks.ts'
import { withoutMarks } from './marks.ts'

/**
 * The text with a mark on each added line that says something and is not covered. That of a line that opens a block of code
 * stands on a line of its own behind the block, for on that line it would name the language.
 */
export function withAddedSource(
  before: string,
  after: string,
  mark: string,
  isCovered: (line: string) => boolean,
): string {
  const lines = after.split('\n')
  const fences = new Map(scanBlocks(lines).flatMap((one) => (one.kind === 'fence' ? [[one.from, one]] : [])))
  const codes: Fence[] = []
  for (const at of addedLines(before, after)) {
    const line = lines[at] ?? ''
    if (!saysSomething(line) || isCovered(line)) continue
    const code = fences.get(at)
    if (code) codes.push(code)
    else lines[at] = withMark(line, mark)
  }
  for (const { from, to, isClosed } of codes.toReversed()) {
    const beside = lines[to] ?? ''
    if (withoutMarks(beside).trim() === '' && isCovered(beside)) continue
    const [start = ''] = /^[\s>]*/.exec(lines[from] ?? '') ?? []
    const end = lines[from]?.endsWith('\r') ? '\r' : ''
    // Where nothing closes it, what follows may be code.
    lines.splice(isClosed ? to : from, 0, `${start}${mark}${end}`)
  }
  return lines.join('\n')
}

function withMark(line: string, mark: string): string {
  const [, said = line, rest = ''] = /^(.*?)(\s*)$/s.exec(line) ?? []
  return `${said} ${mark}${rest}`
}
