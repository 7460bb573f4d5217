/** Reads what is to be imported: a folder of Markdown, a single file, or an export of conversations, zipped or not. */
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError, isSystemError } from '../../shared/errors.ts'
import {
  decodeUtf8,
  isIgnoredFolder,
  isMarkdown,
  maxTextBytes,
  normalizeRequest,
  readText,
  walkFiles,
  walkMarkdown,
} from '../workspace/index.ts'
import { Archive, type ArchiveEntry } from './archive.ts'
import { readConversations } from './conversations.ts'
import { parseJson } from '../../shared/json.ts'

export interface SourceFile {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Source {
  readonly kind: 'markdown' | 'chatgpt' | 'claude'
  readonly files: readonly SourceFile[]
  /** What could not be read. */
  readonly skipped: number
  /** Files that are no notes, pictures mostly: they are left where they are. */
  readonly others: number
}

/** All of it is in memory at once, and an export again as what it says. */
const maxBytes = 256 * 1024 * 1024

/** @throws AppError `file_not_found`, `file_too_large`, `archive_unusable`, `import_unknown` */
export async function readSource(path: string): Promise<Source> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error)) throw new AppError('file_not_found', `${path} does not exist`, { path }, { cause: error })
    throw error
  })
  // A pipe or a device would be read without end.
  if (!info.isDirectory() && !info.isFile())
    throw new AppError('import_unknown', `${path} is neither a file nor a folder`, { path })
  const source = info.isDirectory() ? await readFolder(path) : await readSingle(path, info.size)
  if (!source || source.files.length === 0)
    throw new AppError('import_unknown', `${path} has nothing that can be imported`, { path })
  return source
}

async function readFolder(folder: string): Promise<Source | undefined> {
  const file = join(folder, 'conversations.json')
  const size = await stat(file).then(
    (info) => (info.isFile() ? info.size : undefined),
    () => undefined,
  )
  if (size !== undefined) return readExport(await readBounded(file, size))
  const walk = await walkMarkdown(folder)
  const all = await walkFiles(folder)
  assertBearable(
    folder,
    walk.files.reduce((sum, found) => sum + found.size, 0),
  )
  const files: SourceFile[] = []
  let skipped = walk.problems.length
  for (const { path } of walk.files) {
    try {
      files.push({ path, text: (await readText(join(folder, path), path)).text })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      skipped += 1
    }
  }
  return { kind: 'markdown', files, skipped, others: all.files.length - walk.files.length }
}

async function readSingle(path: string, size: number): Promise<Source | undefined> {
  if (isMarkdown(path))
    return {
      kind: 'markdown',
      files: [{ path: basename(path), text: (await readText(path)).text }],
      skipped: 0,
      others: 0,
    }
  const archive = await Archive.open(path)
  if (!archive) return readExport(await readBounded(path, size))
  try {
    return await readArchive(archive, path)
  } finally {
    await archive.close()
  }
}

/** An export of conversations, or else all the Markdown that it has. */
async function readArchive(archive: Archive, path: string): Promise<Source | undefined> {
  const exported = archive.entries.find(({ name }) => /^([^/]*\/)?conversations\.json$/.test(name))
  if (exported) return readExport(await archive.read(exported, maxBytes))
  const entries = archive.entries.filter(({ name }) => isMarkdown(name) && !name.split('/').some(isIgnoredFolder))
  assertBearable(
    path,
    entries.reduce((sum, { size }) => sum + size, 0),
  )
  const files: SourceFile[] = []
  const seen = archive.entries.filter(({ name }) => !name.endsWith('/') && !name.split('/').some(isIgnoredFolder))
  const others = seen.filter(({ name }) => !isMarkdown(name)).length
  let skipped = 0
  for (const entry of entries) {
    const text = await textOf(archive, entry)
    if (text === undefined) skipped += 1
    else files.push({ path: entry.name, text })
  }
  return { kind: 'markdown', files, skipped, others }
}

/** Undefined for what cannot be a note: a name that leads elsewhere, bytes that are no text, or too many of them. */
async function textOf(archive: Archive, entry: ArchiveEntry): Promise<string | undefined> {
  try {
    normalizeRequest(entry.name)
    if (entry.size > maxTextBytes) return undefined
    return decodeUtf8(await archive.read(entry, maxTextBytes), entry.name)
  } catch (error) {
    if (error instanceof AppError && error.code !== 'archive_unusable') return undefined
    throw error
  }
}

async function readBounded(path: string, size: number): Promise<Uint8Array> {
  assertBearable(path, size)
  return readFile(path)
}

/** @throws AppError `file_too_large` */
function assertBearable(path: string, bytes: number): void {
  if (bytes <= maxBytes) return
  const megabytes = Math.round(bytes / 1024 / 1024)
  const message = `${path} has ${megabytes} MB; up to ${maxBytes / 1024 / 1024} MB can be imported in one go`
  throw new AppError('file_too_large', message, { path, megabytes })
}

function readExport(bytes: Uint8Array): Source | undefined {
  const read = readConversations(parseJson(new TextDecoder('utf-8').decode(bytes)))
  return (
    read && {
      kind: read.kind,
      files: read.documents.map(({ name, text }) => ({ path: name, text })),
      skipped: read.skipped,
      others: 0,
    }
  )
}
