/**
 * Converts transcripts to readable text, one output line per input line, so that line numbers stay valid. Includes
 * messages of the user and the agent; omits tool results, other entries, and deleted messages. From the offline
 * model's answers, only quotations from memory remain. A chat without memory results in empty lines. The index contains
 * a part of this text: see `indexed-transcript.ts`.
 */
import {
  branchEntry,
  deletedBranches,
  isPrivateChat,
  isTurnedOff,
  memoryToggleEntry,
  privacyToggleEntry,
} from '#shared/chat/messages.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { privateMark } from '#shared/markdown/visibility.ts'
import { localDate } from '#workspace'

export function transcriptText(jsonl: string): string {
  const texts = jsonl.split('\n').map(() => '')
  for (const { index, message } of indexedMessages(jsonl)) {
    const lines = textPartsOf(message).join(' ').split('\n')
    const isOffline = message['provider'] === 'offline'
    texts[index] = formatMessage(message, lines.filter((line) => !isOffline || quotedLine.test(line)).join('\n'))
  }
  return texts.join('\n')
}

export interface TranscriptMessage {
  /** 0-based line. */
  readonly index: number
  readonly message: Readonly<Record<string, unknown>>
}

/**
 * Returns the messages of the user and the agent; none if the chat has no memory. Messages of a private chat have `isPrivate`.
 * @param isNeeded true for a line with a tool result that is returned too
 */
export function indexedMessages(jsonl: string, isNeeded?: (line: string) => boolean): TranscriptMessage[] {
  const lines = jsonl.split('\n')
  if (isTurnedOff(lastMark(lines, memoryToggleEntry))) return []
  const isPrivate = isPrivateTranscript(lines)
  const deletedIndexes = deletedLines(lines)
  return lines.flatMap((line, index) => {
    // Avoids parsing tool results: they can have megabytes.
    const isToolResult = line.includes('"role":"toolResult"')
    if (deletedIndexes.has(index) || !line.includes('"message"') || (isToolResult && !isNeeded?.(line))) return []
    const { message } = parseRecord(line)
    if (!isRecord(message)) return []
    const { role } = message
    return role === 'user' || role === 'assistant' || (isToolResult && role === 'toolResult')
      ? [{ index, message: isPrivate ? { ...message, isPrivate } : message }]
      : []
  })
}

/** Returns the local day of each line's message, `YYYY-MM-DD`, or undefined if a line has none. */
export function transcriptDays(jsonl: string): (string | undefined)[] {
  return jsonl.split('\n').map((line) => {
    // The first timestamp in a line is the entry's own. A regular expression avoids parsing large tool results.
    const at = line.includes('"message"') ? /"timestamp":\s*(?:"([^"]{10,40})"|(\d{12,14}))/.exec(line) : null
    if (!at) return undefined
    const time = new Date(at[1] ?? Number(at[2]))
    return Number.isNaN(time.getTime()) ? undefined : localDate(time)
  })
}

export function isPrivateTranscript(lines: readonly string[]): boolean {
  return isPrivateChat(lastMark(lines, privacyToggleEntry))
}

function lastMark(lines: readonly string[], customType: string): unknown {
  const mark = lines.findLast(
    (line) => line.includes(`"${customType}"`) && parseRecord(line)['customType'] === customType,
  )
  return mark === undefined ? undefined : (parseRecord(mark)['data'] ?? null)
}

function deletedLines(lines: readonly string[]): Set<number> {
  const deletedIndexes = new Set<number>()
  const marks = lines.filter((line) => line.includes(`"${branchEntry}"`))
  const roots: Set<unknown> = deletedBranches(marks.map((line) => parseRecord(line)['data']))
  if (roots.size === 0) return deletedIndexes
  for (const [index, line] of lines.entries()) {
    const { id, parentId } = parseRecord(line)
    if (typeof id !== 'string' || !(roots.has(id) || roots.has(parentId))) continue
    roots.add(id)
    deletedIndexes.add(index)
  }
  return deletedIndexes
}

export function formatMessage({ role, isPrivate }: TranscriptMessage['message'], text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  const mark = isPrivate === true ? ` ${privateMark}` : ''
  return flat === '' ? '' : `- ${role === 'user' ? 'User' : 'Assistant'}: ${flat}${mark}`
}

export function textPartsOf({ content }: TranscriptMessage['message']): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown) =>
    isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  )
}

function parseRecord(line: string): Record<string, unknown> {
  const value = parseJson(line)
  return isRecord(value) ? value : {}
}

/** Matches quotes, list items, locations and date headings. Every other line is a sentence of the offline model. */
const quotedLine = /^(?:[>-] |\[|\*\*)/
