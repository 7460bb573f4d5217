import { detect } from 'chardet'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { x as extract } from 'tar'
import type { ImportPlan } from '#shared/contract/index.ts'
import { appFolderName } from '#shared/util/agent-files.ts'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, isSystemError, unlessAppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { decodeAs, withFile } from '#platform'
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
import { type CountOmitted, type OmittedPart, type FileOf, type SourceFile, type SourceText } from './chats.ts'
import { readEvernote } from './evernote.ts'
import { isHtml, readHtml } from './html-notes.ts'
import { isJoplinItem, readJoplin } from './joplin.ts'
import {
  exportedNames,
  fromLogseq,
  isKeepFile,
  isTable,
  readKeepNote,
  readTable,
  withNoteLinks,
} from './note-exports.ts'
import { readChats, type ChatExport } from './read-chats.ts'

export interface OmittedFile {
  readonly path: string
  readonly reason: 'kind' | 'large' | 'link' | 'unreadable' | 'name' | 'unused'
}

/** Paths have forward slashes and are relative to `topFolder`, except those with the reason `name`. */
export interface ImportSource extends Omit<ChatExport, 'kind'> {
  readonly leftParts: ImportPlan['leftParts']
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

const unread: ReadonlySet<OmittedFile['reason']> = new Set(['large', 'unreadable', 'name'])
/** Limit of the texts of one import, bytes: the import holds all of them in memory, exported chats twice. */
const maxImportBytes = 256 * 1024 * 1024
/** Limit of an inner archive, bytes. Export tools split at 5 GB or less. */
const maxInnerBytes = 6 * 1024 * 1024 * 1024
/** Files of an export with chats, projects or memories; those of a Takeout are in folders. */
const exportName = /^(?:conversations(?:-\d+)?|projects|memories)\.json$/
/** Names of an activity are in the language of the account. */
const geminiName = /(?:^|\/)(?:[^/]*(?:Gemini|Bard)[^/]*\/[^/]+\.json|conversation_\d+\.(?:json|txt))$/
/** Logseq keeps earlier versions of pages. */
const isEarlierCopy = /(?:^|\/)logseq\/(?:bak|version-files)\//
const isEvernote = (path: string) => /\.enex$/i.test(path)

/** True for a file that becomes Markdown. A Takeout has each note of Keep also as a page. */
function isConverted(path: string): boolean {
  const isPage = isHtml(path) && !/(?:^|\/)(?:Keep\/[^/]+|archive_browser|MyActivity)\.html$/.test(path)
  return isPage || isEvernote(path) || isKeepFile(path) || isTable(path)
}

/**
 * The caller must close the result.
 * @throws AppError `file_not_found`, `file_too_large`, `archive_unusable`, `import_unknown`
 */
export async function openSource(path: string, signal?: AbortSignal): Promise<ImportSource> {
  const opened = new AsyncDisposableStack()
  try {
    const source = await readContents(path, await openContents(path, opened), { opened, signal })
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
  if (/\.jex$/i.test(path)) return openContents(await unpackTar(path, opened), opened)
  const isNote = isMarkdown(path) || isConverted(path)
  const archive = isNote ? undefined : await openArchive(path, opened)
  if (archive) return openNotes(archive, opened)
  const name = isNote ? basename(path) : 'conversations.json'
  return { files: [{ path: name, size: info.size, chunks: () => createReadStream(path) }], omitted: [] }
}

/** Returns the files of a zip, or of the zips in it if it has no notes. @throws AppError `archive_unusable` */
async function openNotes(archive: Archive, opened: AsyncDisposableStack): Promise<Contents> {
  const isNote = (name: string) => {
    const path = name.replaceAll('\\', '/')
    return isMarkdown(path) || isConverted(path) || geminiName.test(path) || exportName.test(basename(path))
  }
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

async function temporaryFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-import-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** @returns a folder with the files, without links @throws AppError `archive_unusable` */
async function unpackTar(path: string, opened: AsyncDisposableStack): Promise<string> {
  const folder = await temporaryFolder(opened)
  const position = Math.max(0, (await stat(path)).size - 1024)
  const { buffer: end } = await withFile(path, 'r', (file) => file.read({ buffer: Buffer.alloc(1024), position }))
  try {
    // An archive ends with two empty blocks.
    if (end.some(Boolean)) throw new Error('the end is missing')
    const filter = (_path: string, entry: object) => !('type' in entry) || entry.type === 'File'
    await extract({ file: path, cwd: folder, strict: true, filter })
  } catch (error) {
    const reason = 'it is damaged'
    throw new AppError('archive_unusable', `${path} cannot be unpacked: ${reason}`, { path, reason }, { cause: error })
  }
  return folder
}

async function unpackInner(archive: Archive, opened: AsyncDisposableStack): Promise<readonly Archive[]> {
  const entries = archive.entries.filter(({ name }) => /\.zip$/i.test(name) && safePath(name) !== undefined)
  if (entries.length === 0) return [archive]
  const folder = await temporaryFolder(opened)
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
  { opened, signal }: { opened: AsyncDisposableStack; signal: AbortSignal | undefined },
): Promise<Omit<ImportSource, 'close'>> {
  const { name: unnamed = [], path: located = [] } = Object.groupBy(others, ({ reason }) =>
    reason === 'name' ? 'name' : 'path',
  )
  const topFolder = commonFolder([...allFiles, ...located])
  const belowTop = <T extends { readonly path: string }>(file: T) => ({
    ...file,
    path: file.path.slice(topFolder.length),
  })
  const below = allFiles.map((file) => ({ ...belowTop(file), chunks: () => untilAborted(file.chunks(), signal) }))
  const files = await Promise.all(below.map(withType))
  const omitted = [...unnamed, ...located.map(belowTop)]
  const isChatFile = ({ path }: SourceFile) => exportName.test(path) || geminiName.test(topFolder + path)
  const { json = [], other = [] } = Object.groupBy(files, (file) => (isChatFile(file) ? 'json' : 'other'))
  assertImportable(source, sizeOf(json))
  const sorted = json.toSorted((one, two) => (one.path < two.path ? -1 : 1))
  const shownFiles = new Set<string>()
  const fileOf = filesById(other, shownFiles)
  const omittedParts = new Map<OmittedPart, number>()
  const count: CountOmitted = (reason, number = 1) => {
    if (number > 0) omittedParts.set(reason, (omittedParts.get(reason) ?? 0) + number)
  }
  const chats = await readChats(
    sorted.map(({ chunks }) => chunks()),
    fileOf,
    count,
  )
  const rest = chats ? other : files
  // A Takeout can also have notes.
  const hasNotes = chats === undefined || chats.kind === 'gemini'
  const isText = ({ path }: SourceFile) => isMarkdown(path) || isCanvas(path) || isConverted(topFolder + path)
  const isNote = (file: SourceFile) => hasNotes && isText(file)
  assertImportable(source, sizeOf(rest.filter((file) => isNote(file) && !isEvernote(file.path))))
  const texts: SourceText[] = []
  /** File names of notes that were pages or tables. */
  const converted = new Set<string>()
  const attachments = new Map<string, SourceFile>()
  const attach = (file: SourceFile) => {
    const { path, size } = file
    if (attachmentType(path) === undefined) omitted.push({ path, reason: 'kind' })
    else if (!hasNotes && !shownFiles.has(path)) omitted.push({ path, reason: 'unused' })
    else if (size > maxAttachmentBytes) omitted.push({ path, reason: 'large' })
    else attachments.set(path, file)
  }
  const decoded: { path: string; encoding: string }[] = []
  for (const file of rest) {
    const { path, size } = file
    if (isEarlierCopy.test(path)) {
      omitted.push({ path, reason: 'unused' })
      continue
    }
    // Has the rows of a filter; the file with `_all` has all rows.
    if (isTable(path) && rest.some((other) => other.path === path.replace(/\.csv$/, '_all.csv'))) continue
    if (isNote(file) && isEvernote(path)) {
      const notebook = await readEvernote(path, file.chunks(), { count, temporary: await temporaryFolder(opened) })
      texts.push(...notebook.notes)
      notebook.attachments.forEach(attach)
      continue
    }
    const { text, encoding } = (isNote(file) ? await readText(file) : undefined) ?? {}
    if (encoding !== undefined) decoded.push({ path, encoding })
    const notes = text === undefined ? undefined : convert(topFolder, { path, text }, count, fileOf)
    for (const note of notes ?? []) converted.add(basename(note.path))
    if (text !== undefined) texts.push(...(notes ?? [{ path, text }]))
    else if (isNote(file)) omitted.push({ path, reason: size > maxTextBytes ? 'large' : 'unreadable' })
    else attach(file)
  }
  const { joplin = [], plain = [] } = Object.groupBy(texts, (text) => (isJoplinItem(text) ? 'joplin' : 'plain'))
  const items = readJoplin(joplin, attachments.keys(), count)
  const names = new Map([...exportedNames(plain, [...attachments.keys()]), ...items.names])
  const isLogseq = files.some(({ path }) => path === 'logseq/config.edn')
  const notes = isLogseq ? fromLogseq(plain) : plain
  const linked =
    converted.size === 0 ? notes : notes.map((note) => ({ ...note, text: withNoteLinks(note.text, converted) }))
  return {
    kind: chats?.kind ?? 'markdown',
    topFolder: hasNotes ? topFolder : '',
    files: [...(chats?.files ?? []), ...linked, ...items.notes],
    memories: chats?.memories ?? [],
    skipped: omitted.filter(({ path, reason }) => isMarkdown(path) && unread.has(reason)).length,
    leftParts: Array.from(omittedParts, ([reason, number]) => ({ reason, count: number })),
    decoded,
    names,
    attachments,
    omitted,
  }
}

/** @returns undefined if the text stays as it is */
function convert(
  topFolder: string,
  { path, text }: SourceText,
  count: CountOmitted,
  fileOf: FileOf,
): SourceText[] | undefined {
  if (isKeepFile(topFolder + path)) {
    const note = readKeepNote(path, parseJson(text), count, fileOf)
    return note ? [note] : []
  }
  if (!isHtml(path) && !isTable(path)) return undefined
  const notes = isHtml(path) ? readHtml(path, text) : [readTable(path, text)].filter((note) => note !== undefined)
  if (notes.length === 0) count(isHtml(path) ? 'empty' : 'unreadable')
  return notes
}

/** First bytes of files that ChatGPT names `file_….dat`. */
const typesByStart = { '\x89PNG': 'png', '\xFF\xD8\xFF': 'jpg', GIF8: 'gif', RIFF: 'webp', '%PDF': 'pdf' }

/** Returns a file with the ending of its type instead of `.dat`. */
async function withType(file: SourceFile): Promise<SourceFile> {
  if (!file.path.endsWith('.dat')) return file
  let start = ''
  for await (const chunk of file.chunks()) {
    start = Buffer.from(chunk.subarray(0, 4)).toString('latin1')
    break
  }
  const [, type = 'dat'] = Object.entries(typesByStart).find(([bytes]) => start.startsWith(bytes)) ?? []
  return { ...file, path: file.path.replace(/dat$/, type) }
}

/** Finds files by their names, or by the ids with which the names of ChatGPT begin. @param found receives the paths */
function filesById(files: readonly SourceFile[], found: Set<string>): FileOf {
  const paths = new Map(
    files.flatMap(({ path }) => {
      const name = basename(path)
      const ids = [name, name.replace(/\.[^.]*$/, ''), /^(file[-_][\da-zA-Z]+)/.exec(name)?.[1] ?? name]
      return ids.map((id) => [id, path] as const)
    }),
  )
  return (id) => {
    const path = paths.get(id)
    if (path !== undefined) found.add(path)
    return path
  }
}

/** @throws the signal's reason */
async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    yield chunk
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

/**
 * @returns undefined if a file is not text or too large; `encoding`: undefined for UTF-8
 * @throws AppError `archive_unusable`
 */
async function readText(file: SourceFile): Promise<{ text: string; encoding?: string } | undefined> {
  if (file.size > maxTextBytes) return undefined
  try {
    const bytes = Buffer.concat(await Array.fromAsync(file.chunks()))
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
  // The detection takes short Chinese texts for half-width katakana.
  if (encoding === 'Shift_JIS' && text !== undefined && /[\uFF66-\uFF9F]/.test(text) && !/[\u3041-\u30FA]/.test(text)) {
    const chinese = decodeAs('gb18030', bytes, true)
    if (chinese !== undefined) return { text: chinese, encoding: 'GB18030' }
  }
  // Other bytes can be valid in an encoding, too.
  return encoding && text !== undefined && !/(?!\s)\p{Cc}/u.test(text) ? { text, encoding } : undefined
}

function assertImportable(path: string, bytes: number): void {
  if (bytes <= maxImportBytes) return
  const megabytes = Math.round(bytes / 1024 / 1024)
  const message = `${path} has ${megabytes} MB; the limit of an import is ${maxImportBytes / 1024 / 1024} MB`
  throw new AppError('file_too_large', message, { path, megabytes })
}
