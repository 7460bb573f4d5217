import { createContext, useContext } from 'react'
import type { Agent } from '#shared/contract/index.ts'

export interface ChatActions {
  readonly agent: Agent
  edit(message: string | undefined): void
  sendEdited(message: string, text: string): Promise<boolean>
  retry(message: string, model?: string): void
  resume(): void
  retryNow(): void
  branch(message: string): void
  deleteFrom(message: string): void
  remember(text: string): void
  switchTo(message: string): void
  select(turn: string): void
}

export const ChatActionsContext = createContext<ChatActions | undefined>(undefined)

export function useChatActions(): ChatActions {
  const actions = useContext(ChatActionsContext)
  if (!actions) throw new Error('useChatActions must be used inside ChatActionsContext')
  return actions
}
