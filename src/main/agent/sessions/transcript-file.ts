import { readFile, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { z } from 'zod'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { parseJson, isRecord } from '#shared/util/json.ts'
import type { ChatModel } from '#llm'
import { readIfExists, withFile } from '#platform'
import { noUsage, type AssistantMessage, messageText } from '#shared/chat/messages.ts'
import type { FoundChat, Recall, RecordedSearch } from '#shared/contract/index.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { splitCitations } from '#shared/markdown/citation.ts'
import {
  entrySchema,
  foreignEntrySchema,
  formatVersion,
  headerSchema,
  type MessageEntry,
  type TranscriptEntry,
  type TranscriptHeader,
} from './transcript-entries.ts'

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
    return await withFile(file, 'r', async (handle) => {
      const { ino: inode, birthtimeMs: createdAt, size } = await handle.stat()
      const start = previous?.inode === inode && previous.bytes <= size ? previous.bytes : 0
      const { buffer } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
      return { inode, createdAt, start, buffer }
    })
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) throw error
    throw new AppError('unknown_session', 'this chat no longer exists', { path: file })
  }
}

/** @throws the file system error if the file cannot be read */
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
  const message = `this chat was written by a newer version (${version})`
  throw new AppError('transcript_unsupported', message, { path: file, version })
}

/**
 * Saves an answer to a `.partial` file while it streams, so that a crash loses almost nothing. The file is deleted when
 * the answer is in the transcript. A partial file without a running turn was left by a crash. It becomes a message
 * marked as interrupted.
 */
const partialSchema = z.object({ provider: z.string(), model: z.string(), timestamp: z.number() })

export type LiveAnswer = ReturnType<typeof startLiveAnswer>

export function startLiveAnswer(file: string, { provider, model }: ChatModel, at: Date) {
  const stream = createWriteStream(file, { flags: 'a' })
  // Only crash recovery uses the file.
  stream.on('error', () => undefined)
  const write = (line: object) => stream.write(`${JSON.stringify(line)}\n`)
  write({ provider, model, timestamp: at.getTime() })
  return {
    /** Does not wait for the disk. */
    add: (type: 'text' | 'thinking', delta: string) => write({ [type]: delta }),
    async end() {
      stream.end()
      await finished(stream).catch(() => undefined)
      await rm(file, { force: true })
    },
  }
}

/**
 * Turns the partial answer of a crash into a message and deletes its file. The session must have no running turn.
 * Returns undefined if the file is missing or empty.
 */
export async function recoverInterrupted(file: string): Promise<AssistantMessage | undefined> {
  const stored = await readIfExists(file)
  if (stored === undefined) return undefined
  await rm(file, { force: true })
  const [first, ...deltas] = stored.split('\n').map((line) => parseJson(line))
  const header = partialSchema.safeParse(first).data
  const textOf = (key: 'text' | 'thinking') =>
    deltas.map((delta) => (isRecord(delta) && typeof delta[key] === 'string' ? delta[key] : '')).join('')
  const [text, thinking] = [textOf('text'), textOf('thinking')]
  if (!header || text + thinking === '') return undefined
  const content: AssistantMessage['content'] = []
  if (thinking !== '') content.push({ type: 'thinking', thinking })
  if (text !== '') content.push({ type: 'text', text })
  return { role: 'assistant', content, usage: noUsage, stopReason: 'aborted', errorCode: 'interrupted', ...header }
}

const snippetContext = 40

/**
 * Returns the first match of any of the words if the transcript contains all of them; undefined if not, or if the
 * signal aborts. @param words lower case @throws the file system error if the file cannot be read
 */
export async function findInTranscript(file: string, words: readonly string[], signal: AbortSignal | undefined) {
  const missingWords = new Set(words)
  let firstMatch: Pick<FoundChat, 'message' | 'snippet'> | undefined
  const isRelevant = (line: string) => {
    const lowerLine = line.toLowerCase()
    return !signal?.aborted && words.some((word) => lowerLine.includes(word))
  }
  for await (const { id, message } of readMessages(file, isRelevant)) {
    if (message.role === 'toolResult') continue
    const text = messageText(message)
    const lowerText = text.toLowerCase()
    for (const word of words) {
      const start = lowerText.indexOf(word)
      if (start < 0) continue
      missingWords.delete(word)
      firstMatch ??= { message: id, snippet: snippetOf(text, start, start + word.length) }
    }
    if (missingWords.size === 0) return firstMatch
  }
  return undefined
}

function snippetOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - snippetContext)
  const to = end + snippetContext
  const excerpt = text.slice(from, to).replace(/\s+/g, ' ').toWellFormed()
  return `${from > 0 ? '…' : ''}${excerpt}${to < text.length ? '…' : ''}`
}

export type RecordedRecall = Omit<Recall, 'session' | 'title'>

/** Returns every memory search in a transcript file, by the agent or before an answer, in order. @throws the file system error if it cannot be read */
export async function readRecalls(file: string): Promise<RecordedRecall[]> {
  // Results of other tools are most of the file: skip them without parsing.
  const isRelevant = (line: string) => !line.includes('"role":"toolResult"') || line.includes('memory_search')
  return recallsIn(await Array.fromAsync(readMessages(file, isRelevant)))
}

export function recallsIn(entries: readonly Pick<MessageEntry, 'id' | 'message'>[]): RecordedRecall[] {
  const recalls: RecordedRecall[] = []
  let turnStart = 0
  let asked = { message: '', question: '' }
  const add = (id: string, at: number, { query, results, candidates, minScore }: RecordedSearch) => {
    const unused = results.map((result) => ({ ...result, use: null }))
    recalls.push({ id, ...asked, at, query, minScore, candidates, results: unused })
  }
  for (const { id, message } of entries) {
    if (message.role === 'user') {
      turnStart = recalls.length
      asked = { message: id, question: messageText(message) }
      if (message.recalled) add(id, message.timestamp, message.recalled.search)
    } else if (message.role === 'assistant') {
      const found = recalls.slice(turnStart).flatMap(({ results }) => results)
      recordUse(found, message)
    } else if (message.toolName === 'memory_search' && message.details?.kind === 'recall')
      add(message.toolCallId, message.timestamp, message.details.recall)
  }
  return recalls
}

function recordUse(results: RecordedRecall['results'], message: AssistantMessage): void {
  if (results.length === 0) return
  const citations = splitCitations(messageText(message)).filter((part) => typeof part !== 'string')
  for (const result of results) {
    // A citation without lines covers the whole file.
    const isCited = citations.some(
      ({ path, line = 1, endLine = Infinity }) =>
        result.path === path && result.startLine <= endLine && line <= result.endLine,
    )
    if (isCited) result.use = 'cited'
  }
  for (const part of message.content) {
    if (part.type !== 'toolCall' || !['memory_get', 'read'].includes(part.name)) continue
    const named = String(part.arguments['path'])
    const path = parseLines(named)?.path ?? named
    for (const result of results) if (result.path === path) result.use ??= 'read'
  }
}
