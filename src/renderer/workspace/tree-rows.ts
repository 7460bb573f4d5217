/** The files of a workspace as rows of one list: folders that are open, and what lies in them. Pure. */
import type { FileEntry } from '../../shared/contract/index.ts'

export type TreeRow =
  | { readonly kind: 'file'; readonly file: FileEntry; readonly name: string; readonly depth: number }
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
  readonly files: FileEntry[]
  count: number
}

const empty = (): Branch => ({ folders: new Map(), files: [], count: 0 })

/** What is always read stands first; then folders, then the files beside them. */
export function treeOf(files: readonly FileEntry[]): { readonly pinned: readonly FileEntry[]; readonly root: Branch } {
  const pinned = [...files.filter(({ kind }) => kind === 'memory'), ...files.filter(({ kind }) => kind === 'project')]
  const root = empty()
  for (const file of files) {
    if (!isInTree(file)) continue
    const steps = file.path.split('/')
    steps.pop()
    let at = root
    at.count += 1
    for (const step of steps) {
      const inside = at.folders.get(step) ?? empty()
      at.folders.set(step, inside)
      inside.count += 1
      at = inside
    }
    at.files.push(file)
  }
  return { pinned, root }
}

/** The logs of a memory of ours have the calendar; those of another program's vault are notes among others as well. */
function isInTree({ kind, path }: FileEntry): boolean {
  return kind === 'note' || (kind === 'log' && !path.startsWith('memory/'))
}

export function treeRows({ pinned, root }: ReturnType<typeof treeOf>, isOpen: (folder: string) => boolean): TreeRow[] {
  const rows = pinned.map((file): TreeRow => ({ kind: 'file', file, name: file.path, depth: 1 }))
  const add = (branch: Branch, prefix: string, depth: number) => {
    for (const [name, inside] of branch.folders) {
      const path = prefix + name
      const open = isOpen(path)
      rows.push({ kind: 'folder', path, name, depth, count: inside.count, isOpen: open })
      if (open) add(inside, `${path}/`, depth + 1)
    }
    for (const file of branch.files) rows.push({ kind: 'file', file, name: file.path.slice(prefix.length), depth })
  }
  add(root, '', 1)
  return rows
}

/** The folders that a file lies in, the outermost first. */
export function foldersAbove(path: string): string[] {
  const steps = path.split('/').slice(0, -1)
  return steps.map((_step, at) => steps.slice(0, at + 1).join('/'))
}
