import type { FoundSession, Recall, RecordedSearch } from '#shared/contract/index.ts'
import { messageText, type AssistantMessage } from '#shared/chat/messages.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { splitCitations } from '#shared/markdown/citation.ts'
import { readMessages } from './transcript-file.ts'
import type { MessageEntry } from './transcript-entries.ts'

/** Characters of the snippet before and after the match. */
const snippetContext = 40

type TranscriptMatch = Pick<FoundSession, 'message' | 'snippet'>

/**
 * Returns the first match of any of the words if the transcript contains all of them; undefined if not, or if the
 * signal aborts.
 * @param file absolute path
 * @param words lower case
 * @throws the file system error if the file cannot be read
 */
export async function findInTranscript(
  file: string,
  words: readonly string[],
  signal: AbortSignal | undefined,
): Promise<TranscriptMatch | undefined> {
  const missingWords = new Set(words)
  let firstMatch: TranscriptMatch | undefined
  const isRelevant = (line: string) => {
    const lowerLine = line.toLowerCase()
    return !signal?.aborted && words.some((word) => lowerLine.includes(word))
  }
  for await (const { id, message } of readMessages(file, isRelevant)) {
    if (message.role === 'toolResult') continue
    const text = messageText(message)
    const lowerText = text.toLowerCase()
    for (const word of words) {
      const matchStart = lowerText.indexOf(word)
      if (matchStart < 0) continue
      missingWords.delete(word)
      if (firstMatch) continue
      const from = Math.max(0, matchStart - snippetContext)
      const to = Math.min(text.length, matchStart + word.length + snippetContext)
      const excerpt = text.slice(from, to).replace(/\s+/g, ' ').toWellFormed()
      firstMatch = { message: id, snippet: `${from > 0 ? '…' : ''}${excerpt}${to < text.length ? '…' : ''}` }
    }
    if (missingWords.size === 0) return firstMatch
  }
  return undefined
}

export type RecordedRecall = Omit<Recall, 'session' | 'title'>

/** Returns every memory search in a transcript file, by the agent or before an answer, in order. @throws the file system error if it cannot be read */
export async function readRecalls(file: string): Promise<RecordedRecall[]> {
  // Results of other tools are most of the file: skip them without parsing.
  const isRelevant = (line: string) => !line.includes('"role":"toolResult"') || line.includes('memory_search')
  return recallsIn(await Array.fromAsync(readMessages(file, isRelevant)))
}

/** Returns the memory searches in the messages of a transcript, with the use of their results. */
export function recallsIn(entries: readonly Pick<MessageEntry, 'id' | 'message'>[]): RecordedRecall[] {
  const recalls: RecordedRecall[] = []
  let turnStart = 0
  let question = ''
  let messageId = ''
  const add = (id: string, at: number, { query, results, candidates, minScore }: RecordedSearch) =>
    recalls.push({
      id,
      message: messageId,
      question,
      at,
      query,
      minScore,
      candidates,
      results: results.map((result) => ({ ...result, use: null })),
    })
  for (const { id, message } of entries) {
    if (message.role === 'user') {
      turnStart = recalls.length
      question = messageText(message)
      messageId = id
      if (message.recalled) add(id, message.timestamp, message.recalled.search)
    } else if (message.role === 'assistant') {
      recordUse(
        recalls.slice(turnStart).flatMap(({ results }) => results),
        message,
      )
    } else if (message.toolName === 'memory_search' && message.details?.kind === 'recall') {
      add(message.toolCallId, message.timestamp, message.details.recall)
    }
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
