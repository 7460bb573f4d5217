import { appFolderName } from '#shared/util/agent-files.ts'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#shared/util/errors.ts'
import { decodeUtf8, maxTextBytes, isIgnoredFolder, isMarkdown, maxAttachmentBytes, normalizePath } from '#workspace'
import { Archive, type ArchiveEntry, assertImportable } from './archive.ts'

/** A note that is no text, or whose name is invalid or a duplicate. */
export interface UnreadFile {
  readonly path: string
  readonly reason: 'unreadable' | 'name'
}

export interface ZippedNotes {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  readonly unread: readonly UnreadFile[]
  readonly others: readonly { readonly path: string; readonly size: number }[]
  readonly links: readonly string[]
  readonly pieces: (path: string) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

interface Place {
  readonly archive: Archive
  readonly entry: ArchiveEntry
}

/** Limit of an inner archive, bytes. Export tools split at 5 GB or less. */
const maxInnerBytes = 6 * 1024 * 1024 * 1024

/**
 * Opens the notes of a zip, or of the zips in it. On success `close` of the result closes the archive; on failure the
 * caller closes it.
 * @param path for messages
 * @throws AppError `archive_unusable`, `file_too_large`
 */
export async function openArchives(archive: Archive, path: string): Promise<ZippedNotes> {
  const inner = archive.entries.some(({ name }) => isMarkdown(name)) ? undefined : await unpackInner(archive)
  const close = async () => {
    await inner?.close()
    await archive.close()
  }
  try {
    return { ...(await readAll(inner ? inner.archives : [archive], path)), close }
  } catch (error) {
    await inner?.close()
    throw error
  }
}

async function readAll(archives: readonly Archive[], path: string): Promise<Omit<ZippedNotes, 'close'>> {
  const locations = new Map<string, Place>()
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
    const text = await textOf(location)
    if (text === undefined) unread.push({ path: name, reason: 'unreadable' })
    else files.push({ path: name, text })
  }
  const others = [...locations]
    .filter(([name]) => !isMarkdown(name))
    .map(([name, { entry }]) => ({ path: name, size: entry.size }))
  const links = archives.flatMap((archive) => archive.links).filter((name) => !isIgnored(name))
  return { files, unread, others, links, pieces: (name) => chunksOf(locations.get(name), name) }
}

/** True for files in ignored folders. Paths with `..` are not ignored but reported. */
function isIgnored(name: string): boolean {
  return name.split(/[\\/]/).some((step) => isIgnoredFolder(step) && !['.', '..', appFolderName].includes(step))
}

function chunksOf(location: Place | undefined, path: string): AsyncIterable<Uint8Array> {
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

async function textOf({ archive, entry }: Place): Promise<string | undefined> {
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
    for (const one of archives) await one.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (const [index, entry] of entries.entries()) {
      const file = join(folder, `${index}.zip`)
      await pipeline(archive.chunks(entry, maxInnerBytes), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
      const opened = await Archive.open(file)
      if (opened) archives.push(opened)
    }
    return { archives, close }
  } catch (error) {
    await close()
    throw error
  }
}
