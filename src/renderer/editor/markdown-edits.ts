const item = /^(\s*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?(.*)$/
const quote = /^(\s*(?:>\s?)+)(.*)$/

/**
 * Returns the effect of Enter at the end of a line: continue the list or quote, or clear an empty item.
 * Undefined for an ordinary line.
 */
export function continueLine(line: string): { readonly insert: string } | { readonly clear: true } | undefined {
  const [, indent = '', bullet, number, delimiter = '', space = ' ', box, text = ''] = item.exec(line) ?? []
  if (bullet !== undefined || number !== undefined) {
    if (text.trim() === '') return { clear: true }
    const marker = bullet ?? `${Number(number) + 1}${delimiter}`
    return { insert: `\n${indent}${marker}${space}${box === undefined ? '' : '[ ] '}` }
  }
  const [, marks, quoted = ''] = quote.exec(line) ?? []
  if (marks === undefined) return undefined
  return quoted.trim() === '' ? { clear: true } : { insert: `\n${marks}` }
}

/** Toggles a task; a plain item or line becomes a task. */
export function toggleTask(line: string): string {
  const [, indent = '', bullet, number, delimiter = '', space = ' ', box, text = ''] = item.exec(line) ?? []
  const marker = bullet ?? (number === undefined ? undefined : `${number}${delimiter}`)
  if (marker === undefined) {
    const [, lead = '', rest = ''] = /^(\s*)(.*)$/.exec(line) ?? []
    return `${lead}- [ ] ${rest}`
  }
  const next = box === undefined ? '[ ] ' : /x/i.test(box) ? '[ ] ' : '[x] '
  return `${indent}${marker}${space}${next}${text}`
}

function widthOf(text: string): number {
  let width = 0
  for (const letter of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/.test(
      letter,
    )
      ? 2
      : 1
  return width
}

/** Returns the lines of a table with aligned columns, or undefined if they are not a table. */
export function formatTable(lines: readonly string[]): string[] | undefined {
  const rows = lines.map(cellsOf)
  const delimiters = rows[1]
  if (rows.length < 2 || !delimiters?.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  const count = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(3, ...rows.map((row, index) => (index === 1 ? 3 : widthOf(row[column] ?? '')))),
  )
  return rows.map((row, index) => {
    const cells = widths.map((width, column) =>
      index === 1 ? delimiterOf(delimiters[column] ?? '', width) : padded(row[column] ?? '', width, delimiters[column]),
    )
    return `| ${cells.join(' | ')} |`
  })
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim())
}

function padded(cell: string, width: number, delimiter = ''): string {
  const gap = ' '.repeat(Math.max(0, width - widthOf(cell)))
  if (!delimiter.endsWith(':')) return cell + gap
  if (!delimiter.startsWith(':')) return gap + cell
  return gap.slice(0, gap.length / 2) + cell + gap.slice(gap.length / 2)
}

function delimiterOf(delimiter: string, width: number): string {
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
 * Returns the range from the first to the last line that differs, 1-based in `after`. For a deletion, it is
 * the line above.
 * @returns undefined if the texts are equal
 */
export function changedLines(before: string, after: string): { from: number; to: number } | undefined {
  if (before === after) return undefined
  const old = before.split('\n')
  const now = after.split('\n')
  let start = 0
  while (start < now.length && start < old.length && now[start] === old[start]) start += 1
  let end = 0
  while (end < now.length - start && end < old.length - start && now.at(-1 - end) === old.at(-1 - end)) end += 1
  const to = now.length - end
  return to <= start ? { from: Math.max(1, start), to: Math.max(1, start) } : { from: start + 1, to }
}
