/** What an agent gives its conversations to work with. */
import type { WhatIfWindow } from '../../shared/contract/index.ts'
import type { Assembly, Budget, KeepingState } from '../context/index.ts'
import type { McpServers } from '../mcp/index.ts'
import type { Memory } from '../memory/index.ts'
import type { ChatModel } from '../models/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AgentSettings } from '../settings/index.ts'
import type { Workspace } from '../workspace/index.ts'
import type { MessageQueue } from './queue.ts'
import type { Prompts } from './keeping/prompts.ts'
import type { Tool } from './tools/index.ts'

export interface ChatOptions {
  readonly agent: string
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly mcp: McpServers
  readonly queue: MessageQueue
  readonly settings: () => AgentSettings
  readonly prompts: () => Promise<Prompts>
  /** @throws AppError when the model's provider is not set up */
  readonly createModel: (id: string | undefined) => ChatModel
  readonly setModel: (model: string) => Promise<void>
  readonly budget: (model: ChatModel) => Budget
  readonly assemble: (
    model: ChatModel,
    state: KeepingState,
    sessionStart: number,
    tools: readonly Tool[],
    /** As if something were otherwise. */
    change?: WhatIfWindow,
  ) => Promise<Assembly>
  readonly now: () => Date
  readonly onSessionChanged: (session: string) => void
  readonly onContextChanged: (session: string) => void
  /** @param ms how long it took */
  readonly onTurnEnded: (session: string, reason: 'done' | 'aborted' | 'error', ms: number) => void
  /** Logs what is no expected failure. @returns the log reference that the user is shown */
  readonly onFault: (error: unknown) => string
}
