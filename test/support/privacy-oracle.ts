/**
 * Tells which lines of a note are private, independently of the app, for the kinds of Markdown that the test and the app
 * write: front matter, headings, lists and paragraphs.
 */

const mark = /\^\[(?:private|local)\]/
const itemPattern = /^(\s*)[-*] /
const headingPattern = /^(#{1,6}) /

/** Returns true if the front matter makes the whole note private. */
export function isPrivateNote(text: string): boolean {
  const lines = text.split('\n')
  return lines.slice(1, matterEnd(lines) + 1).some((line) => /^visibility: *(?:private|local)/.test(line))
}

/** @returns for each line, true if it is private */
export function privateLinesOf(text: string): boolean[] {
  const lines = text.split('\n')
  if (isPrivateNote(text)) return lines.map(() => true)
  const end = matterEnd(lines)
  const isPrivate = lines.map((line, index) => index <= end && mark.test(line))
  for (const [index, line] of lines.entries()) {
    if (index <= end || !mark.test(line)) continue
    const [from, to] = coverOf(lines, index, end + 1)
    isPrivate.fill(true, from, to)
  }
  return isPrivate
}

/** Returns the last line of the front matter; -1 without one. */
function matterEnd(lines: readonly string[]): number {
  return lines[0] === '---' ? lines.indexOf('---', 1) : -1
}

/** Returns the lines that a mark covers, from `from` to before `to`. */
function coverOf(lines: readonly string[], at: number, start: number): readonly [from: number, to: number] {
  const level = levelOf(lines[at])
  if (level > 0) return [at, endFrom(lines, at + 1, (line) => levelOf(line) > 0 && levelOf(line) <= level)]
  let from = at
  while (from > start && !itemPattern.test(lines[from] ?? '') && continues(lines[from - 1])) from -= 1
  const item = itemPattern.exec(lines[from] ?? '')
  if (!item) return [from, endFrom(lines, at + 1, (line) => !continues(line) || itemPattern.test(line))]
  const depth = item[1]?.length ?? 0
  return [from, endFrom(lines, from + 1, (line) => line.trim() === '' || line.search(/\S/) <= depth)]
}

function levelOf(line = ''): number {
  return headingPattern.exec(line)?.[1]?.length ?? 0
}

function continues(line = ''): boolean {
  return line.trim() !== '' && levelOf(line) === 0
}

function endFrom(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  const length = lines.slice(from).findIndex(isEnd)
  return length < 0 ? lines.length : from + length
}
