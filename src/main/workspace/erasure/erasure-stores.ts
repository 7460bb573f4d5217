import { readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { ForgetKind } from '#shared/contract/index.ts'
import { isInside } from '../files/paths.ts'
import { isMarkdown } from '../files/layout.ts'

export interface ForgetFolders {
  readonly workspace: string
  /** Folders inside it that are somebody else's, absolute. */
  readonly forbidden: readonly string[]
  /** The state folder. */
  readonly home: string
  /** Of this agent below it. */
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

export interface Stored {
  readonly kind: ForgetKind
  /** As it is shown: of the workspace, or of the state folder. */
  readonly path: string
  readonly file: string
}

/** Where other programs keep what is theirs. */
const notOurs = new Set(['.git', 'node_modules'])

/** @throws the signal's reason */
export async function storedOf(folders: ForgetFolders, signal?: AbortSignal): Promise<Stored[]> {
  const { workspace, forbidden, home } = folders
  const notes = await filesIn(workspace, (folder) => forbidden.some((other) => isInside(folder, other)), signal)
  const kept: Stored[] = []
  const places: readonly (readonly [ForgetKind, string])[] = [
    ['chat', folders.sessions],
    ['history', folders.history],
    ['check', folders.checks],
    ['proposal', folders.upkeep],
    ['draft', folders.drafts],
    ['draft', folders.undos],
    ['log', folders.logs],
  ]
  for (const [kind, root] of places)
    for (const file of await filesIn(root, () => false, signal))
      kept.push({ kind: narrowed(kind, file), path: shown(home, file), file })
  const beside = [folders.pendingChange, ...(await indexFiles(folders.index)), ...(await filesBeside(home))]
  for (const file of beside)
    if (await isFile(file)) kept.push({ kind: indexKind(file, folders), path: shown(home, file), file })
  return [
    ...notes.map((file): Stored => ({ kind: noteKind(workspace, file), path: shown(workspace, file), file })),
    ...kept,
  ]
}

/** The index, with what SQLite and a search keep beside it. */
export async function indexFiles(index: string): Promise<string[]> {
  const [folder, name] = [dirname(index), index.slice(dirname(index).length + 1).replace(/\.sqlite$/, '')]
  const names = await readdir(folder).catch(() => [])
  const isOwn = (one: string) =>
    one.startsWith(name) && /^(?:-[a-z-]+)?(?:\.[\w-]+)*\.sqlite/.test(one.slice(name.length))
  return names.filter(isOwn).map((one) => join(folder, one))
}

/** Other programs' Git above or in a folder. */
export async function otherGit(workspace: string): Promise<string | undefined> {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const git = join(folder, '.git')
    if (
      await stat(git).then(
        () => true,
        () => false,
      )
    )
      return git
    if (dirname(folder) === folder) return undefined
  }
}

function narrowed(kind: ForgetKind, file: string): ForgetKind {
  if (/[\\/](?:[\w.-]+\.)?requests[\\/]/.test(file)) return 'request'
  return /\.outputs[\\/]/.test(file) ? 'output' : kind
}

function noteKind(workspace: string, file: string): ForgetKind {
  const path = shown(workspace, file)
  if (path.startsWith('.trash/')) return 'trash'
  return isMarkdown(path) ? 'note' : 'other'
}

function indexKind(file: string, { index, pendingChange }: ForgetFolders): ForgetKind {
  if (file === pendingChange) return 'draft'
  return dirname(file) === dirname(index) && file.includes('.sqlite') ? 'index' : 'state'
}

/** What lies in the state folder itself; other agents' folders are theirs. */
async function filesBeside(home: string): Promise<string[]> {
  const entries = await readdir(home, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(home, name))
}

/** Links lead to what is somewhere else: whatever is here is found here. */
async function filesIn(root: string, isLeft: (folder: string) => boolean, signal?: AbortSignal): Promise<string[]> {
  signal?.throwIfAborted()
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries) {
    const path = join(root, entry.name)
    if (entry.isFile()) found.push(path)
    else if (entry.isDirectory() && !notOurs.has(entry.name) && !isLeft(path))
      found.push(...(await filesIn(path, isLeft, signal)))
  }
  return found
}

function shown(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

export async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (info) => info.isFile(),
    () => false,
  )
}
