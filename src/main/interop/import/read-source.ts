import { detect } from 'chardet'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { appFolderName } from '#shared/util/agent-files.ts'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, isSystemError, unlessAppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { decodeAs } from '#platform'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import {
  decodeUtf8,
  isIgnoredFolder,
  isMarkdown,
  maxAttachmentBytes,
  maxTextBytes,
  normalizePath,
  walkFiles,
} from '#workspace'
import { openArchive, type Archive } from './archive.ts'
import { OmittedCounts, type SourceText } from './chats.ts'
import { exportedNames, isKeepFile, readKeepNote } from './note-exports.ts'
import { readChats, type ChatExport } from './read-chats.ts'

export interface SourceFile {
  readonly path: string
  readonly size: number
  readonly chunks: () => AsyncIterable<Uint8Array>
}

export interface OmittedFile {
  readonly path: string
  readonly reason: 'kind' | 'large' | 'link' | 'unreadable' | 'name'
}

/** Paths have forward slashes and are relative to `topFolder`, except those with the reason `name`. */
export interface ImportSource extends Omit<ChatExport, 'kind'> {
  readonly kind: 'markdown' | ChatExport['kind']
  /** Number of notes that cannot be read. */
  readonly skipped: number
  /** Folders that contain everything, with a final slash, or ''. Links such as `/img/x.png` start below. */
  readonly topFolder: string
  /** Texts in another encoding than UTF-8. */
  readonly decoded: readonly { readonly path: string; readonly encoding: string }[]
  /** Paths that files get instead of their own. */
  readonly names: ReadonlyMap<string, string>
  readonly attachments: ReadonlyMap<string, SourceFile>
  readonly omitted: readonly OmittedFile[]
  readonly close: () => Promise<void>
}

interface Contents {
  readonly files: readonly SourceFile[]
  readonly omitted: readonly OmittedFile[]
}

/** Limit of the texts of one import, bytes: the import holds all of them in memory, exported chats twice. */
const maxImportBytes = 256 * 1024 * 1024
/** Limit of an inner archive, bytes. Export tools split at 5 GB or less. */
const maxInnerBytes = 6 * 1024 * 1024 * 1024
/** Files of an export with chats, projects or memories. */
const exportName = /^(?:conversations(?:-\d+)?|projects|memories)\.json$/

/**
 * The caller must close the result.
 * @throws AppError `file_not_found`, `file_too_large`, `archive_unusable`, `import_unknown`
 */
export async function openSource(path: string): Promise<ImportSource> {
  const opened = new AsyncDisposableStack()
  try {
    const source = await readContents(path, await openContents(path, opened))
    if (!source.files.some((file) => isMarkdown(file.path)))
      throw new AppError('import_unknown', `${path} contains nothing that can be imported`, { path })
    return { ...source, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function openContents(path: string, opened: AsyncDisposableStack): Promise<Contents> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error)) throw new AppError('file_not_found', `${path} does not exist`, { path }, { cause: error })
    throw error
  })
  if (info.isDirectory()) {
    const { files, links, problems } = await walkFiles(path)
    const unread = problems.filter(({ code }) => code !== 'hard_link').map((problem) => problem.path)
    return {
      files: files.map((file) => ({ ...file, chunks: () => createReadStream(join(path, file.path)) })),
      omitted: [...omit(links, 'link'), ...omit(unread, 'unreadable')],
    }
  }
  // Reading a pipe or device might never end.
  if (!info.isFile()) throw new AppError('import_unknown', `${path} is neither a file nor a folder`, { path })
  const archive = isMarkdown(path) ? undefined : await openArchive(path, opened)
  if (archive) return openNotes(archive, opened)
  const name = isMarkdown(path) ? basename(path) : 'conversations.json'
  return { files: [{ path: name, size: info.size, chunks: () => createReadStream(path) }], omitted: [] }
}

/** Returns the files of a zip, or of the zips in it if it has no notes. @throws AppError `archive_unusable` */
async function openNotes(archive: Archive, opened: AsyncDisposableStack): Promise<Contents> {
  const isNote = (name: string) => isMarkdown(name) || exportName.test(name.replace(/^.*[\\/]/, ''))
  const archives = archive.entries.some(({ name }) => isNote(name)) ? [archive] : await unpackInner(archive, opened)
  const files = new Map<string, SourceFile>()
  const symlinks = archives.flatMap((one) => one.symlinks).filter((name) => !isIgnored(name))
  const omitted = omit(symlinks, 'link')
  for (const { name, size, chunks } of archives.flatMap(({ entries }) => entries)) {
    if (isIgnored(name)) continue
    const path = safePath(name)
    if (path !== undefined && !files.has(path)) files.set(path, { path, size, chunks: () => chunks(maxImportBytes) })
    else if (isMarkdown(name)) omitted.push({ path: name, reason: 'name' })
  }
  return { files: [...files.values()], omitted }
}

/** Paths with `..` are reported instead of ignored. */
function isIgnored(name: string): boolean {
  return name.split(/[\\/]/).some((part) => isIgnoredFolder(part) && !['.', '..', appFolderName].includes(part))
}

function safePath(name: string): string | undefined {
  return name.split(/[\\/]/).includes('..') ? undefined : unlessAppError(() => normalizePath(name))
}

