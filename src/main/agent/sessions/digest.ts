/**
 * The digest of a chat: lines that stand for messages, each with links to them. A flush adds the notes that it wrote, a
 * compaction sends the digest in place of older messages, and the summary of an ended chat is made from it. The entries
 * of the transcript contain its lines.
 */
import { z } from 'zod'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { parseJson } from '#shared/util/json.ts'
import { objectSchema } from '#llm'

const writtenKinds = ['goal', 'decision', 'fact', 'open', 'file'] as const
const kinds = [...writtenKinds, 'note'] as const
type DigestKind = (typeof kinds)[number]
const digestHeadings: Readonly<Record<DigestKind, string>> = {
  goal: 'Goal',
  decision: 'Decisions',
  fact: 'Facts and identifiers',
  open: 'Open questions',
  file: 'Files touched',
  note: 'Saved in memory',
}

export const digestLineSchema = z.object({
  kind: z.enum(kinds),
  text: z.string(),
  /** Ids of the transcript entries of the messages that the line stands for. */
  messages: z.array(z.string()),
  /** Workspace-relative path of the note with the text, if a flush wrote one. */
  note: z.string().optional(),
})
export type DigestLine = z.infer<typeof digestLineSchema>

export interface LinkedMessage {
  readonly id: string
  readonly message: Message
}

const maxLineCharacters = 2000
/** Place from which lines are removed, as a share of all: the first and the newest lines stay. */
const removedFrom = 0.7

/** Schema of a digest's lines, for models that answer by a schema. `messages`: numbers of messages, from 1. */
export const linesSchema = {
  type: 'array',
  items: objectSchema({
    kind: { type: 'string', enum: writtenKinds },
    text: { type: 'string' },
    messages: { type: 'array', items: { type: 'integer' } },
  }),
}
const writtenLineSchema = z.object({
  kind: z.enum(writtenKinds).catch('fact'),
  text: z.string(),
  messages: z.array(z.unknown()).catch([]),
})
const innerObject = /\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g

/** Returns true for an answer in JSON, also if it was cut off. */
export function isJsonDigest(text: string): boolean {
  return /^\W*(?:json\s*)?\{\s*"(?:topic|lines)"\s*:/.test(text)
}

/**
 * Parses the digest that a model wrote: JSON as in `linesSchema`, or headings and lines that end with the numbers of
 * messages, as in `[3, 7]`. A line without valid numbers is linked to the messages with its words.
 * @param messages all messages of the branch; the first has number 1
 * @param summarized those that the line can stand for
 */
export function parseDigest(
  text: string,
  messages: readonly LinkedMessage[],
  summarized: readonly LinkedMessage[] = messages,
): DigestLine[] {
  const isSummarized = new Set(summarized.map(({ id }) => id))
  const lineOf = (kind: DigestKind, written: string, numbers: readonly unknown[]): DigestLine => {
    const line = written.slice(0, maxLineCharacters).toWellFormed()
    const ids = numbers.flatMap((number) => messages[Number(number) - 1]?.id ?? [])
    const linked = ids.filter((id) => isSummarized.has(id))
    return { kind, text: line, messages: linked.length > 0 ? linked : messagesBehind(line, summarized) }
  }
  if (isJsonDigest(text)) {
    const objects = text.match(innerObject) ?? []
    const written = objects.flatMap((json) => writtenLineSchema.safeParse(parseJson(json)).data ?? [])
    return written
      .filter((line) => /[\p{L}\p{N}]/u.test(line.text))
      .map((line) => lineOf(line.kind, line.text.replaceAll(/\s+/g, ' ').trim(), line.messages))
  }
  let kind: DigestKind = 'fact'
  return text.split('\n').flatMap((row): DigestLine[] => {
    const [, heading] = /^\s*#+\s+(.*)$/.exec(row) ?? []
    const headingKind = heading && kinds.find((name) => heading.toLowerCase().startsWith(name))
    if (headingKind) kind = headingKind
    const item = (heading ?? row).replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, '').trim()
    if (headingKind || !/[\p{L}\p{N}]/u.test(item)) return []
    const [links = '', numbers = ''] = /\s*\[\s*(\d+(?:\s*[,、–-]\s*\d+)*)\s*\][.。]?$/.exec(item) ?? []
    return [lineOf(kind, item.slice(0, item.length - links.length), numbers.match(/\d+/g) ?? [])]
  })
}

/** Formats a digest by sections. @param numberOf number of a message; without it, lines have no links */
export function digestText(lines: readonly DigestLine[], numberOf?: (id: string) => number): string {
  const itemOf = ({ text, messages, note }: DigestLine) => {
    const numbers = numberOf ? messages.map(numberOf).filter((number) => number > 0) : []
    return `- ${text}${note === undefined ? '' : ` [${note}]`}${numbers.length > 0 ? ` [${numbers.join(', ')}]` : ''}`
  }
  const sections = kinds.flatMap((kind) => {
    const items = lines.filter((line) => line.kind === kind).map(itemOf)
    return items.length === 0 ? [] : [[`## ${digestHeadings[kind]}`, ...items].join('\n')]
  })
  return sections.join('\n\n')
}

/** Removes lines from the middle until the size is within the limit. The last line left may be longer. */
export function fitDigest(lines: readonly DigestLine[], limit: number, sizeOf: (text: string) => number): DigestLine[] {
  const kept = [...lines]
  let size = kept.reduce((sum, { text }) => sum + sizeOf(text) + 2, 0)
  while (size > limit && kept.length > 1) {
    const [removed] = kept.splice(Math.floor(kept.length * removedFrom), 1)
    size -= sizeOf(removed?.text ?? '') + 2
  }
  return kept
}

/** Share of the best match's weight from which a message is linked too. */
const minShare = 0.8
const maxLinks = 3
/** Words that a message must share with a line to be linked. */
const minShared = 2

/**
 * Returns the ids of the messages that share the rarest words with a text, in their order; none if no word is shared.
 * Tool results are not linked.
 */
export function messagesBehind(text: string, messages: readonly LinkedMessage[]): string[] {
  const words = [...contentWords(text)]
  const sharedWords = messages.map(({ message }) => {
    const own = message.role === 'toolResult' ? new Set<string>() : contentWords(messageText(message))
    return words.filter((word) => own.has(word))
  })
  const uses = Map.groupBy(sharedWords.flat(), (word) => word)
  const weights = sharedWords.map((shared) => {
    const isLinked = shared.length >= Math.min(minShared, words.length)
    return isLinked ? shared.reduce((sum, word) => sum + 1 / (uses.get(word)?.length ?? 1), 0) : 0
  })
  const best = Math.max(0, ...weights)
  const linked = messages.filter((_, index) => best > 0 && (weights[index] ?? 0) >= best * minShare)
  return linked.slice(0, maxLinks).map(({ id }) => id)
}

/** Returns words in lower case, and pairs of characters of scripts without spaces. */
export function contentWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const isUnspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u
  return new Set(
    words.flatMap((word) => {
      if (!isUnspaced.test(word) || word.length < 3) return word.length > 1 ? [word] : []
      return Array.from({ length: word.length - 1 }, (_, index) => word.slice(index, index + 2))
    }),
  )
}
