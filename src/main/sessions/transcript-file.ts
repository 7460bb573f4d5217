/** Reading and appending the lines of a transcript's file. A torn line is counted and left; an unknown kind is kept apart. */
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { entrySchema, foreignSchema, headerSchema, version } from './entries.ts'
import type { ForeignEntry, TranscriptEntry, TranscriptHeader } from './entries.ts'
import { repaired } from './repair.ts'
import { parseJson } from '../../shared/json.ts'

/** Appends and waits until it is on disk. @throws AppError `write_failed` */
export async function appendSynced(file: string, text: string): Promise<void> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file, 'a')
    await handle.appendFile(text)
    await handle.datasync()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'write_failed',
      `the conversation could not be saved: ${reason}`,
      { path: file },
      { cause: error },
    )
  } finally {
    await handle?.close()
  }
}

export interface LoadedEntries {
  readonly entries: TranscriptEntry[]
  readonly foreign: ForeignEntry[]
  readonly leaf: string | null
  readonly skippedLines: number[]
  readonly isTorn: boolean
}

/** @throws AppError `unknown_session`, `transcript_unsupported` */
export async function loadTranscript(file: string): Promise<LoadedEntries & { header: TranscriptHeader | undefined }> {
  const entries: TranscriptEntry[] = []
  const foreign: ForeignEntry[] = []
  const skippedLines: number[] = []
  let header: TranscriptHeader | undefined
  let leaf: string | null = null
  let number = 0
  try {
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      number += 1
      if (line.trim() === '') continue
      const value = parseJson(line)
      const asHeader = headerSchema.safeParse(value)
      if (asHeader.success && number === 1) {
        if ((asHeader.data.version ?? 1) > version) {
          throw new AppError(
            'transcript_unsupported',
            `this conversation was written by a newer version (${asHeader.data.version})`,
            {
              path: file,
              version: asHeader.data.version ?? 0,
            },
          )
        }
        header = { id: asHeader.data.id, createdAt: Date.parse(asHeader.data.timestamp) }
        continue
      }
      const asWritten = entrySchema.safeParse(value)
      const entry = asWritten.success ? asWritten : entrySchema.safeParse(repaired(value))
      if (entry.success) {
        entries.push(entry.data)
        leaf = entry.data.id
        continue
      }
      const other = foreignSchema.safeParse(value)
      if (other.success && other.data.type !== 'message') {
        foreign.push(other.data)
        leaf = other.data.id
      } else skippedLines.push(number)
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR'))
      throw new AppError('unknown_session', 'this conversation does not exist any more', { path: file })
    throw error
  }
  return { header, entries, foreign, leaf, skippedLines, isTorn: !(await endsWithLineBreak(file)) }
}

async function endsWithLineBreak(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size === 0) return true
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer[0] === 10
  } finally {
    await handle.close()
  }
}
