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
import { openArchives, type UnreadFile, type ZippedNotes } from './zipped-notes.ts'

export interface SourceFile {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface SourceAttachment {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** A file that is not imported: unsupported kind, too large, no text, invalid name, or symbolic link. */
export interface SkippedFile {
  readonly path: string
  readonly reason: 'kind' | 'large' | 'link' | UnreadFile['reason']
}

/** All paths are relative to the source. `skipped` counts unreadable and empty conversations. */
export interface Source {
  readonly kind: 'markdown' | 'chatgpt' | 'claude'
  readonly files: readonly SourceFile[]
  readonly skipped: number
  readonly unread: readonly UnreadFile[]
  readonly attachments: readonly SourceAttachment[]
  /** Canvases of Obsidian, whose file references the import rewrites. */
  readonly canvases: readonly SourceFile[]
  readonly left: readonly SkippedFile[]
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
  const source = info.isDirectory() ? await readFolder(path) : await readSingle(path, info.size)
  if (source && source.files.length > 0) return source
  await source?.close()
  throw new AppError('import_unknown', `${path} contains nothing that can be imported`, { path })
}

/** Writes an attachment (path in the source) to a new file (absolute path). @throws the system's error if it exists */
export async function copyAttachment(source: Source, path: string, to: string): Promise<void> {
  await pipeline(source.chunks(path), createWriteStream(to, { flags: 'wx' }))
}

/** Returns the SHA-256 in hex. */
export async function hashChunks(chunkSource: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of chunkSource) hash.update(piece)
  return hash.digest('hex')
}

async function readFolder(folder: string): Promise<Source | undefined> {
  const file = join(folder, 'conversations.json')
  const size = await stat(file).then(
    (info) => (info.isFile() ? info.size : undefined),
    () => undefined,
  )
  const all = await walkFiles(folder)
  if (size !== undefined) {
    const others = all.files.filter(({ path }) => path !== 'conversations.json')
    return readExport(
      await readBounded(file, size),
      others.map(({ path }) => path),
    )
  }
  const walk = await walkMarkdown(folder)
  assertImportable(
    folder,
    walk.files.reduce((sum, found) => sum + found.size, 0),
  )
  const files: SourceFile[] = []
  const unread = walk.problems.map(({ path }): UnreadFile => ({ path, reason: 'unreadable' }))
  for (const { path } of walk.files) {
    try {
      files.push({ path, text: (await readText(join(folder, path), path)).text })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      unread.push({ path, reason: 'unreadable' })
    }
  }
  const chunks = (path: string) => createReadStream(join(folder, path))
  const sortedFiles = await sortFiles(folder, all.files, all.links, chunks)
  return { kind: 'markdown', files, skipped: 0, unread, ...sortedFiles, chunks, close: async () => undefined }
}

/** Sorts files into attachments, canvases and skipped ones. @param folder for messages @throws `file_too_large` */
async function sortFiles(
  folder: string,
  found: readonly SourceAttachment[],
  links: readonly string[],
  chunkSource: Source['chunks'],
): Promise<Pick<Source, 'attachments' | 'canvases' | 'left'>> {
  const others = found.filter(({ path }) => !isMarkdown(path) && !isCanvas(path))
  const isImportable = ({ path, size }: SourceAttachment) =>
    attachmentType(path) !== undefined && size <= maxAttachmentBytes
  const canvasEntries = found.filter(({ path }) => isCanvas(path))
  assertImportable(
    folder,
    canvasEntries.reduce((sum, { size }) => sum + size, 0),
  )
  const canvases: SourceFile[] = []
  const skippedFiles: SkippedFile[] = []
  for (const canvas of canvasEntries) {
    const text = await textOf(canvas, chunkSource)
    if (text === undefined) skippedFiles.push({ path: canvas.path, reason: 'unreadable' })
    else canvases.push({ path: canvas.path, text })
  }
  for (const other of others)
    if (!isImportable(other))
      skippedFiles.push({ path: other.path, reason: attachmentType(other.path) === undefined ? 'kind' : 'large' })
  skippedFiles.push(...links.map((path) => ({ path, reason: 'link' as const })))
  return {
    attachments: others.filter(isImportable).map(({ path, size }) => ({ path, size })),
    canvases,
    left: skippedFiles,
  }
}

async function textOf({ path, size }: SourceAttachment, chunkSource: Source['chunks']): Promise<string | undefined> {
  if (size > maxTextBytes) return undefined
  try {
    return decodeUtf8(Buffer.concat(await Array.fromAsync(chunkSource(path))), path)
  } catch (error) {
    if (error instanceof AppError || isSystemError(error)) return undefined
    throw error
  }
}

async function readSingle(path: string, size: number): Promise<Source | undefined> {
  if (isMarkdown(path))
    return { ...emptySource, kind: 'markdown', files: [{ path: basename(path), text: (await readText(path)).text }] }
  const archive = await Archive.open(path)
  if (!archive) return readExport(await readBounded(path, size))
  let staysOpen = false
  try {
    const exportEntry = archive.entries.find(({ name }) => /^([^/]*\/)?conversations\.json$/.test(name))
    if (exportEntry) {
      const others = archive.entries.filter((entry) => entry !== exportEntry)
      return readExport(
        await archive.read(exportEntry, maxImportBytes),
        others.map(({ name }) => name),
      )
    }
    const notes = await openArchives(archive, path)
    staysOpen = true
    return await fromNotes(path, notes)
  } finally {
    if (!staysOpen) await archive.close()
  }
}

async function fromNotes(
  path: string,
  { files, unread, others, links, pieces: chunks, close }: ZippedNotes,
): Promise<Source> {
  try {
    const sortedFiles = await sortFiles(path, others, links, chunks)
    return { kind: 'markdown', files, skipped: 0, unread, ...sortedFiles, chunks, close }
  } catch (error) {
    await close()
    throw error
  }
}

const emptySource: Omit<Source, 'kind' | 'files'> = {
  skipped: 0,
  unread: [],
  attachments: [],
  canvases: [],
  left: [],
  chunks: (path) => {
    throw new AppError('file_not_found', `${path} does not exist`, { path })
  },
  close: async () => undefined,
}

async function readBounded(path: string, size: number): Promise<Uint8Array> {
  assertImportable(path, size)
  return readFile(path)
}

/** @param others other files of the export, to skip @returns undefined if it is no known export */
function readExport(bytes: Uint8Array, others: readonly string[] = []): Source | undefined {
  const conversations = readConversations(parseJson(new TextDecoder('utf-8').decode(bytes)))
  return (
    conversations && {
      ...emptySource,
      kind: conversations.kind,
      files: conversations.documents.map(({ name, text }) => ({ path: name, text })),
      skipped: conversations.skipped,
      left: others.map((path) => ({ path, reason: 'kind' })),
    }
  )
}
