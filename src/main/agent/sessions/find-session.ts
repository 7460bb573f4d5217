import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { messageText } from '#shared/chat/messages.ts'
import { entrySchema } from './transcript-entries.ts'
import { parseJson } from '#shared/util/json.ts'

/** Characters of the snippet before and after the match. */
const snippetContext = 40

export interface TranscriptMatch {
  readonly message: string
  readonly snippet: string
}

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
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })
  try {
    for await (const line of lines) {
      if (signal?.aborted) return undefined
      const lowerLine = line.toLowerCase()
      if (!words.some((word) => lowerLine.includes(word))) continue
      const messageLine = parseMessageLine(line)
      if (!messageLine) continue
      const lowerText = messageLine.text.toLowerCase()
      for (const word of words) {
        const matchStart = lowerText.indexOf(word)
        if (matchStart < 0) continue
        missingWords.delete(word)
        firstMatch ??= { message: messageLine.id, snippet: snippetAt(messageLine.text, matchStart, word.length) }
      }
      if (missingWords.size === 0) return firstMatch
    }
  } finally {
    lines.close()
  }
  return undefined
}

function parseMessageLine(line: string): { id: string; text: string } | undefined {
  const entry = entrySchema.safeParse(parseJson(line))
  if (!entry.success || entry.data.type !== 'message' || entry.data.message.role === 'toolResult') return undefined
  return { id: entry.data.id, text: messageText(entry.data.message) }
}

function snippetAt(text: string, matchStart: number, length: number): string {
  const from = Math.max(0, matchStart - snippetContext)
  const to = Math.min(text.length, matchStart + length + snippetContext)
  const excerpt = text.slice(from, to).replace(/\s+/g, ' ').toWellFormed()
  return `${from > 0 ? '…' : ''}${excerpt}${to < text.length ? '…' : ''}`
}
