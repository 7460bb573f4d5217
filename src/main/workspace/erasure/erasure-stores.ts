import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { ForgetKind } from '#shared/contract/index.ts'
import { isInside } from '../files/paths.ts'
import { isMarkdown } from '../files/layout.ts'

/** Absolute paths of all folders and files that can contain text of an agent. */
export interface ErasureFolders {
  readonly workspace: string
  /** Absolute paths of folders that this agent must not use. */
  readonly forbidden: readonly string[]
  readonly home: string
  readonly index: string
  readonly sessions: string
  readonly history: string
  readonly checks: string
  readonly upkeep: string
  readonly drafts: string
  readonly pendingChange: string
  readonly undos: string
  readonly logs: string
}

export interface StoredFile {
  readonly kind: ForgetKind
  /** Path for display, relative to the workspace or the state folder. */
  readonly path: string
  /** Absolute. */
  readonly file: string
}

const foreignFolders = new Set(['.git', 'node_modules'])

/** Lists all files that can contain text of this agent. @throws the signal's reason */
export async function listStoredFiles(folders: ErasureFolders, signal?: AbortSignal): Promise<StoredFile[]> {
  const { workspace, forbidden, home } = folders
  const notes = await filesIn(workspace, (folder) => forbidden.some((root) => isInside(folder, root)), signal)
  const stateFiles: StoredFile[] = []
  const agentFolders: readonly (readonly [ForgetKind, string])[] = [
    ['chat', folders.sessions],
    ['history', folders.history],
    ['check', folders.checks],
    ['proposal', folders.upkeep],
    ['draft', folders.drafts],
    ['draft', folders.undos],
    ['log', folders.logs],
  ]
  for (const [kind, root] of agentFolders)
    for (const file of await filesIn(root, () => false, signal))
      stateFiles.push({ kind: refineKind(kind, file), path: relativePath(home, file), file })
  const homeEntries = await readdir(home, { withFileTypes: true }).catch(() => [])
  const homeFiles = homeEntries.filter((entry) => entry.isFile()).map(({ name }) => join(home, name))
  for (const file of [folders.pendingChange, ...(await indexFiles(folders.index)), ...homeFiles])
    if (await isFile(file)) stateFiles.push({ kind: indexKind(file, folders), path: relativePath(home, file), file })
  return [
    ...notes.map((file): StoredFile => {
      const path = relativePath(workspace, file)
      return { kind: path.startsWith('.trash/') ? 'trash' : isMarkdown(path) ? 'note' : 'other', path, file }
    }),
    ...stateFiles,
  ]
}

/** Returns absolute paths of the index and of the files that SQLite and the search store next to it. */
export async function indexFiles(index: string): Promise<string[]> {
  const indexName = basename(index, '.sqlite')
  const names = await readdir(dirname(index)).catch(() => [])
  const isIndexFile = (name: string) =>
    name.startsWith(indexName) && /^(?:-[a-z-]+)?\.sqlite/.test(name.slice(indexName.length))
  return names.filter(isIndexFile).map((name) => join(dirname(index), name))
}

function refineKind(kind: ForgetKind, file: string): ForgetKind {
  if (/[\\/](?:[\w.-]+\.)?requests[\\/]/.test(file)) return 'request'
  return /\.outputs[\\/]/.test(file) ? 'output' : kind
}

function indexKind(file: string, { index, pendingChange }: ErasureFolders): ForgetKind {
  if (file === pendingChange) return 'draft'
  return dirname(file) === dirname(index) && file.includes('.sqlite') ? 'index' : 'state'
}

async function filesIn(root: string, isSkipped: (folder: string) => boolean, signal?: AbortSignal): Promise<string[]> {
  signal?.throwIfAborted()
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const files: string[] = []
  for (const entry of entries) {
    const path = join(root, entry.name)
    if (entry.isFile()) files.push(path)
    else if (entry.isDirectory() && !foreignFolders.has(entry.name) && !isSkipped(path))
      files.push(...(await filesIn(path, isSkipped, signal)))
  }
  return files
}

function relativePath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

export async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() ?? false
}
