import type { Models } from '#llm'
import type { Clock, AgentConfig } from '#platform'
import type { Memory } from '#search'
import type { Workspace } from '#workspace'
import type { McpServers } from '../mcp-client/mcp-servers.ts'
import type { ChatPrivacy } from '../privacy/chat-privacy.ts'
import type { Reader, VisibleMemory } from '../privacy/visible-memory.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SuggestedChange, ToolLimits } from '../tools/tool.ts'
import type { ContextWindowEstimates } from '../context/context-window-estimates.ts'
import type { MessageQueue } from './message-queue.ts'

export interface ChatOptions {
  readonly config: AgentConfig
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly models: Models
  readonly visibleTo: (reader: Reader) => VisibleMemory
  readonly privacy: ChatPrivacy
  /** Asks the user to accept a change that contains text from other sources. @param model id of the proposing model */
  readonly propose: (change: SuggestedChange, model: string) => Promise<void>
  readonly windowEstimates: ContextWindowEstimates
  readonly mcp: McpServers
  readonly toolLimits: ToolLimits
  readonly queue: MessageQueue
  readonly resources: string
  /** Absolute path of the state of `SessionService`. */
  readonly endingsFile: string
  readonly now: Clock
  /** Logs an unexpected error. @returns the log reference shown to the user */
  readonly onFault: (error: unknown) => string
}
