import { open, readFile } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import {
  entrySchema,
  foreignEntrySchema,
  formatVersion,
  headerSchema,
  type MessageEntry,
  type TranscriptEntry,
  type TranscriptHeader,
} from './transcript-entries.ts'
import { parseJson } from '#shared/util/json.ts'

/** Position up to which a file was read. The inode shows whether another process replaced the file. */
export interface ReadPosition {
  readonly inode: number
  /** Bytes, up to the end of a line. */
  readonly bytes: number
}

export type LoadedEntries = Awaited<ReturnType<typeof loadEntries>>

/**
 * Loads the entries after `previous`, or the whole transcript if the file was replaced or truncated since. Skips invalid
 * lines.
 * @returns `isWhole`: the whole file was read; `skippedLines`: 1-based; `header`: by default, with the file's birth time
 * @throws AppError `unknown_session` if the file is missing, `transcript_unsupported` if a newer version wrote it
 */
export async function loadEntries(file: string, previous?: ReadPosition) {
  const { inode, createdAt, start, buffer } = await readFrom(file, previous)
  const isWhole = start === 0
  const lines = buffer.toString('utf8').split('\n')
  const header = isWhole ? parseHeader(lines[0] ?? '', file) : undefined
  const entries: TranscriptEntry[] = []
  const skippedLines: number[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || (header && index === 0)) continue
    const entry = parseEntry(line)
    if (entry) entries.push(entry)
    else skippedLines.push(index + 1)
  }
  // A last line without newline is complete if it parses.
  const isCut = lines.at(-1) !== '' && skippedLines.at(-1) === lines.length
  const bytes = start + (isCut ? buffer.lastIndexOf('\n') + 1 : buffer.length)
  const position: ReadPosition = { inode, bytes }
  return { isWhole, header: header ?? { createdAt }, entries, skippedLines, position }
}

/** Reads the bytes after `previous`, or the whole file if it was replaced or truncated. @throws as `loadEntries` */
async function readFrom(file: string, previous: ReadPosition | undefined) {
  try {
    const handle = await open(file, 'r')
    try {
      const { ino: inode, birthtimeMs: createdAt, size } = await handle.stat()
      const start = previous?.inode === inode && previous.bytes <= size ? previous.bytes : 0
      const { buffer } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
      return { inode, createdAt, start, buffer }
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
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const entry = isRelevant(line) ? parseEntry(line) : undefined
    if (entry?.type === 'message') yield entry
  }
}

function parseEntry(line: string): TranscriptEntry | undefined {
  const value = parseJson(line)
  return entrySchema.safeParse(value).data ?? foreignEntrySchema.safeParse(value).data
}

function parseHeader(line: string, file: string): TranscriptHeader | undefined {
  const header = headerSchema.safeParse(parseJson(line)).data
  if (!header) return undefined
  const { timestamp, timeZone, version } = header
  if (version <= formatVersion) return { createdAt: Date.parse(timestamp), timeZone }
  const message = `this conversation was written by a newer version (${version})`
  throw new AppError('transcript_unsupported', message, { path: file, version })
}
