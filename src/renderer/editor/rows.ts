import type { FoundFile, FileEntry, ListedFile } from '#shared/contract/index.ts'
import { nameOrder } from '#lib/util/name-match.ts'

export type FindRow =
  | { readonly kind: 'file'; readonly file: FoundFile }
  | { readonly kind: 'line'; readonly path: string; readonly line: number; readonly text: string }
  /** More lines match: `hidden` lines can be expanded; `unlisted` lines are only counted. */
  | { readonly kind: 'more'; readonly path: string; readonly hidden: number; readonly unlisted: number }

const maxCollapsedLines = 5

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

/** A file with its details, or only with its name until the details are loaded. */
export type TreeFile = FileEntry | ListedFile

interface RowPlace {
  readonly name: string
  /** From 1. */
  readonly depth: number
}

export type TreeRow = RowPlace &
  (
    | { readonly kind: 'file'; readonly file: TreeFile }
    | { readonly kind: 'attachment'; readonly path: string }
    | { readonly kind: 'folder'; readonly path: string; readonly count: number; readonly isOpen: boolean }
  )

interface Branch {
  readonly folders: Map<string, Branch>
  readonly files: TreeFile[]
  readonly attachments: string[]
  count: number
}

const emptyBranch = (): Branch => ({ folders: new Map(), files: [], attachments: [], count: 0 })

/** MEMORY.md and the context files are not part of the tree: they have their own places. */
export function treeOf(files: readonly TreeFile[], attachments: readonly string[] = []): Branch {
  const root = emptyBranch()
  for (const file of files) {
    // The calendar lists the logs in Commonplace's own folder.
    const isOwnLog = /^(?:\.commonplace\/)?memory\/[\d-]{10}\.md$/.test(file.path)
    if (file.kind === 'note' || (file.kind === 'log' && !isOwnLog)) addToBranch(root, file.path).files.push(file)
  }
  for (const path of attachments) addToBranch(root, path).attachments.push(path)
  return root
}

/** Adds a file to the counts of its folders, with a branch for each new folder. @returns the branch of the file's folder */
function addToBranch(root: Branch, path: string): Branch {
  let branch = root
  branch.count += 1
  for (const folder of path.split('/').slice(0, -1)) {
    const child = branch.folders.get(folder) ?? emptyBranch()
    branch.folders.set(folder, child)
    child.count += 1
    branch = child
  }
  return branch
}

export function treeRows(root: Branch, isFolderOpen: (folder: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = []
  const compare = nameOrder()
  const addRows = (branch: Branch, prefix: string, depth: number) => {
    for (const [name, child] of [...branch.folders].sort(([one], [other]) => compare(one, other))) {
      const path = prefix + name
      const isOpen = isFolderOpen(path)
      rows.push({ kind: 'folder', path, name, depth, count: child.count, isOpen })
      if (isOpen) addRows(child, `${path}/`, depth + 1)
    }
    for (const file of branch.files.toSorted((one, other) => compare(one.path, other.path)))
      rows.push({ kind: 'file', file, name: file.path.slice(prefix.length), depth })
    for (const path of branch.attachments.toSorted(compare))
      rows.push({ kind: 'attachment', path, name: path.slice(prefix.length), depth })
  }
  addRows(root, '', 1)
  return rows
}

export function parentFolders(path: string): string[] {
  const folders = path.split('/').slice(0, -1)
  return folders.map((_folder, index) => folders.slice(0, index + 1).join('/'))
}
