/**
 * The digest of a chat: lines that stand for messages, each with links to them. A flush adds the notes that it wrote, a
 * compaction sends the digest in place of older messages, and the summary of an ended chat is made from it. The entries
 * of the transcript contain its lines.
 */
import { z } from 'zod'
import { messageText, type Message } from '#shared/chat/messages.ts'

/** Kinds of lines, in the order of their sections, with the headings in requests. */
export const digestHeadings = {
  goal: 'Goal',
  decision: 'Decisions',
  fact: 'Facts and identifiers',
  open: 'Open questions',
  file: 'Files touched',
  note: 'Saved in memory',
} as const

export type DigestKind = keyof typeof digestHeadings
const kinds = ['goal', 'decision', 'fact', 'open', 'file', 'note'] as const satisfies readonly DigestKind[]

export const digestLineSchema = z.object({
  kind: z.enum(kinds),
  /** One line of plain text. */
  text: z.string(),
  /** Ids of the transcript entries of the messages that the line stands for. */
  messages: z.array(z.string()),
  /** Workspace-relative path of the note with the text, if a flush wrote one. */
  note: z.string().optional(),
})
export type DigestLine = z.infer<typeof digestLineSchema>

/** A message with the id of its transcript entry. */
export interface LinkedMessage {
  readonly id: string
  readonly message: Message
}

/** Share of the best match's weight from which a message is linked too. */
const minShare = 0.8
const maxLinks = 3

/**
 * Returns the ids of the messages that share the rarest words with a text, in their order; none if no word is shared.
 * Tool results are not linked.
 */
export function messagesBehind(text: string, messages: readonly LinkedMessage[]): string[] {
  const wordsByMessage = messages.map(({ message }) =>
    message.role === 'toolResult' ? new Set<string>() : wordsOf(messageText(message)),
  )
  const counts = new Map<string, number>()
  for (const words of wordsByMessage) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const words = [...wordsOf(text)]
  const weights = wordsByMessage.map((own) =>
    words.reduce((sum, word) => (own.has(word) ? sum + 1 / (counts.get(word) ?? 1) : sum), 0),
  )
  const best = Math.max(0, ...weights)
  const linked = messages.filter((_, index) => best > 0 && (weights[index] ?? 0) >= best * minShare)
  return linked.slice(0, maxLinks).map(({ id }) => id)
}

/** Returns words in lower case, and pairs of characters of scripts without spaces. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const isUnspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u
  return new Set(
    words.flatMap((word) => {
      if (!isUnspaced.test(word) || word.length < 3) return word.length > 1 ? [word] : []
      return Array.from({ length: word.length - 1 }, (_, index) => word.slice(index, index + 2))
    }),
  )
}
