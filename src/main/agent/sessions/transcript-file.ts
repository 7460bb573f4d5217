import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import {
  entrySchema,
  foreignSchema,
  headerSchema,
  formatVersion,
  type UnknownEntry,
  type TranscriptEntry,
  type TranscriptHeader,
} from './transcript-entries.ts'
import { repairEntry } from './repair-messages.ts'
import { parseJson } from '#shared/util/json.ts'

/** Position up to which a file was read. The inode shows whether another process replaced the file. */
export interface ReadPosition {
  readonly inode: number
  /** Bytes, up to the end of a line. */
  readonly bytes: number
}

export interface LoadedEntries {
  readonly entries: TranscriptEntry[]
  readonly foreign: UnknownEntry[]
  /** Id of the last entry read; null if none was. */
  readonly leaf: string | null
  readonly skippedLines: number[]
  readonly position: ReadPosition
}

/**
 * Loads a whole transcript. Invalid lines are skipped; `header` is undefined if line 1 is none.
 * @throws AppError `unknown_session` if the file is missing, `transcript_unsupported` if a newer version wrote it
 */
export async function loadTranscript(file: string): Promise<LoadedEntries & { header: TranscriptHeader | undefined }> {
  const entries: TranscriptEntry[] = []
  const foreign: UnknownEntry[] = []
  const skippedLines: number[] = []
  let header: TranscriptHeader | undefined
  let leaf: string | null = null
  let lineNumber = 0
  try {
    const position = await completeEnd(file)
    if (position.size === 0) return { header, entries, foreign, leaf, skippedLines, position }
    const stream = createReadStream(file, { encoding: 'utf8', end: position.size - 1 })
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      lineNumber += 1
      if (line.trim() === '') continue
      header ??= lineNumber === 1 ? parseHeader(line, file) : undefined
      if (header && lineNumber === 1) continue
      const parsed = parseEntry(line)
      if (!parsed) skippedLines.push(lineNumber)
      else if (parsed.type === 'known') entries.push(parsed.entry)
      else foreign.push(parsed.entry)
      leaf = parsed?.entry.id ?? leaf
    }
    return { header, entries, foreign, leaf, skippedLines, position }
  } catch (error) {
    throw toUnknownSession(error, file)
  }
}

/**
 * Loads the entries added after `from`; undefined if the file was replaced or truncated.
 * @throws AppError `unknown_session` if the file is missing
 */
export async function loadNewEntries(file: string, from: ReadPosition): Promise<LoadedEntries | undefined> {
  const entries: TranscriptEntry[] = []
  const foreign: UnknownEntry[] = []
  let leaf: string | null = null
  try {
    const handle = await open(file, 'r')
    try {
      const { ino, size } = await handle.stat()
      if (ino !== from.inode || size < from.bytes) return undefined
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from.bytes), 0, size - from.bytes, from.bytes)
      const completeLength = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1
      for (const line of buffer.toString('utf8', 0, completeLength).split('\n')) {
        const parsed = line.trim() === '' ? undefined : parseEntry(line)
        if (parsed?.type === 'known') entries.push(parsed.entry)
        else if (parsed) foreign.push(parsed.entry)
        leaf = parsed?.entry.id ?? leaf
      }
      return { entries, foreign, leaf, skippedLines: [], position: { inode: ino, bytes: from.bytes + completeLength } }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw toUnknownSession(error, file)
  }
}

type ParsedEntry = { type: 'known'; entry: TranscriptEntry } | { type: 'foreign'; entry: UnknownEntry }

function parseEntry(line: string): ParsedEntry | undefined {
  const value = parseJson(line)
  const asWritten = entrySchema.safeParse(value)
  const entry = asWritten.success ? asWritten : entrySchema.safeParse(repairEntry(value))
  if (entry.success) return { type: 'known', entry: entry.data }
  const other = foreignSchema.safeParse(value)
  return other.success && other.data.type !== 'message' ? { type: 'foreign', entry: other.data } : undefined
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
async function completeEnd(file: string): Promise<ReadPosition & { readonly size: number }> {
  const handle = await open(file, 'r')
  try {
    const { ino, size } = await handle.stat()
    const step = 64 * 1024
    let tail = Buffer.alloc(0)
    let from = size
    while (from > 0 && !tail.includes(10)) {
      const length = Math.min(step, from)
      from -= length
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, from)
      tail = Buffer.concat([buffer, tail])
    }
    const last = tail.subarray(tail.lastIndexOf(10) + 1)
    const isComplete = last.length === 0 || parseEntry(last.toString('utf8')) !== undefined
    return { inode: ino, size, bytes: isComplete ? size : size - last.length }
  } finally {
    await handle.close()
  }
}
