/** The note that an ended chat leaves: its file, its text, and the links to the messages. */
import { createUserTextMatcher } from '#shared/markdown/user-text.ts'
import { withSource } from '#shared/markdown/provenance.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { hashText, localDate, memoryFolderPath } from '#workspace'
import { sessionSummaryText } from '../context/context-budget.ts'
import type { DigestLine, LinkedMessage } from '../sessions/digest.ts'
import { sourcesOfMessages, userTextIn } from './provenance-tracking.ts'
import type { ChatServices, TurnTarget } from './turn-context.ts'

export type SessionNoteContext = ChatServices & TurnTarget

export interface Summary {
  /** Two to four words by the model, for the name of the file. */
  readonly topic?: string | undefined
  /** Text for the name of the file without a topic. */
  readonly title: string
  readonly lines: readonly DigestLine[]
}

/** Words of a title that become the slug. */
const maxTitleWords = 4
const minWordLength = 4
/** First characters of a text without spaces. A number counts as one. */
const unspacedStart = /^(?:\d+|\D){1,8}/u
/** Letters of any script: file names follow the conversation's language. */
const slugPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+){0,5}/u
/** Maximum code points of a slug. File names hold 255 bytes, date included. */
const maxSlugLength = 60

/** Finds the note of a session that was written just before a crash. */
export async function findUnrecorded({ workspace, transcript }: SessionNoteContext) {
  const folder = memoryFolderPath(workspace.layout)
  const date = dateOf(transcript, transcript.messages())
  for (const name of await workspace.entryNames(folder)) {
    if (!name.startsWith(`${date}-`)) continue
    const path = `${folder}/${name}`
    const { text } = (await orUndefined(workspace.read(path))) ?? { text: '' }
    const isOwn = sessionSummaryText(text) !== undefined && text.includes(`[sessions/${transcript.id}.jsonl]`)
    if (isOwn) return { path, hash: hashText(text), proposed: undefined }
  }
  return undefined
}

export async function textOf(
  context: SessionNoteContext,
  messages: readonly LinkedMessage[],
  summary: Summary,
): Promise<string> {
  const { models, transcript } = context
  const { lines } = summary
  const date = dateOf(transcript, messages)
  const items = await itemsOf(context, lines)
  const source = models.sentencesFor(lines.map(({ text }) => text)).ending(`[sessions/${transcript.id}.jsonl]`)
  const note = `# ${date}: ${slugOf(summary).replaceAll('-', ' ')}\n\n${source}\n\n${items.join('\n')}\n`
  const texts = messages.map(({ message }) => message)
  const isTyped = createUserTextMatcher(userTextIn(texts))
  const sources = lines.every(({ text }) => isTyped(text)) ? [] : sourcesOfMessages(texts, [])
  const marked = sources.length === 0 ? note : withSource(note, sources, date)
  return transcript.isPrivate ? withVisibility(marked, true) : marked
}

export async function itemsOf(
  { transcript }: Pick<SessionNoteContext, 'transcript'>,
  lines: readonly DigestLine[],
): Promise<string[]> {
  const placeOf = await transcript.linesOf(lines.flatMap((line) => line.messages))
  return lines.map(({ text, messages }) => {
    const links = messages
      .flatMap((id) => placeOf.get(id) ?? [])
      .map((line) => `[sessions/${transcript.id}.jsonl:${line}]`)
    return [`- ${text}`, ...links].join(' ')
  })
}

export async function freePath(
  { workspace, transcript }: SessionNoteContext,
  messages: readonly LinkedMessage[],
  summary: Summary,
): Promise<string> {
  const base = `${memoryFolderPath(workspace.layout)}/${dateOf(transcript, messages)}-${slugOf(summary)}`
  for (let number = 1; ; number += 1) {
    const path = `${base}${number === 1 ? '' : `-${number}`}.md`
    if (!(await workspace.exists(path))) return path
  }
}

/** Returns the day of the last user message, in the time zone where the session began. */
function dateOf({ header }: TurnTarget['transcript'], messages: readonly LinkedMessage[]): string {
  const last = messages.findLast(({ message }) => message.role === 'user')
  return localDate(new Date(last?.message.timestamp ?? header.createdAt), header.timeZone)
}

/** Returns the topic, or the first words of the title that are not short, joined by hyphens. */
function slugOf({ topic, title }: Summary): string {
  const words = (topic ?? firstWords(title)).normalize('NFC').toLowerCase()
  const slug = slugPattern.exec(words.replaceAll(/[\s_]+/g, '-'))?.[0] ?? ''
  return [...slug].slice(0, maxSlugLength).join('').replace(/-+$/, '') || 'chat'
}

/** Leaves out long numbers. */
function firstWords(title: string): string {
  const words = (title.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => !/\d{5}/.test(word))
  // A text without spaces is one word.
  const short = words.map((word) => (/\p{Lo}/u.test(word) ? (unspacedStart.exec(word)?.[0] ?? '') : word))
  const telling = short.filter((word) => word.length >= minWordLength || /[\p{N}\p{Lo}]/u.test(word))
  const isUnspaced = /\p{Lo}/u.test(telling[0] ?? '')
  return (telling.length > 0 ? telling : short).slice(0, isUnspaced ? 2 : maxTitleWords).join('-')
}
