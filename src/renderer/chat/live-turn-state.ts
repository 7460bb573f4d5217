/** What a running turn looks like, event by event. Pure. */
import type { ChatEvent } from '../../shared/contract/index.ts'

export interface LiveTurn {
  readonly running: boolean
  readonly text: string
  readonly thinking: string
  readonly keeping?: 'flush' | 'compaction'
}

export const idle: LiveTurn = { running: false, text: '', thinking: '' }

export function advance(turn: LiveTurn, event: ChatEvent): LiveTurn {
  switch (event.type) {
    case 'partial':
      return { running: event.running, text: event.text, thinking: event.thinking }
    case 'text':
      return { running: true, text: turn.text + event.delta, thinking: turn.thinking }
    case 'thinking':
      return { running: true, text: turn.text, thinking: turn.thinking + event.delta }
    case 'message':
      // What was streaming is now a message of its own.
      return event.message.role === 'toolResult' ? turn : { running: true, text: '', thinking: '' }
    case 'keeping':
      return { ...turn, running: true, keeping: event.what }
    case 'turnEnd':
      return idle
  }
}
