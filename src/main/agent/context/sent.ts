/** A kept request as it is read again: its layers, and the conversation in it. Pure. */
import type { Message } from '#shared/chat/messages.ts'
import { messageTextForModel } from './message-tokens.ts'

/** What of a kept request is read; the rest of it is about the answer. */
export interface SentRequest {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly unknown[]
}

const fenced = /<summary>\n([\s\S]*)\n<\/summary>$/

/** The summary that stands for what came before, if any, and what was said. */
export function spokenIn({ messages }: Pick<SentRequest, 'messages'>): {
  readonly summary: string | undefined
  readonly spoken: readonly Message[]
} {
  const first = messages[0]
  const found = first?.role === 'user' ? fenced.exec(messageTextForModel(first)) : null
  return found ? { summary: found[1] ?? '', spoken: messages.slice(1) } : { summary: undefined, spoken: messages }
}
