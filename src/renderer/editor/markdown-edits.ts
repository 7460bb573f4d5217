const itemPattern = /^(\s*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?(.*)$/
const quotePattern = /^(\s*(?:>\s?)+)(.*)$/

/**
 * Returns the effect of Enter at the end of a line: continue the list or quote, or clear an empty item.
 * Undefined for an ordinary line.
 */
export function continueLine(line: string): { readonly insert: string } | { readonly clear: true } | undefined {
  const [, indent = '', bullet, number, delimiter = '', space = ' ', checkbox, text = ''] = itemPattern.exec(line) ?? []
  if (bullet !== undefined || number !== undefined) {
    if (text.trim() === '') return { clear: true }
    const marker = bullet ?? `${Number(number) + 1}${delimiter}`
    return { insert: `\n${indent}${marker}${space}${checkbox === undefined ? '' : '[ ] '}` }
  }
  const [, quoteMarks, quotedText = ''] = quotePattern.exec(line) ?? []
  if (quoteMarks === undefined) return undefined
  return quotedText.trim() === '' ? { clear: true } : { insert: `\n${quoteMarks}` }
}

export function toggleTask(line: string): string {
  const item = itemPattern.exec(line)
  if (!item) return line.replace(/^\s*/, '$&- [ ] ')
  const [, indent = '', bullet, number = '', delimiter = '', space = ' ', checkbox, text = ''] = item
  const isOpenTask = checkbox !== undefined && !/x/i.test(checkbox)
  return `${indent}${bullet ?? number + delimiter}${space}${isOpenTask ? '[x] ' : '[ ] '}${text}`
}

/** East Asian characters that take two columns. */
const wideCharacter = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/

function displayWidth(text: string): number {
  return [...text].reduce((width, character) => width + (wideCharacter.test(character) ? 2 : 1), 0)
}

/** Returns the lines of a table with aligned columns, or undefined if they are not a table. */
export function formatTable(lines: readonly string[]): string[] | undefined {
  const rows = lines.map(splitCells)
  const delimiters = rows[1]
  if (rows.length < 2 || !delimiters?.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  const columnCount = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columnCount }, (_, column) =>
    Math.max(3, ...rows.map((row, index) => (index === 1 ? 3 : displayWidth(row[column] ?? '')))),
  )
  return rows.map((row, index) => {
    const format = index === 1 ? formatDelimiter : padCell
    return `| ${widths.map((width, column) => format(row[column] ?? '', width, delimiters[column])).join(' | ')} |`
  })
}

function splitCells(line: string): string[] {
  const inner = line.trim().replaceAll(/^\||(?<!\\)\|$/g, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim())
}

function padCell(cell: string, width: number, delimiter = ''): string {
  const gap = ' '.repeat(Math.max(0, width - displayWidth(cell)))
  if (!delimiter.endsWith(':')) return cell + gap
  if (!delimiter.startsWith(':')) return gap + cell
  return gap.slice(0, gap.length / 2) + cell + gap.slice(gap.length / 2)
}

function formatDelimiter(delimiter: string, width: number): string {
  const start = delimiter.startsWith(':') ? ':' : ''
  const end = delimiter.endsWith(':') ? ':' : ''
  return start + '-'.repeat(width - start.length - end.length) + end
}

/** Returns the first and last line of the table around a line, all 1-based, or undefined if there is none. */
export function tableAround(lines: readonly string[], line: number): { from: number; to: number } | undefined {
  const isRow = (index: number) => lines[index - 1]?.includes('|') === true
  if (!isRow(line)) return undefined
  let from = line
  let to = line
  while (isRow(from - 1)) from -= 1
  while (isRow(to + 1)) to += 1
  return { from, to }
}

/**
 * Returns the range from the first to the last line that differs, 1-based in `after`: for a deletion the line above,
 * undefined if the texts are equal.
 */
export function changedLines(before: string, after: string): { from: number; to: number } | undefined {
  if (before === after) return undefined
  const oldLines = before.split('\n')
  const newLines = after.split('\n')
  let start = 0
  while (start < newLines.length && newLines[start] === oldLines[start]) start += 1
  let end = 0
  const maxEnd = Math.min(newLines.length, oldLines.length) - start
  while (end < maxEnd && newLines.at(-1 - end) === oldLines.at(-1 - end)) end += 1
  const to = newLines.length - end
  return to <= start ? { from: Math.max(1, start), to: Math.max(1, start) } : { from: start + 1, to }
}
