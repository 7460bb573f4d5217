/**
 * Reads zip archives by strangers: its directory first, then only what is asked for, a piece at a time, never more than
 * was announced and never more than the bounds. Names in an archive are labels here, nothing is written by them.
 * Format: PKWARE APPNOTE 6.3.10 (4.3.12 central directory, 4.3.14 zip64, 4.4.4 flags, 4.4.5 methods).
 */
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { zipName } from './zip-names.ts'

/** Files of an archive, and bytes of its directory. */
const maxEntries = 100_000
const maxDirectoryBytes = 64 * 1024 * 1024
/** Text becomes a tenth, repetitive text a hundredth; what grows more than this was made to. */
const maxGrowth = 250

export interface ArchiveEntry {
  /** As it stands there, decoded. */
  readonly name: string
  /** Bytes, unpacked, as announced. */
  readonly size: number
  readonly packedSize: number
  readonly offset: number
  readonly isDeflated: boolean
}

export class Archive {
  readonly entries: readonly ArchiveEntry[]
  /** Names of links, which have nothing to read. */
  readonly links: readonly string[]
  readonly #path: string
  readonly #file: FileHandle

  private constructor(path: string, file: FileHandle, entries: readonly (ArchiveEntry & { isLink: boolean })[]) {
    this.#path = path
    this.#file = file
    this.entries = entries.filter(({ isLink }) => !isLink)
    this.links = entries.filter(({ isLink }) => isLink).map(({ name }) => name)
  }

