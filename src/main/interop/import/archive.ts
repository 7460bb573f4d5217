import { once } from 'node:events'
import { getFileNameLowLevel, openPromise, parseExtraFields, type Entry, type ZipFile } from 'yauzl'
import { AppError } from '#shared/util/errors.ts'
import { decodeAs, withFile } from '#platform'

const maxEntries = 100_000
const maxDirectoryBytes = 64 * 1024 * 1024
/** Maximum compression ratio. Repetitive text reaches 100; a zip bomb is far above. */
const maxRatio = 250
const minBombBytes = 1024 * 1024

export interface ArchiveEntry {
  readonly name: string
  readonly size: number
  /** @throws AppError `archive_unusable` if the content is damaged or has more than `maxBytes` */
  readonly chunks: (maxBytes: number) => AsyncGenerator<Buffer, void>
}

export interface Archive {
  readonly entries: readonly ArchiveEntry[]
  readonly symlinks: readonly string[]
}

/**
 * The zip is untrusted.
 * @param opened closes the file
 * @returns undefined for another file
 * @throws AppError `archive_unusable`
 */
export async function openArchive(path: string, opened: AsyncDisposableStack): Promise<Archive | undefined> {
  const { buffer: start } = await withFile(path, 'r', (file) => file.read({ buffer: Buffer.alloc(4), position: 0 }))
  if (start.readUInt32LE(0) !== 0x04034b50) return undefined
  try {
    const zip = await openPromise(path, { autoClose: false, decodeStrings: false })
    // The pending call rejects with the same error.
    zip.on('error', () => undefined)
    opened.defer(async () => {
      const closed = once(zip, 'close')
      zip.close()
      await closed
    })
    return await readDirectory(path, zip)
  } catch (error) {
    throw error instanceof AppError ? error : unusableError(path, 'it is damaged', error)
  }
}

async function readDirectory(path: string, zip: ZipFile): Promise<Archive> {
  const tooManyFilesError = () => unusableError(path, `it has more than ${maxEntries.toLocaleString('en')} files`)
  if (zip.entryCount > maxEntries) throw tooManyFilesError()
  const entries: ArchiveEntry[] = []
  const symlinks: string[] = []
  const names = new Set<string>()
  let bytes = 0
  for await (const zipEntry of zip.eachEntry()) {
    bytes += zipEntry.fileNameLength + zipEntry.extraFieldLength + zipEntry.fileCommentLength
    if (bytes > maxDirectoryBytes) throw tooManyFilesError()
    const name = zipName(zipEntry.fileNameRaw, zipEntry.extraFieldRaw)
    if (zipEntry.isEncrypted()) throw unusableError(path, 'it is encrypted')
    if (names.has(name)) throw unusableError(path, `it has ${quoted(name)} twice`)
    names.add(name)
    if (name.endsWith('/')) continue
    if (((zipEntry.externalFileAttributes >>> 16) & 0o170000) === 0o120000) symlinks.push(name)
    else if (!zipEntry.canDecodeFileData())
      throw unusableError(path, `${quoted(name)} has a compression method that is not supported`)
    else {
      const chunks = (maxBytes: number) => readEntry(path, zip, zipEntry, name, maxBytes)
      entries.push({ name, size: zipEntry.uncompressedSize, chunks })
    }
  }
  return { entries, symlinks }
}

async function* readEntry(path: string, zip: ZipFile, zipEntry: Entry, name: string, maxBytes: number) {
  const { uncompressedSize: size, compressedSize } = zipEntry
  if (size > maxBytes)
    throw unusableError(path, `${quoted(name)} has ${megabytes(size)} MB, more than ${megabytes(maxBytes)} MB`)
  if (size > Math.max(minBombBytes, compressedSize * maxRatio))
    throw unusableError(path, `${quoted(name)} unpacks to more than ${maxRatio} times its size`)
  try {
    // yauzl throws if there are more or fewer bytes than declared.
    yield* (await zip.openReadStreamPromise(zipEntry)) as AsyncIterable<Buffer>
  } catch (error) {
    throw unusableError(path, 'it is damaged', error)
  }
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024)
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function unusableError(path: string, reason: string, cause?: unknown): AppError {
  return new AppError('archive_unusable', `${path} cannot be unpacked: ${reason}`, { path, reason }, { cause })
}

const utf8Flag = 0x800

/** Decodes a file name. Tries UTF-8, the Unicode field in `extra`, GB 18030 and code page 437, in this order. */
export function zipName(name: Buffer, extra: Buffer): string {
  const utf8Name = decodeAs('utf-8', name, true)
  if (utf8Name !== undefined) return utf8Name
  const unicodeName = getFileNameLowLevel(utf8Flag, name, fieldsOf(extra), true)
  // Without a valid Unicode field, yauzl returns the bytes of the name with replacement characters.
  if (!unicodeName.includes('\uFFFD')) return unicodeName
  return decodeAs('gb18030', name, true) ?? getFileNameLowLevel(0, name, [], true)
}

function fieldsOf(extra: Buffer): ReturnType<typeof parseExtraFields> {
  try {
    return parseExtraFields(extra)
  } catch {
    return []
  }
}
