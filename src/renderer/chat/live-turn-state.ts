/** What a running turn looks like, event by event. Pure. */
import type { ChatEvent } from '../../shared/contract/index.ts'
import type { ToolCallPart } from '../../shared/messages.ts'

export interface LiveTurn {
  readonly running: boolean
  readonly text: string
  readonly thinking: string
  readonly calls: readonly Omit<ToolCallPart, 'type'>[]
}

export const idle: LiveTurn = { running: false, text: '', thinking: '', calls: [] }

export function advance(turn: LiveTurn, event: ChatEvent): LiveTurn {
  switch (event.type) {
    case 'partial':
      return { running: event.running, text: event.text, thinking: event.thinking, calls: [] }
    case 'text':
      return { ...turn, running: true, text: turn.text + event.delta }
    case 'thinking':
      return { ...turn, running: true, thinking: turn.thinking + event.delta }
    case 'toolStart':
      return { ...turn, calls: [...turn.calls, { id: event.callId, name: event.name, arguments: event.arguments }] }
    case 'message':
      // What was streaming is now a message of its own.
      return event.message.role === 'toolResult' ? turn : { running: true, text: '', thinking: '', calls: [] }
    case 'turnEnd':
      return idle
  }
}
