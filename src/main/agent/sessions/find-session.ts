import type { FoundSession } from '#shared/contract/index.ts'
import { messageText } from '#shared/chat/messages.ts'
import { readMessages } from './transcript-file.ts'

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
