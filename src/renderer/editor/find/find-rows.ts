import type { FoundFile } from '#shared/contract/index.ts'

export type FindRow =
  | { readonly kind: 'file'; readonly file: FoundFile }
  | { readonly kind: 'line'; readonly path: string; readonly line: number; readonly text: string }
  /** More lines match: `hidden` lines can be expanded; `unlisted` lines are only counted. */
  | { readonly kind: 'more'; readonly path: string; readonly hidden: number; readonly unlisted: number }

const maxCollapsedLines = 5

/** Returns the rows of the result list. @param expandedPaths files that show all their lines */
export function findRows(files: readonly FoundFile[], expandedPaths: ReadonlySet<string>): FindRow[] {
  const rows: FindRow[] = []
  for (const file of files) {
    const { path, lines, lineCount } = file
    rows.push({ kind: 'file', file })
    const shown = expandedPaths.has(path) ? lines : lines.slice(0, maxCollapsedLines)
    for (const { line, text } of shown) rows.push({ kind: 'line', path, line, text })
    const hidden = lines.length - shown.length
    const unlisted = hidden === 0 ? lineCount - lines.length : 0
    if (hidden > 0 || unlisted > 0) rows.push({ kind: 'more', path, hidden, unlisted })
  }
  return rows
}

export function keyOfFindRow(row: FindRow): string {
  if (row.kind === 'file') return row.file.path
  return `${row.path}:${row.kind === 'line' ? row.line : 'more'}`
}
