import { appFolderName } from '#shared/util/agent-files.ts'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#shared/util/errors.ts'
import { decodeUtf8, maxTextBytes, isIgnoredFolder, isMarkdown, maxAttachmentBytes, normalizePath } from '#workspace'
import { Archive, type ArchiveEntry, assertImportable } from './archive.ts'

/** A note that is not text, or whose name is invalid or a duplicate. */
export interface UnreadFile {
  readonly path: string
  readonly reason: 'unreadable' | 'name'
}

export interface ZippedNotes {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  readonly unread: readonly UnreadFile[]
  readonly others: readonly { readonly path: string; readonly size: number }[]
  readonly symlinks: readonly string[]
  readonly chunks: (path: string) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

interface EntryLocation {
  readonly archive: Archive
  readonly entry: ArchiveEntry
}

/** Limit of an inner archive, bytes. Export tools split at 5 GB or less. */
const maxInnerBytes = 6 * 1024 * 1024 * 1024

/**
 * Opens the notes of a zip, or of the zips in it. `close` of the result also closes `archive`; after an error, the
 * caller must close it.
 * @param path for messages
 * @throws AppError `archive_unusable`, `file_too_large`
 */
export async function openArchives(archive: Archive, path: string): Promise<ZippedNotes> {
  const unpacked = archive.entries.some(({ name }) => isMarkdown(name)) ? undefined : await unpackInner(archive)
  const close = async () => {
    await unpacked?.close()
    await archive.close()
  }
  try {
    return { ...(await readArchives(unpacked ? unpacked.archives : [archive], path)), close }
  } catch (error) {
    await unpacked?.close()
    throw error
  }
}

async function readArchives(archives: readonly Archive[], path: string): Promise<Omit<ZippedNotes, 'close'>> {
  const locations = new Map<string, EntryLocation>()
  const unread: UnreadFile[] = []
  for (const archive of archives)
    for (const entry of archive.entries) {
      if (isIgnored(entry.name)) continue
      const name = safePath(entry.name)
      if (name !== undefined && !locations.has(name)) locations.set(name, { archive, entry })
      else if (isMarkdown(entry.name)) unread.push({ path: entry.name, reason: 'name' })
    }
  const notes = [...locations].filter(([name]) => isMarkdown(name))
  assertImportable(
    path,
    notes.reduce((sum, [, { entry }]) => sum + entry.size, 0),
  )
  const files: { path: string; text: string }[] = []
  for (const [name, location] of notes) {
    const text = await readTextOf(location)
    if (text === undefined) unread.push({ path: name, reason: 'unreadable' })
    else files.push({ path: name, text })
  }
  const others = [...locations]
    .filter(([name]) => !isMarkdown(name))
    .map(([name, { entry }]) => ({ path: name, size: entry.size }))
  const symlinks = archives.flatMap((archive) => archive.symlinks).filter((name) => !isIgnored(name))
  return { files, unread, others, symlinks, chunks: (name) => chunksOf(locations.get(name), name) }
}

/** Returns true for files in ignored folders. Paths with `..` are reported instead of ignored. */
function isIgnored(name: string): boolean {
  return name.split(/[\\/]/).some((part) => isIgnoredFolder(part) && !['.', '..', appFolderName].includes(part))
}

function chunksOf(location: EntryLocation | undefined, path: string): AsyncIterable<Uint8Array> {
  if (!location) throw new AppError('file_not_found', `${path} does not exist`, { path })
  return location.archive.chunks(location.entry, maxAttachmentBytes)
}

/** Returns the normalised path; undefined if it leaves the archive. */
function safePath(name: string): string | undefined {
  if (name.split(/[\\/]/).includes('..')) return undefined
  try {
    return normalizePath(name)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

async function readTextOf({ archive, entry }: EntryLocation): Promise<string | undefined> {
  try {
    if (entry.size > maxTextBytes) return undefined
    return decodeUtf8(await archive.read(entry, maxTextBytes), entry.name)
  } catch (error) {
    if (error instanceof AppError && error.code !== 'archive_unusable') return undefined
    throw error
  }
}

async function unpackInner(
  archive: Archive,
): Promise<{ archives: readonly Archive[]; close: () => Promise<void> } | undefined> {
  const entries = archive.entries.filter(({ name }) => /\.zip$/i.test(name) && safePath(name) !== undefined)
  if (entries.length === 0) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-import-'))
  const archives: Archive[] = []
  const close = async () => {
    for (const innerArchive of archives) await innerArchive.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (const [index, entry] of entries.entries()) {
      const file = join(folder, `${index}.zip`)
      await pipeline(archive.chunks(entry, maxInnerBytes), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
      const innerArchive = await Archive.open(file)
      if (innerArchive) archives.push(innerArchive)
    }
    return { archives, close }
  } catch (error) {
    await close()
    throw error
  }
}
