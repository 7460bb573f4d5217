import { appFolderName } from '#shared/util/agent-files.ts'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#shared/util/errors.ts'
import { unlessAppError } from '#platform'
import { isIgnoredFolder, isMarkdown, maxAttachmentBytes, normalizePath } from '#workspace'
import { Archive, type ArchiveEntry } from './archive.ts'

/** A note that is not text, or whose name is invalid or a duplicate. */
export interface UnreadFile {
  readonly path: string
  readonly reason: 'unreadable' | 'name'
}

export interface SizedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** Files of a folder or zip; the paths are relative to it. */
export interface SourceContents {
  readonly files: readonly SizedFile[]
  readonly unread: readonly UnreadFile[]
  readonly symlinks: readonly string[]
  readonly chunks: (path: string) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/** Limit of an inner archive, bytes. Export tools split at 5 GB or less. */
const maxInnerBytes = 6 * 1024 * 1024 * 1024

/**
 * Lists the files of a zip, or of the zips in it if it has no notes. `close` of the result also closes `archive`; after
 * an error, the caller must close it.
 * @throws AppError `archive_unusable`
 */
export async function openArchives(archive: Archive): Promise<SourceContents> {
  const unpacked = archive.entries.some(({ name }) => isMarkdown(name)) ? undefined : await unpackInner(archive)
  const archives = unpacked?.archives ?? [archive]
  const locations = new Map<string, { readonly archive: Archive; readonly entry: ArchiveEntry }>()
  const unread: UnreadFile[] = []
  for (const { archive, entry } of archives.flatMap((one) => one.entries.map((entry) => ({ archive: one, entry })))) {
    if (isIgnored(entry.name)) continue
    const path = safePath(entry.name)
    if (path !== undefined && !locations.has(path)) locations.set(path, { archive, entry })
    else if (isMarkdown(entry.name)) unread.push({ path: entry.name, reason: 'name' })
  }
  return {
    files: [...locations].map(([path, { entry }]) => ({ path, size: entry.size })),
    unread,
    symlinks: archives.flatMap(({ symlinks }) => symlinks).filter((name) => !isIgnored(name)),
    chunks(path) {
      const location = locations.get(path)
      if (!location) throw new AppError('file_not_found', `${path} does not exist`, { path })
      return location.archive.chunks(location.entry, maxAttachmentBytes)
    },
    async close() {
      await unpacked?.close()
      await archive.close()
    },
  }
}

/** Returns true for files in ignored folders. Paths with `..` are reported instead of ignored. */
function isIgnored(name: string): boolean {
  return name.split(/[\\/]/).some((part) => isIgnoredFolder(part) && !['.', '..', appFolderName].includes(part))
}

/** Returns the normalised path; undefined if it leaves the archive. */
function safePath(name: string): string | undefined {
  return name.split(/[\\/]/).includes('..') ? undefined : unlessAppError(() => normalizePath(name))
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