  /** @returns undefined for a file that is no zip @throws AppError `archive_unusable` */
  static async open(path: string): Promise<Archive | undefined> {
    const file = await open(path, 'r')
    try {
      const directory = await findDirectory(file, path)
      if (!directory) {
        await file.close()
        return undefined
      }
      const bytes = await readAt(file, directory.offset, directory.bytes, path)
      return new Archive(path, file, [...readDirectory(bytes, directory.count, path)])
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /**
   * The bytes of one file.
   * @param most bytes; more is refused before it is unpacked, and while it is, should the archive not tell the truth
   * @throws AppError `archive_unusable`
   */
  async read(entry: ArchiveEntry, most: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.pieces(entry, most)) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  /** The same, a piece after the other. */
  async *pieces(entry: ArchiveEntry, most: number): AsyncGenerator<Buffer, void> {
    const { name, size, packedSize, offset, isDeflated } = entry
    if (size > most)
      throw unusable(this.#path, `${shown(name)} has ${megabytes(size)} MB, more than ${megabytes(most)} MB`)
    if (size > Math.max(1024 * 1024, packedSize * maxGrowth))
      throw unusable(this.#path, `${shown(name)} unpacks to more than ${maxGrowth} times its size`)
    const header = await readAt(this.#file, offset, 30, this.#path)
    if (header.readUInt32LE(0) !== 0x04034b50) throw damaged(this.#path)
    const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    if (packedSize === 0) return
    const packed = createReadStream(this.#path, { start, end: start + packedSize - 1 })
    const inflate = isDeflated ? createInflateRaw() : undefined
    // What goes wrong with the first is told by the second.
    if (inflate) packed.on('error', (error) => inflate.destroy(error)).pipe(inflate)
    let bytes = 0
    try {
      for await (const piece of (inflate ?? packed) as AsyncIterable<Buffer>) {
        bytes += piece.length
        if (bytes > size) throw damaged(this.#path)
        yield piece
      }
    } catch (error) {
      if (error instanceof AppError || !(error instanceof Error)) throw error
      throw damaged(this.#path, error)
    } finally {
      packed.destroy()
      inflate?.destroy()
    }
    if (bytes !== size) throw damaged(this.#path)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

interface Directory {
  readonly offset: number
  readonly bytes: number
  readonly count: number
}

/** Stands at the end of the file, before a comment of at most 65,535 bytes. */
async function findDirectory(file: FileHandle, path: string): Promise<Directory | undefined> {
  const { size } = await file.stat()
  const tail = await readAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557), path)
  const at = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (at < 0 || at + 22 > tail.length) {
    // A zip that begins as one and does not end as one was cut off.
    if (size >= 4 && (await readAt(file, 0, 4, path)).readUInt32LE(0) === 0x04034b50) throw damaged(path)
    return undefined
  }
  let directory: Directory = {
    count: tail.readUInt16LE(at + 10),
    bytes: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  // Figures that do not fit stand in a larger record, which a locator right before this one tells the place of.
  const isLarge = directory.count === 0xffff || directory.bytes === 0xffffffff || directory.offset === 0xffffffff
  if (isLarge && at >= 20 && tail.readUInt32LE(at - 20) === 0x07064b50) {
    const record = await readAt(file, number64(tail, at - 12), 56, path)
    if (record.readUInt32LE(0) !== 0x06064b50) throw damaged(path)
    directory = { count: number64(record, 32), bytes: number64(record, 40), offset: number64(record, 48) }
  }
  const { count, bytes, offset } = directory
  if (count > maxEntries || bytes > maxDirectoryBytes)
    throw unusable(path, `it has more than ${maxEntries.toLocaleString('en')} files`)
  if (offset + bytes > size) throw damaged(path)
  return directory
}

function* readDirectory(bytes: Buffer, count: number, path: string): Generator<ArchiveEntry & { isLink: boolean }> {
  const names = new Set<string>()
  let at = 0
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw damaged(path)
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place))
    const extraAt = at + 46 + (nameBytes ?? 0)
    const end = extraAt + (extraBytes ?? 0)
    if (end > bytes.length) throw damaged(path)
    const name = zipName(bytes.subarray(at + 46, extraAt), bytes.subarray(extraAt, end))
    const flags = bytes.readUInt16LE(at + 8)
    const method = bytes.readUInt16LE(at + 10)
    const isLink = ((bytes.readUInt32LE(at + 38) >>> 16) & 0o170000) === 0o120000
    if ((flags & 1) !== 0) throw unusable(path, 'it is encrypted')
    if (names.has(name)) throw unusable(path, `it has ${shown(name)} twice`)
    names.add(name)
    const large = largeFigures(bytes.subarray(extraAt, end))
    const figure = (place: number) => {
      const value = bytes.readUInt32LE(at + place)
      return value === 0xffffffff ? (large.next().value ?? value) : value
    }
    const [size, packedSize, offset] = [figure(24), figure(20), figure(42)]
    at = end + (commentBytes ?? 0)
    // Folders have nothing to read; what is packed in another way we cannot read.
    if (name.endsWith('/')) continue
    if (!isLink && method !== 0 && method !== 8)
      throw unusable(path, `${shown(name)} is packed in a way that is not known`)
    yield { name, size: size ?? 0, packedSize: packedSize ?? 0, offset: offset ?? 0, isDeflated: method === 8, isLink }
  }
}

/** The 64-bit figures of a zip64 field, in order; only those that did not fit are there. */
function* largeFigures(extra: Buffer): Generator<number, undefined> {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    const end = Math.min(extra.length, at + 4 + extra.readUInt16LE(at + 2))
    for (let figure = at + 4; figure + 8 <= end; figure += 8) yield number64(extra, figure)
    return undefined
  }
  return undefined
}

function number64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}

async function readAt(file: FileHandle, offset: number, length: number, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done).catch((error: unknown) => {
      throw isSystemError(error) || error instanceof RangeError ? damaged(path, error) : error
    })
    if (bytesRead === 0) throw damaged(path)
    done += bytesRead
  }
  return bytes
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024)
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function damaged(path: string, cause?: unknown): AppError {
  return unusable(path, 'it is damaged', cause)
}

function unusable(path: string, reason: string, cause?: unknown): AppError {
  return new AppError('archive_unusable', `${path} cannot be unpacked: ${reason}`, { path, reason }, { cause })
}
