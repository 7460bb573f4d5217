import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { AppError } from '#shared/util/errors.ts'
import { crc32 } from 'node:zlib'
import { decodeAs } from '#platform'

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
  const file = await open(path, 'r')
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(4), position: 0 })
    return buffer.readUInt32LE(0) === 0x04034b50
  } finally {
    await file.close()
  }
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

/** Code page 437 from byte 128. */
const upperCharacters =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/** Decodes a file name. Tries UTF-8, the Unicode field in `extra`, GB 18030 and code page 437, in this order. */
export function zipName(name: Buffer, extra: Buffer): string {
  return (
    decodeAs('utf-8', name, true) ?? unicodeName(name, extra) ?? decodeAs('gb18030', name, true) ?? codePage437(name)
  )
}

/** Reads the Unicode path field. Checks its CRC of the name, because tools that rename entries keep the old field. */
function unicodeName(name: Buffer, extra: Buffer): string | undefined {
  for (let at = 0; at + 9 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const length = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) !== 0x7075 || length < 5 || at + 4 + length > extra.length) continue
    const isCurrent = extra.readUInt8(at + 4) === 1 && extra.readUInt32LE(at + 5) === crc32(name)
    return isCurrent ? decodeAs('utf-8', extra.subarray(at + 9, at + 4 + length), true) : undefined
  }
  return undefined
}

function codePage437(name: Buffer): string {
  return [...name].map((byte) => (byte < 128 ? String.fromCharCode(byte) : upperCharacters.charAt(byte - 128))).join('')
}
