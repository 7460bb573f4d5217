/** A conversation as the list shows it: its name or first words, how long it is, and whether it is pinned. Pure. */
import type { SessionSummary } from '#shared/contract/index.ts'
import { isRecord } from '#shared/util/json.ts'
import { messageText } from '#shared/chat/messages.ts'
import type { Transcript } from './transcript.ts'

const titleCharacters = 60
/** The entry type under which a pin is kept in the transcript. */
export const pinEntry = 'commonplace.pin'

export function summarize(id: string, transcript: Transcript, modifiedAt: number): SessionSummary {
  const messages = transcript.messages()
  const { name } = transcript
  const pin = transcript.lastCustomAnywhere(pinEntry)
  return {
    id,
    title: name || firstWords(messages.find(({ message }) => message.role === 'user')?.message),
    createdAt: transcript.header.createdAt,
    updatedAt: messages.at(-1)?.message.timestamp ?? modifiedAt,
    messages: messages.filter(({ message }) => message.role !== 'toolResult').length,
    pinned: isRecord(pin) && pin['pinned'] === true,
    named: name !== undefined && name !== '',
    isWithoutMemory: transcript.isWithoutMemory,
  }
}

function firstWords(message: Parameters<typeof messageText>[0] | undefined): string {
  const text = message ? messageText(message).trim() : ''
  const line = text.split('\n').find((line) => line !== '' && !line.startsWith('<file ')) ?? ''
  const letters = [...line.replaceAll(/[*_`#]+/g, (marks) => (/^_$/.test(marks) ? marks : '')).trim()]
  return letters.length > titleCharacters
    ? `${letters.slice(0, titleCharacters).join('').trimEnd()}…`
    : letters.join('')
}
