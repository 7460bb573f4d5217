import type { Models } from '#llm'
import type { Clock, AgentConfig, OpenQuestions } from '#platform'
import type { Memory } from '#search'
import type { Workspace } from '#workspace'
import type { PrivacyMarks, PrivacyOfFiles } from '#workspace/privacy'
import type { McpServers } from '../mcp-client/mcp-servers.ts'
import type { ChatPrivacy } from '../privacy/chat-privacy.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { ProposedChange } from '../tools/access-policy.ts'
import type { PermissionDecision, PermissionQuestion, ToolLimits } from '../tools/tool.ts'
import type { DeferredNotes } from '../compaction/deferred-notes.ts'
import type { AgentModels } from './agent-models.ts'
import type { ContextMeter } from './context-meter.ts'
import type { ContextWindowEstimates } from './context-window-estimates.ts'
import type { LiveTurns } from './live-turns.ts'
import type { MessageQueue } from './message-queue.ts'

export interface ChatOptions {
  readonly config: AgentConfig
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly models: Models
  readonly marks: () => PrivacyMarks
  readonly privacyOf: PrivacyOfFiles
  readonly privacy: ChatPrivacy
  /** Asks the user to accept a change that contains text from other sources. @param model id of the proposing model */
  readonly propose: (change: ProposedChange, model: string) => Promise<void>
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

export interface ChatServices extends ChatOptions {
  readonly agentModels: AgentModels
  readonly meter: ContextMeter
  readonly turns: LiveTurns
  readonly deferredNotes: DeferredNotes
  readonly permissions: OpenQuestions<SessionPermission, PermissionDecision>
}

export type SessionPermission = PermissionQuestion & { readonly session: string }