async function unpackInner(archive: Archive, opened: AsyncDisposableStack): Promise<readonly Archive[]> {
  const entries = archive.entries.filter(({ name }) => /\.zip$/i.test(name) && safePath(name) !== undefined)
  if (entries.length === 0) return [archive]
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-import-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const archives: Archive[] = []
  for (const [index, { chunks }] of entries.entries()) {
    const file = join(folder, `${index}.zip`)
    await pipeline(chunks(maxInnerBytes), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
    const innerArchive = await openArchive(file, opened)
    if (innerArchive) archives.push(innerArchive)
  }
  return archives
}

/** @param source for messages @throws AppError `file_too_large`, `archive_unusable` */
async function readContents(
  source: string,
  { files: allFiles, omitted: others }: Contents,
): Promise<Omit<ImportSource, 'close'>> {
  const { name: unnamed = [], path: located = [] } = Object.groupBy(others, ({ reason }) =>
    reason === 'name' ? 'name' : 'path',
  )
  const topFolder = commonFolder([...allFiles, ...located])
  const belowTop = <T extends { readonly path: string }>(file: T) => ({
    ...file,
    path: file.path.slice(topFolder.length),
  })
  const files = allFiles.map(belowTop)
  const omitted = [...unnamed, ...located.map(belowTop)]
  const { json = [], other = [] } = Object.groupBy(files, ({ path }) => (exportName.test(path) ? 'json' : 'other'))
  if (json.length > 0) {
    assertImportable(source, sizeOf(json))
    const sorted = json.toSorted((one, other) => (one.path < other.path ? -1 : 1))
    const chats = await readChats(sorted.map(({ chunks }) => chunks()))
    const unused = omit(
      other.map(({ path }) => path),
      'kind',
    )
    if (chats)
      return {
        ...chats,
        skipped: 0,
        topFolder: '',
        decoded: [],
        names: new Map(),
        attachments: new Map(),
        omitted: [...omitted, ...unused],
      }
  }
  const counts = new OmittedCounts()
  const keepNotes = new Map<string, string>()
  const isText = ({ path }: SourceFile) => isMarkdown(path) || isCanvas(path) || isKeepFile(topFolder + path)
  assertImportable(source, sizeOf(files.filter(isText)))
  const texts: SourceText[] = []
  const attachments = new Map<string, SourceFile>()
  const decoded: { path: string; encoding: string }[] = []
  for (const file of files) {
    const { path, size } = file
    const { text, encoding } = (isText(file) ? await readText(file) : undefined) ?? {}
    if (encoding !== undefined) decoded.push({ path, encoding })
    if (text !== undefined && isKeepFile(topFolder + path)) {
      const note = readKeepNote(path, parseJson(text), counts.count)
      if (note) texts.push(note)
      if (note) keepNotes.set(note.path, note.name)
    } else if (text !== undefined) texts.push({ path, text })
    else if (isText(file)) omitted.push({ path, reason: 'unreadable' })
    else if (attachmentType(path) === undefined) omitted.push({ path, reason: 'kind' })
    else if (size > maxAttachmentBytes) omitted.push({ path, reason: 'large' })
    else attachments.set(path, file)
  }
  const skipped = omitted.filter(({ path, reason }) => isMarkdown(path) && reason !== 'link').length
  const names = new Map([...exportedNames(texts, [...attachments.keys()]), ...keepNotes])
  return {
    kind: 'markdown',
    topFolder,
    files: texts,
    skipped,
    leftParts: counts.list(),
    decoded,
    names,
    attachments,
    omitted,
  }
}

function sizeOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

function commonFolder(files: readonly { readonly path: string }[]): string {
  const { path: firstPath = '' } = files[0] ?? {}
  const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
  let folder = parentOf(firstPath)
  while (!files.every(({ path }) => path.startsWith(folder))) folder = parentOf(folder.slice(0, -1))
  return folder
}

function omit(paths: readonly string[], reason: OmittedFile['reason']): OmittedFile[] {
  return paths.map((path) => ({ path, reason }))
}

async function readAll({ chunks }: SourceFile): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks()))
}

/**
 * @returns undefined if a file is not text or too large; `encoding`: undefined for UTF-8
 * @throws AppError `archive_unusable`
 */
async function readText(file: SourceFile): Promise<{ text: string; encoding?: string } | undefined> {
  if (file.size > maxTextBytes) return undefined
  try {
    const bytes = await readAll(file)
    const text = unlessAppError(() => decodeUtf8(bytes, file.path))
    return text === undefined ? decodeOther(bytes) : { text }
  } catch (error) {
    if (isSystemError(error) || (error instanceof AppError && error.code !== 'archive_unusable')) return undefined
    throw error
  }
}

/** Decodes a text with the byte order mark of UTF-16, or in the likely encoding, such as GB 18030, Big5 or Shift JIS. */
function decodeOther(bytes: Buffer): { text: string; encoding: string } | undefined {
  const mark = bytes.subarray(0, 2).toString('hex')
  const encoding = mark === 'fffe' ? 'UTF-16LE' : mark === 'feff' ? 'UTF-16BE' : (detect(bytes) ?? undefined)
  const text = encoding && decodeAs(encoding, bytes, true)?.replace(/^\uFEFF/, '')
  // Other bytes can be valid in an encoding, too.
  return encoding && text !== undefined && !/(?!\s)\p{Cc}/u.test(text) ? { text, encoding } : undefined
}

function assertImportable(path: string, bytes: number): void {
  if (bytes <= maxImportBytes) return
  const megabytes = Math.round(bytes / 1024 / 1024)
  const message = `${path} has ${megabytes} MB; the limit of an import is ${maxImportBytes / 1024 / 1024} MB`
  throw new AppError('file_too_large', message, { path, megabytes })
}
