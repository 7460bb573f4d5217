import type { FileEntry, ListedFile } from '#shared/contract/index.ts'

/** Only the name until the details are loaded. */
export type TreeFile = FileEntry | ListedFile

export type TreeRow =
  | { readonly kind: 'file'; readonly file: TreeFile; readonly name: string; readonly depth: number }
  | { readonly kind: 'other'; readonly path: string; readonly name: string; readonly depth: number }
  | {
      readonly kind: 'folder'
      readonly path: string
      readonly name: string
      readonly depth: number
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

/** Builds the tree: always-included files first, then folders, then notes and other files. */
export function treeOf(files: readonly TreeFile[], others: readonly string[] = []): Tree {
  const pinned = [...files.filter(({ kind }) => kind === 'memory'), ...files.filter(({ kind }) => kind === 'project')]
  const root = empty()
  for (const file of files) if (isInTree(file)) branchOf(root, file.path).files.push(file)
  for (const path of others) branchOf(root, path).others.push(path)
  return { pinned, root }
}

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

/** Logs in Commonplace's own folder appear in the calendar only; logs of a vault are also listed. */
function isInTree({ kind, path }: TreeFile): boolean {
  return kind === 'note' || (kind === 'log' && !/^(?:\.commonplace\/)?memory\//.test(path))
}

/** Returns the visible rows of the tree. `depth` starts at 1. */
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

/** Returns the parent folders of a file, outermost first. */
export function parentFolders(path: string): string[] {
  const steps = path.split('/').slice(0, -1)
  return steps.map((_step, at) => steps.slice(0, at + 1).join('/'))
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
