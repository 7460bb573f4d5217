import type { FileEntry, ListedFile } from '#shared/contract/index.ts'

/** As it is known: by its name at first. */
export type TreeFile = FileEntry | ListedFile

export type TreeRow =
  | { readonly kind: 'file'; readonly file: TreeFile; readonly name: string; readonly depth: number }
  /** A picture, a PDF, and what else lies beside notes. */
  | { readonly kind: 'other'; readonly path: string; readonly name: string; readonly depth: number }
  | {
      readonly kind: 'folder'
      /** Without a slash at its end. */
      readonly path: string
      readonly name: string
      readonly depth: number
      /** Files in it and below. */
      readonly count: number
      readonly isOpen: boolean
    }

interface Branch {
  readonly folders: Map<string, Branch>
  readonly files: TreeFile[]
  readonly others: string[]
  count: number
}

const empty = (): Branch => ({ folders: new Map(), files: [], others: [], count: 0 })

interface Tree {
  readonly pinned: readonly TreeFile[]
  readonly root: Branch
}

/** What is always read stands first; then folders, then the files beside them, notes before others. */
export function treeOf(files: readonly TreeFile[], others: readonly string[] = []): Tree {
  const pinned = [...files.filter(({ kind }) => kind === 'memory'), ...files.filter(({ kind }) => kind === 'project')]
  const root = empty()
  for (const file of files) if (isInTree(file)) branchOf(root, file.path).files.push(file)
  for (const path of others) branchOf(root, path).others.push(path)
  return { pinned, root }
}

/** Where a file lies; one more there, and in all above. */
function branchOf(root: Branch, path: string): Branch {
  let at = root
  at.count += 1
  for (const step of path.split('/').slice(0, -1)) {
    const inside = at.folders.get(step) ?? empty()
    at.folders.set(step, inside)
    inside.count += 1
    at = inside
  }
  return at
}

/** The logs of a memory of ours have the calendar; those of another program's vault are notes among others as well. */
function isInTree({ kind, path }: TreeFile): boolean {
  return kind === 'note' || (kind === 'log' && !/^(?:\.commonplace\/)?memory\//.test(path))
}

export function treeRows({ pinned, root }: Tree, isOpen: (folder: string) => boolean): TreeRow[] {
  const rows = pinned.map((file): TreeRow => ({ kind: 'file', file, name: baseName(file.path), depth: 1 }))
  const add = (branch: Branch, prefix: string, depth: number) => {
    for (const [name, inside] of branch.folders) {
      const path = prefix + name
      const open = isOpen(path)
      rows.push({ kind: 'folder', path, name, depth, count: inside.count, isOpen: open })
      if (open) add(inside, `${path}/`, depth + 1)
    }
    for (const file of branch.files) rows.push({ kind: 'file', file, name: file.path.slice(prefix.length), depth })
    for (const path of branch.others) rows.push({ kind: 'other', path, name: path.slice(prefix.length), depth })
  }
  add(root, '', 1)
  return rows
}

/** The folders that a file lies in, the outermost first. */
export function foldersAbove(path: string): string[] {
  const steps = path.split('/').slice(0, -1)
  return steps.map((_step, at) => steps.slice(0, at + 1).join('/'))
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
