import { readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { DeletionPlace } from '#shared/contract/index.ts'
import { isMarkdown } from '../files/layout.ts'

/** Absolute paths of all folders and files that can contain text of an agent. */
export interface DeletionFolders {
  readonly workspace: string
  readonly forbidden: readonly string[]
  readonly home: string
  /** The main file of the index. */
  readonly index: string
  /** Its parent folder has all other files of the agent, and is searched too. */
  readonly sessions: string
  readonly history: string
  readonly logs: string
}

/** `path` is for display, relative to the workspace or the state folder; `file` is absolute. */
export type SearchedFile = Pick<DeletionPlace, 'kind' | 'path'> & { readonly file: string }

/** Kinds by the path in the workspace; the first match counts. */
const workspaceKinds = [
  ['trash', /^\.trash\//],
  ['note', { test: isMarkdown }],
  ['other', /^/],
] as const

/** Kinds by the path in the state folder; the first match counts. */
const stateKinds = [
  ['request', /\/(?:[\w.-]+\.)?requests\//],
  ['output', /\.outputs\//],
  ['chat', /^\w+\/[^/]+\/sessions\//],
  ['check', /^\w+\/[^/]+\/checks\//],
  ['proposal', /^\w+\/[^/]+\/upkeep\//],
  ['draft', /^\w+\/[^/]+\/drafts\//],
  ['log', /^logs\//],
  ['history', /^history\/[^/]+\/\w+\.sqlite$/],
  ['oldHistory', /^history\/[^/]+\/(?!\w+\.sqlite(?:-wal|-shm|-journal|\.recording|\.paused)$)/],
  ['index', /^memory\//],
  ['state', /^[^/]+$/],
] as const

const foreignFolders = new Set(['.git', 'node_modules'])

/** Lists all files that can contain text of this agent; notes come first, the index last. */
export async function listStoredFiles(folders: DeletionFolders): Promise<SearchedFile[]> {
  const { workspace, forbidden, home, index, sessions, history, logs } = folders
  const indexStem = index.replace(/\.sqlite$/, '')
  // Such as `main-words.sqlite` and `main.sqlite-wal`.
  const isIndexFile = (file: string) =>
    file.startsWith(indexStem) && /^(?:-[a-z-]+)?\.sqlite/.test(file.slice(indexStem.length))
  const stateFiles = [
    ...(await filesIn(dirname(sessions))),
    ...(await filesIn(logs)),
    ...(await entriesOf(home)),
    ...(await entriesOf(history)),
    ...(await entriesOf(dirname(index))).filter(isIndexFile),
  ]
  const toStored = (root: string, file: string, kinds: typeof workspaceKinds | typeof stateKinds): SearchedFile[] => {
    const path = relative(root, file).split(sep).join('/')
    const kind = kinds.find(([, pattern]) => pattern.test(path))?.[0]
    return kind === undefined ? [] : [{ kind, path, file }]
  }
  return [
    ...(await filesIn(workspace, forbidden)).flatMap((file) => toStored(workspace, file, workspaceKinds)),
    ...stateFiles.flatMap((file) => toStored(home, file, stateKinds)),
  ]
}

async function filesIn(root: string, forbidden: readonly string[] = []): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(root, { withFileTypes: true }).catch(() => [])) {
    const path = join(root, entry.name)
    const isForeign = foreignFolders.has(entry.name) || forbidden.some((folder) => relative(folder, path) === '')
    if (entry.isFile()) files.push(path)
    else if (entry.isDirectory() && !isForeign) files.push(...(await filesIn(path, forbidden)))
  }
  return files
}

async function entriesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.map((name) => join(folder, name))
}
