/** What an agent's conversations work with. */
import type { McpServers } from '../mcp/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Memory } from '../search/service/memory.ts'
import type { Look } from '../llm/middleware/privacy-filter.ts'
import type { Models } from '../llm/models.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AgentConfig } from '../platform/config/agent-config.ts'
import type { Workspace } from '../workspace/files/workspace.ts'
import type { ProposedChange } from './eyes.ts'
import type { LearnedWindows } from './learned-windows.ts'
import type { MessageQueue } from './queue.ts'

export interface ChatOptions {
  readonly config: AgentConfig
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly models: Models
  /** What of the memory stays on this machine, as it is now. */
  readonly look: Look
  /** Has a person decide on a change that words of others went into (M63). @param model that asks for it */
  readonly propose: (change: ProposedChange, model: string) => Promise<void>
  readonly windows: LearnedWindows
  readonly mcp: McpServers
  readonly queue: MessageQueue
  /** Where prompts and templates lie. */
  readonly resources: string
  readonly now: Clock
  /** Logs what is no expected failure. @returns the log reference that the user is shown */
  readonly onFault: (error: unknown) => string
}
