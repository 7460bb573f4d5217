/** Chats of an export as notes. Each note has the id that the service gave the chat. */
import type { ImportPlan } from '#shared/contract/index.ts'
import { attachmentKind, attachmentType } from '#shared/util/attachments.ts'
import { openBlockEnd } from '#shared/markdown/sections.ts'
import { localDate, toFileName } from '#workspace'

export interface SourceFile {
  readonly path: string
  readonly size: number
  readonly chunks: () => AsyncIterable<Uint8Array>
}

export interface SourceText {
  /** Relative, with forward slashes. Several chats can have the same path. */
  readonly path: string
  readonly text: string
  /** Path that the note gets, if it is another one. */
  readonly name?: string | undefined
  /** True for a chat whose service gave it an id. */
  readonly isChat?: boolean
}

export interface ImportedChat {
  readonly id: string
  readonly title: string
  readonly createdAt: Date | undefined
  /** Such as `**User:** Hello`. */
  readonly messages: readonly string[]
}

export const hasText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Name of the note with the memory of a service. */
export const memoryNote = 'Claude memory.md'

/** The start of a code block, formula, list, quotation, heading or table. It must begin a line. */
const blockStart = /^(?:```|~~~|\$\$\n|[-*+>|] |#{1,6} |\d+[.)] )/

export function messageOf(speaker: 'User' | 'Assistant', text: string): string {
  const fence = /```|~~~/.test(text) ? openBlockEnd(text.split('\n')) : undefined
  return `**${speaker}:**${blockStart.test(text) ? '\n\n' : ' '}${text}${fence === undefined ? '' : `\n${fence}`}`
}

/** Returns a link to a page; [] if the address is no text. */
export function linkToPage(url: unknown, title: unknown): string[] {
  return hasText(url) ? [`[${String(title ?? url).replaceAll(/[[\]]/g, '')}](${url})`] : []
}

/**
 * Returns a link to a file of the export. Without the file, or if a note cannot show it, returns its name.
 * @param path undefined for a missing file, which is counted
 */
export function linkToFile(path: string | undefined, name: string, count: CountOmitted): string[] {
  if (path === undefined) count('file')
  if (path === undefined || attachmentType(path) === undefined) return name === '' ? [] : [`\`${name}\``]
  const isImage = attachmentKind(path) === 'image'
  return [`${isImage ? '!' : ''}[${isImage ? '' : name.replaceAll(/[[\]]/g, '')}](${encodeURI(path)})`]
}

/** Returns a code block. Its fence is longer than those in the text. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** An artifact, a canvas document, or a file that Claude has written. */
export interface WrittenDocument {
  title: string
  /** Language of a code block; undefined for Markdown and plain text. */
  language: string | undefined
  content: string
}

export function textOfDocument({ title, language, content }: WrittenDocument): string {
  const body = language === undefined ? content : codeBlock(content, language)
  return title === '' ? body : `**${title}**\n\n${body}`
}

/** Why a part of a chat is left out, or `chat` for a chat as a whole. */
export type OmittedPart = ImportPlan['leftParts'][number]['reason']

/** Counts what a reader leaves out. */
export type CountOmitted = (reason: OmittedPart, count?: number) => void

/** Returns the path of a file of the export by the id that a message has; undefined if the export does not have it. */
export type FileOf = (id: string) => string | undefined

/** Returns a time as a date; undefined if it is none. @param time ISO 8601, or seconds since the epoch */
export function toDate(time: unknown): Date | undefined {
  const date = typeof time === 'number' ? new Date(time * 1000) : typeof time === 'string' ? new Date(time) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}

const idProperty = /^---\r?\n(?:(?!---).*\r?\n)*?chat: "([^"\n]+)"\r?\n/

/** Returns the id of the chat that a note was made from; undefined for another note. */
export function chatIdIn(note: string): string | undefined {
  return idProperty.exec(note)?.[1]
}

export function noteOfChat(chat: ImportedChat): SourceText {
  const { id, title, createdAt, messages } = chat
  const date = createdAt && localDate(createdAt)
  const heading = title.trim().replaceAll(/\s+/g, ' ') || 'Conversation'
  const path = `${date === undefined ? '' : `${date} `}${toFileName(heading, 'Conversation')}.md`
  const isNamed = /^[^"\n]+$/.test(id)
  const text = textOfNote({
    properties: isNamed ? [`chat: "${id}"`] : [],
    heading: `# ${heading}`,
    createdAt,
    parts: messages,
  })
  return { path, text, isChat: isNamed }
}

interface NoteParts {
  /** Lines of YAML. */
  readonly properties: readonly string[]
  readonly heading: string
  readonly createdAt: Date | undefined
  /** Paragraphs; empty ones are left out. */
  readonly parts: readonly string[]
}

export function textOfNote({ properties, heading, createdAt, parts }: NoteParts): string {
  const matter = properties.length === 0 ? '' : `---\n${properties.join('\n')}\n---\n\n`
  const date = createdAt === undefined ? '' : `*${localDate(createdAt)}*`
  return `${matter}${[heading, date, ...parts].filter(Boolean).join('\n\n')}\n`
}

/** Returns the property of a note's tags; none if there are no tags. */
export function tagsProperty(tags: readonly string[]): string[] {
  return tags.length === 0 ? [] : [`tags: [${tags.map((tag) => JSON.stringify(tag)).join(', ')}]`]
}

/** Prefix of the id of a note with all prompts of a day. They belong to several chats. */
export const dayId = 'day-'

const beforeMessage = /\n\n(?=\*\*(?:User|Assistant):\*\*)/

/**
 * Returns the note of a chat with the messages after the last one that the notes of earlier imports have; undefined if
 * there are none. Prompts of a day have no order, so that all other ones are new.
 */
export function withNewMessages(text: string, notes: string): string | undefined {
  const [head, ...messages] = text.trimEnd().split(beforeMessage)
  if (chatIdIn(text)?.startsWith(dayId)) {
    const known = notes.trimEnd().split(beforeMessage)
    const other = messages.filter((message) => !known.includes(message) || !known.splice(known.indexOf(message), 1))
    return other.length === 0 ? undefined : `${[head, ...other].join('\n\n')}\n`
  }
  let [from, first] = [0, 0]
  for (const [index, message] of messages.entries()) {
    const at = notes.indexOf(message, from)
    if (at < 0) continue
    from = at + message.length
    first = index + 1
  }
  const added = messages.slice(first)
  return added.length === 0 ? undefined : `${[head, ...added].join('\n\n')}\n`
}
