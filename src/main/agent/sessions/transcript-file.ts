import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import {
  entrySchema,
  formatVersion,
  headerSchema,
  unknownEntrySchema,
  type UnknownEntry,
  type TranscriptEntry,
  type TranscriptHeader,
} from './transcript-entries.ts'
import { repairEntry } from './repair-messages.ts'
import { parseJson } from '#shared/util/json.ts'

const newlineByte = 10

/** Position up to which a file was read. The inode shows whether another process replaced the file. */
export interface ReadPosition {
  readonly inode: number
  /** Bytes, up to the end of a line. */
  readonly bytes: number
}

export interface LoadedEntries {
  readonly entries: TranscriptEntry[]
  readonly unknownEntries: UnknownEntry[]
  /** Id of the last entry read; null if none was. */
  readonly leaf: string | null
  readonly skippedLines: number[]
  readonly position: ReadPosition
}

/**
 * Loads a whole transcript. Skips invalid lines; `header` is undefined if line 1 is no header.
 * @throws AppError `unknown_session` if the file is missing, `transcript_unsupported` if a newer version wrote it
 */
export async function loadTranscript(file: string): Promise<LoadedEntries & { header: TranscriptHeader | undefined }> {
  const entries: TranscriptEntry[] = []
  const unknownEntries: UnknownEntry[] = []
  const skippedLines: number[] = []
  let header: TranscriptHeader | undefined
  let leaf: string | null = null
  let lineNumber = 0
  try {
    const position = await findCompleteEnd(file)
    if (position.size === 0) return { header, entries, unknownEntries, leaf, skippedLines, position }
    const stream = createReadStream(file, { encoding: 'utf8', end: position.size - 1 })
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      lineNumber += 1
      if (line.trim() === '') continue
      if (lineNumber === 1) header = parseHeader(line, file)
      if (header && lineNumber === 1) continue
      const parsed = parseEntry(line)
      if (!parsed) skippedLines.push(lineNumber)
      else if (parsed.type === 'known') entries.push(parsed.entry)
      else unknownEntries.push(parsed.entry)
      leaf = parsed?.entry.id ?? leaf
    }
    return { header, entries, unknownEntries, leaf, skippedLines, position }
  } catch (error) {
    throw toUnknownSession(error, file)
  }
}

/**
 * Loads the entries added after `previous`; undefined if the file was replaced or truncated.
 * @throws AppError `unknown_session` if the file is missing
 */
export async function loadNewEntries(file: string, previous: ReadPosition): Promise<LoadedEntries | undefined> {
  const entries: TranscriptEntry[] = []
  const unknownEntries: UnknownEntry[] = []
  let leaf: string | null = null
  try {
    const handle = await open(file, 'r')
    try {
      const { ino, size } = await handle.stat()
      if (ino !== previous.inode || size < previous.bytes) return undefined
      const length = size - previous.bytes
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, previous.bytes)
      const completeLength = buffer.subarray(0, bytesRead).lastIndexOf(newlineByte) + 1
      for (const line of buffer.toString('utf8', 0, completeLength).split('\n')) {
        const parsed = line.trim() === '' ? undefined : parseEntry(line)
        if (parsed?.type === 'known') entries.push(parsed.entry)
        else if (parsed) unknownEntries.push(parsed.entry)
        leaf = parsed?.entry.id ?? leaf
      }
      const position = { inode: ino, bytes: previous.bytes + completeLength }
      return { entries, unknownEntries, leaf, skippedLines: [], position }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw toUnknownSession(error, file)
  }
}

type ParsedEntry = { type: 'known'; entry: TranscriptEntry } | { type: 'unknown'; entry: UnknownEntry }

function parseEntry(line: string): ParsedEntry | undefined {
  const value = parseJson(line)
  const strict = entrySchema.safeParse(value)
  const entry = strict.success ? strict : entrySchema.safeParse(repairEntry(value))
  if (entry.success) return { type: 'known', entry: entry.data }
  const unknownEntry = unknownEntrySchema.safeParse(value).data
  return unknownEntry && unknownEntry.type !== 'message' ? { type: 'unknown', entry: unknownEntry } : undefined
}

function parseHeader(line: string, file: string): TranscriptHeader | undefined {
  const header = headerSchema.safeParse(parseJson(line))
  if (!header.success) return undefined
  if ((header.data.version ?? 1) > formatVersion) {
    const message = `this conversation was written by a newer version (${header.data.version})`
    throw new AppError('transcript_unsupported', message, { path: file, version: header.data.version ?? 0 })
  }
  return { id: header.data.id, createdAt: Date.parse(header.data.timestamp) }
}

function toUnknownSession(error: unknown, file: string): unknown {
  if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return error
  return new AppError('unknown_session', 'this conversation no longer exists', { path: file })
}

/** Returns the end of the last complete line; a last line without newline is complete if it parses. */
async function findCompleteEnd(file: string): Promise<ReadPosition & { readonly size: number }> {
  const handle = await open(file, 'r')
  try {
    const { ino, size } = await handle.stat()
    const blockSize = 64 * 1024
    let tail = Buffer.alloc(0)
    let start = size
    while (start > 0 && !tail.includes(newlineByte)) {
      const length = Math.min(blockSize, start)
      start -= length
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, start)
      tail = Buffer.concat([buffer, tail])
    }
    const lastLine = tail.subarray(tail.lastIndexOf(newlineByte) + 1)
    const isComplete = lastLine.length === 0 || parseEntry(lastLine.toString('utf8')) !== undefined
    return { inode: ino, size, bytes: isComplete ? size : size - lastLine.length }
  } finally {
    await handle.close()
  }
}
