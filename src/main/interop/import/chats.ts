/** Chats of an export as notes. Each note has the id that the service gave the chat. */
import type { ImportPlan } from '#shared/contract/index.ts'
import { localDate, toFileName } from '#workspace'

export interface SourceText {
  /** Relative, with forward slashes. Several chats can have the same path. */
  readonly path: string
  readonly text: string
  /** Set for a chat whose service gave it an id. */
  readonly chat?: ImportedChat
}

export interface ImportedChat {
  readonly id: string
  readonly title: string
  readonly createdAt: Date | undefined
  /** Such as `**User:** Hello`. */
  readonly messages: readonly string[]
}

/** Why a part of a chat is left out, or `chat` for a chat as a whole. */
export type OmittedPart = ImportPlan['leftParts'][number]['reason']

/** Counts what a reader leaves out. */
export type CountOmitted = (reason: OmittedPart, count?: number) => void

export class OmittedCounts {
  readonly #counts = new Map<OmittedPart, number>()

  readonly count: CountOmitted = (reason, number = 1) => {
    if (number > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + number)
  }

  list(): ImportPlan['leftParts'] {
    return [...this.#counts].map(([reason, count]) => ({ reason, count }))
  }
}

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
  const lines = [`# ${heading}`, ...(date === undefined ? [] : [`*${date}*`]), ...messages]
  const text = `${isNamed ? `---\nchat: "${id}"\n---\n\n` : ''}${lines.join('\n\n')}\n`
  return { path, text, ...(isNamed && { chat }) }
}

/** Returns the messages of a chat after the last one that the notes of an earlier import have. */
export function messagesAfter(messages: readonly string[], notes: string): readonly string[] {
  let [from, first] = [0, 0]
  for (const [index, message] of messages.entries()) {
    const at = notes.indexOf(message, from)
    if (at < 0) continue
    from = at + message.length
    first = index + 1
  }
  return messages.slice(first)
}
