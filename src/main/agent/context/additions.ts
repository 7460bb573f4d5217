/** Text that the app adds to a user message: changes of the loaded files, and notes that it found. */
import type { Message } from '#shared/chat/messages.ts'
import { escapeTag } from './fit-text.ts'

/** Returns the text that requests contain after the text of a message; '' if there is none. */
export function additionsOf(message: Message): string {
  return [changesText(message), recalledText(message)].filter((text) => text !== '').join('\n\n')
}

export function changesText(message: Message): string {
  const changes = message.role === 'user' ? (message.changes ?? []) : []
  if (changes.length === 0) return ''
  const sections = changes.map(({ path, added, removed }) =>
    [`${path}:`, ...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].join('\n'),
  )
  return `<changes>\n${escapeTag(sections.join('\n'), 'changes')}\n</changes>`
}

export function recalledText(message: Message): string {
  const notes = message.role === 'user' ? message.recalled?.text : undefined
  return notes === undefined ? '' : `<memory>\n${escapeTag(notes, 'memory')}\n</memory>`
}

/** Moves the additions of a message into its text. */
export function withAdditions(message: Message): Message {
  const text = additionsOf(message)
  if (message.role !== 'user' || text === '') return message
  const { changes: _changes, recalled: _recalled, content, ...fields } = message
  return typeof content === 'string'
    ? { ...fields, content: `${content}\n\n${text}` }
    : { ...fields, content: [...content, { type: 'text', text }] }
}
