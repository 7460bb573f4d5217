/** What an agent's conversations work with. */
import type { McpServers } from '../mcp-client/mcp-servers.ts'
import type { Clock, AgentConfig } from '#platform'
import type { Memory } from '#search'
import type { Look, Models } from '#llm'
import type { Sessions } from '../sessions/sessions.ts'
import type { Workspace } from '#workspace'
import type { ProposedChange } from '../tools/access-policy.ts'
import type { LearnedWindows } from './context-window-estimates.ts'
import type { MessageQueue } from './message-queue.ts'

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
