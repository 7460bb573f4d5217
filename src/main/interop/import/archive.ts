import { once } from 'node:events'
import { getFileNameLowLevel, openPromise, parseExtraFields, type Entry, type ZipFile } from 'yauzl'
import { AppError } from '#shared/util/errors.ts'
import { decodeAs, withFile } from '#platform'

/** Limit of the texts of one import, bytes: the import holds all of them in memory, exported chats twice. */
export const maxImportBytes = 256 * 1024 * 1024

/** @throws AppError `file_too_large` above `maxImportBytes` */
export function assertImportable(path: string, bytes: number): void {
  if (bytes <= maxImportBytes) return
  const megabytes = Math.round(bytes / 1024 / 1024)
  const message = `${path} has ${megabytes} MB; the limit of an import is ${maxImportBytes / 1024 / 1024} MB`
  throw new AppError('file_too_large', message, { path, megabytes })
}

const maxEntries = 100_000
const maxDirectoryBytes = 64 * 1024 * 1024
/** Maximum compression ratio. Repetitive text reaches 100; a zip bomb is far above. */
const maxRatio = 250
/** The ratio of smaller entries is not checked. */
const minBombBytes = 1024 * 1024

export interface ArchiveEntry {
  /** Decoded name, not validated. */
  readonly name: string
  /** Declared unpacked size, bytes. */
  readonly size: number
  readonly zipEntry: Entry
}

/** Reads an untrusted zip. Never uses names as paths. Limits an entry to `maxBytes` and to its declared size. */
export class Archive {
  readonly entries: ArchiveEntry[] = []
  /** Names of symbolic links, which are not read. */
  readonly symlinks: string[] = []
  readonly #path: string
  readonly #zip: ZipFile

  private constructor(path: string, zip: ZipFile) {
    this.#path = path
    this.#zip = zip
    // The pending call rejects with the same error.
    zip.on('error', () => undefined)
  }

  /** @returns undefined if the file is not a zip @throws AppError `archive_unusable`; system errors unchanged */
  static async open(path: string): Promise<Archive | undefined> {
    let archive: Archive | undefined
    try {
      archive = new Archive(path, await openPromise(path, { autoClose: false, decodeStrings: false }))
      await archive.#readDirectory()
      return archive
    } catch (error) {
      await archive?.close()
      if (!archive && !(await startsAsZip(path))) return undefined
      throw error instanceof AppError ? error : damagedError(path, error)
    }
  }

  /** @throws AppError `archive_unusable` if the entry is damaged or larger than `maxBytes`, even if it declares less */
  async read(entry: ArchiveEntry, maxBytes: number): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.chunks(entry, maxBytes)))
  }

  /** Yields the content of an entry. @throws AppError as `read` */
  async *chunks({ name, size, zipEntry }: ArchiveEntry, maxBytes: number): AsyncGenerator<Buffer, void> {
    if (size > maxBytes)
      throw unusableError(this.#path, `${quoted(name)} has ${megabytes(size)} MB, more than ${megabytes(maxBytes)} MB`)
    if (size > Math.max(minBombBytes, zipEntry.compressedSize * maxRatio))
      throw unusableError(this.#path, `${quoted(name)} unpacks to more than ${maxRatio} times its size`)
    try {
      // yauzl throws if there are more or fewer bytes than declared.
      yield* (await this.#zip.openReadStreamPromise(zipEntry)) as AsyncIterable<Buffer>
    } catch (error) {
      throw damagedError(this.#path, error)
    }
  }

  async close(): Promise<void> {
    if (!this.#zip.isOpen) return
    const closed = once(this.#zip, 'close')
    this.#zip.close()
    await closed
  }

  async #readDirectory(): Promise<void> {
    const path = this.#path
    const tooManyFilesError = () => unusableError(path, `it has more than ${maxEntries.toLocaleString('en')} files`)
    if (this.#zip.entryCount > maxEntries) throw tooManyFilesError()
    const names = new Set<string>()
    let bytes = 0
    for await (const zipEntry of this.#zip.eachEntry()) {
      bytes += zipEntry.fileNameLength + zipEntry.extraFieldLength + zipEntry.fileCommentLength
      if (bytes > maxDirectoryBytes) throw tooManyFilesError()
      const name = zipName(zipEntry.fileNameRaw, zipEntry.extraFieldRaw)
      if (zipEntry.isEncrypted()) throw unusableError(path, 'it is encrypted')
      if (names.has(name)) throw unusableError(path, `it has ${quoted(name)} twice`)
      names.add(name)
      if (name.endsWith('/')) continue
      if (((zipEntry.externalFileAttributes >>> 16) & 0o170000) === 0o120000) this.symlinks.push(name)
      else if (zipEntry.canDecodeFileData()) this.entries.push({ name, size: zipEntry.uncompressedSize, zipEntry })
      else throw unusableError(path, `${quoted(name)} has a compression method that is not supported`)
    }
  }
}

async function startsAsZip(path: string): Promise<boolean> {
  const { buffer } = await withFile(path, 'r', (file) => file.read({ buffer: Buffer.alloc(4), position: 0 }))
  return buffer.readUInt32LE(0) === 0x04034b50
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024)
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function damagedError(path: string, cause: unknown): AppError {
  return unusableError(path, 'it is damaged', cause)
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
