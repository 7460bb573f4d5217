import { open, type FileHandle } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import {
  entrySchema,
  formatVersion,
  headerSchema,
  unknownEntrySchema,
  type MessageEntry,
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

type ParsedEntry = { type: 'known'; entry: TranscriptEntry } | { type: 'unknown'; entry: UnknownEntry }

export interface LoadedEntries {
  /** True if the whole file was read; false for the lines after an earlier position. */
  readonly isWhole: boolean
  /** Undefined if line 1 of a whole file is no header. */
  readonly header: TranscriptHeader | undefined
  readonly entries: readonly ParsedEntry[]
  /** 1-based. */
  readonly skippedLines: number[]
  readonly position: ReadPosition
}

/**
 * Loads the entries after `previous`, or the whole transcript if the file was replaced or truncated since. Skips invalid
 * lines.
 * @throws AppError `unknown_session` if the file is missing, `transcript_unsupported` if a newer version wrote it
 */
export async function loadEntries(file: string, previous?: ReadPosition): Promise<LoadedEntries> {
  const entries: ParsedEntry[] = []
  const skippedLines: number[] = []
  let header: TranscriptHeader | undefined
  let lineNumber = 0
  try {
    const handle = await open(file, 'r')
    try {
      const { ino: inode, size } = await handle.stat()
      const isWhole = previous?.inode !== inode || size < previous.bytes
      const start = isWhole ? 0 : previous.bytes
      const hasNewBytes = start < size
      const position = { inode, bytes: hasNewBytes ? await findCompleteEnd(handle, size) : size }
      const lines = hasNewBytes ? handle.readLines({ start, end: size - 1, autoClose: false }) : []
      for await (const line of lines) {
        lineNumber += 1
        if (line.trim() === '') continue
        if (isWhole && lineNumber === 1) header = parseHeader(line, file)
        if (header && lineNumber === 1) continue
        const parsed = parseEntry(line)
        if (parsed) entries.push(parsed)
        else skippedLines.push(lineNumber)
      }
      return { isWhole, header, entries, skippedLines, position }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) throw error
    throw new AppError('unknown_session', 'this conversation no longer exists', { path: file })
  }
}

/**
 * Yields the messages of a transcript in order, from the lines for which `isRelevant` returns true.
 * @throws the file system error if the file cannot be read
 */
export async function* readMessages(file: string, isRelevant: (line: string) => boolean): AsyncGenerator<MessageEntry> {
  const handle = await open(file, 'r')
  try {
    for await (const line of handle.readLines({ autoClose: false })) {
      const entry = isRelevant(line) ? entrySchema.safeParse(parseJson(line)).data : undefined
      if (entry?.type === 'message') yield entry
    }
  } finally {
    await handle.close()
  }
}

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
  const { timestamp, timeZone } = header.data
  return { createdAt: Date.parse(timestamp), timeZone: isTimeZone(timeZone) ? timeZone : undefined }
}

function isTimeZone(name: string | undefined): boolean {
  return name !== undefined && Intl.supportedValuesOf('timeZone').concat('UTC').includes(name)
}

/** Returns the end of the last complete line, bytes; a last line without newline is complete if it parses. */
async function findCompleteEnd(handle: FileHandle, size: number): Promise<number> {
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
  return isComplete ? size : size - lastLine.length
}
