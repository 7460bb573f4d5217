import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import { decodeUtf8, maxTextBytes, readText, isMarkdown, maxAttachmentBytes, walkFiles, walkMarkdown } from '#workspace'
import { Archive, assertImportable, maxImportBytes } from './archive.ts'
import { readConversations } from './conversations.ts'
import { openArchives, type SizedFile, type SourceContents, type UnreadFile } from './zipped-notes.ts'

export interface SourceFile {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** A file that is not imported: unsupported kind, too large, not text, invalid name, or symbolic link. */
export interface OmittedFile {
  readonly path: string
  readonly reason: 'kind' | 'large' | 'link' | UnreadFile['reason']
}

/** All paths are relative to the source. `skippedConversations` counts unreadable and empty ones. */
export interface Source {
  readonly kind: 'markdown' | 'chatgpt' | 'claude'
  readonly files: readonly SourceFile[]
  readonly skippedConversations: number
  readonly unread: readonly UnreadFile[]
  readonly attachments: readonly SizedFile[]
  /** Canvases of Obsidian, whose file references the import rewrites. */
  readonly canvases: readonly SourceFile[]
  readonly omitted: readonly OmittedFile[]
  readonly chunks: (path: string) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/**
 * Opens a file, folder or zip. The caller must close the result.
 * @throws AppError `file_not_found`, `file_too_large`, `archive_unusable`, `import_unknown`
 */
export async function openSource(path: string): Promise<Source> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error)) throw new AppError('file_not_found', `${path} does not exist`, { path }, { cause: error })
    throw error
  })
  // Reading a pipe or device might never end.
  if (!info.isDirectory() && !info.isFile())
    throw new AppError('import_unknown', `${path} is neither a file nor a folder`, { path })
  const source = info.isDirectory() ? await readFolder(path) : await readSingleFile(path, info.size)
  if (source && source.files.length > 0) return source
  await source?.close()
  throw new AppError('import_unknown', `${path} contains nothing that can be imported`, { path })
}

/** Writes an attachment (path in the source) to a new file (absolute path). @throws a system error if it exists */
export async function copyAttachment(source: Source, path: string, to: string): Promise<void> {
  await pipeline(source.chunks(path), createWriteStream(to, { flags: 'wx' }))
}

/** Returns the SHA-256 in hex. */
export async function hashChunks(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

async function readFolder(folder: string): Promise<Source | undefined> {
  const file = join(folder, 'conversations.json')
  const info = await stat(file).catch(() => undefined)
  const { files, links } = await walkFiles(folder)
  if (info?.isFile()) {
    const others = files.map(({ path }) => path).filter((path) => path !== 'conversations.json')
    return readExport(await readBounded(file, info.size), others)
  }
  const { files: notes, problems } = await walkMarkdown(folder)
  return readContents(folder, {
    files: [...notes, ...files.filter(({ path }) => !isMarkdown(path))],
    unread: problems.map(({ path }) => ({ path, reason: 'unreadable' })),
    symlinks: links,
    chunks: (path) => createReadStream(join(folder, path)),
    close: async () => undefined,
  })
}

/** Reads the texts. @param folder for messages @throws AppError `file_too_large`, `archive_unusable` */
async function readContents(
  folder: string,
  { files: allFiles, symlinks, chunks, close, ...contents }: SourceContents,
): Promise<Source> {
  const files: SourceFile[] = []
  const canvases: SourceFile[] = []
  const attachments: SizedFile[] = []
  const unread = [...contents.unread]
  const omitted: OmittedFile[] = []
  try {
    for (const isKind of [isMarkdown, isCanvas])
      assertImportable(
        folder,
        allFiles.filter(({ path }) => isKind(path)).reduce((sum, { size }) => sum + size, 0),
      )
    for (const { path, size } of allFiles) {
      const isText = isMarkdown(path) || isCanvas(path)
      const text = isText ? await readTextOf({ path, size }, chunks) : undefined
      if (text !== undefined) (isCanvas(path) ? canvases : files).push({ path, text })
      else if (isText) (isCanvas(path) ? omitted : unread).push({ path, reason: 'unreadable' })
      else if (attachmentType(path) === undefined) omitted.push({ path, reason: 'kind' })
      else if (size > maxAttachmentBytes) omitted.push({ path, reason: 'large' })
      else attachments.push({ path, size })
    }
  } catch (error) {
    await close()
    throw error
  }
  omitted.push(...symlinks.map((path) => ({ path, reason: 'link' as const })))
  return { kind: 'markdown', files, skippedConversations: 0, unread, attachments, canvases, omitted, chunks, close }
}

/** Returns undefined if a file is not text or too large. @throws AppError `archive_unusable` for a damaged note */
async function readTextOf({ path, size }: SizedFile, chunksOf: Source['chunks']): Promise<string | undefined> {
  if (size > maxTextBytes) return undefined
  try {
    return decodeUtf8(Buffer.concat(await Array.fromAsync(chunksOf(path))), path)
  } catch (error) {
    if (error instanceof AppError && error.code === 'archive_unusable' && isMarkdown(path)) throw error
    if (error instanceof AppError || isSystemError(error)) return undefined
    throw error
  }
}

async function readSingleFile(path: string, size: number): Promise<Source | undefined> {
  if (isMarkdown(path))
    return { ...emptySource, kind: 'markdown', files: [{ path: basename(path), text: (await readText(path)).text }] }
  const archive = await Archive.open(path)
  if (!archive) return readExport(await readBounded(path, size))
  let contents: SourceContents | undefined
  try {
    const exportEntry = archive.entries.find(({ name }) => /^([^/]*\/)?conversations\.json$/.test(name))
    if (exportEntry) {
      const others = archive.entries.filter((entry) => entry !== exportEntry).map(({ name }) => name)
      return readExport(await archive.read(exportEntry, maxImportBytes), others)
    }
    contents = await openArchives(archive)
  } finally {
    if (!contents) await archive.close()
  }
  return readContents(path, contents)
}

const emptySource: Omit<Source, 'kind' | 'files'> = {
  skippedConversations: 0,
  unread: [],
  attachments: [],
  canvases: [],
  omitted: [],
  chunks: (path) => {
    throw new AppError('file_not_found', `${path} does not exist`, { path })
  },
  close: async () => undefined,
}

async function readBounded(path: string, size: number): Promise<Uint8Array> {
  assertImportable(path, size)
  return readFile(path)
}

/** @param others other files of the export, which are omitted @returns undefined if it is not a known export */
function readExport(bytes: Uint8Array, others: readonly string[] = []): Source | undefined {
  const conversations = readConversations(parseJson(new TextDecoder('utf-8').decode(bytes)))
  return (
    conversations && {
      ...emptySource,
      kind: conversations.kind,
      files: conversations.documents.map(({ name, text }) => ({ path: name, text })),
      skippedConversations: conversations.skipped,
      omitted: others.map((path) => ({ path, reason: 'kind' })),
    }
  )
}
