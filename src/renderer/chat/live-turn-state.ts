/** What a running turn looks like, event by event. Pure. */
import type { ChatEvent } from '../../shared/contract/index.ts'

export interface LiveTurn {
  readonly running: boolean
  readonly text: string
  readonly thinking: string
}

export const idle: LiveTurn = { running: false, text: '', thinking: '' }

export function advance(turn: LiveTurn, event: ChatEvent): LiveTurn {
  switch (event.type) {
    case 'partial':
      return { running: event.running, text: event.text, thinking: event.thinking }
    case 'text':
      return { ...turn, running: true, text: turn.text + event.delta }
    case 'thinking':
      return { ...turn, running: true, thinking: turn.thinking + event.delta }
    case 'message':
      // What was streaming is now a message of its own.
      return event.message.role === 'toolResult' ? turn : { running: true, text: '', thinking: '' }
    case 'turnEnd':
      return idle
  }
}
