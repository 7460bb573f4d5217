/** What an agent is built from. */
import type { AppEvent } from '../../shared/contract/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { LearnedWindows } from '../agent/chat/context-window-estimates.ts'
import type { Differ } from '../platform/diff/differ.ts'
import type { VaultHabits } from '../workspace/conventions/vault-conventions.ts'
import type { Health } from '../platform/diagnostics/health.ts'
import type { Log } from '../platform/logging/log.ts'
import type { McpServers } from '../agent/mcp-client/mcp-servers.ts'
import type { ThreadEntries } from '../search/service/memory-threads.ts'
import type { Models } from '../llm/models.ts'
import type { AgentConfig } from '../platform/config/agent-config.ts'
import type { AgentSettings } from '../platform/config/config-schema.ts'
import type { KeyRing } from '../platform/config/key-ring.ts'
import type { AgentFolders } from './folders.ts'

/** What every agent of the app is given alike. */
export interface SharedOptions {
  readonly resources: string
  readonly differ: Differ
  readonly threads: ThreadEntries
  /** Where the history's thread starts from. */
  readonly historyEntry: URL
  readonly importEntry: URL
  readonly surveyEntry: URL
  readonly linksEntry: URL
  readonly commitsEntry: URL
  readonly findEntry: URL
  readonly lookEntry: URL
  readonly upkeepEntry: URL
  /** Of the thread that forgets. */
  readonly forgetEntry: URL
  readonly models: Models
  readonly windows: LearnedWindows
  readonly keys: KeyRing
  readonly mcp: McpServers
  readonly log: Log
  readonly health: Health
  readonly now: Clock
  readonly watch: boolean
  readonly publish: (event: AppEvent) => void
  /** Used instead of the configured one, for a single command. */
  readonly embeddingProvider: AgentSettings['memory']['embedding']['provider'] | undefined
}

export interface SharedMemory {
  readonly agent: string
  readonly workspace: string
  /** The folder of its own files. */
  readonly own: string
  /** What its own settings keep on this machine, whoever reads it. */
  readonly local: readonly string[]
}

export interface AgentOptions extends SharedOptions {
  readonly config: AgentConfig
  readonly workspace: string
  readonly folders: AgentFolders
  /** How the notes of the workspace are kept. */
  readonly habits: VaultHabits
  readonly modelsFolder: string
  /** Memories that other agents share with this one, looked up anew whenever they are needed. */
  readonly shared: () => readonly SharedMemory[]
  /** All agents' memories, this one's among them, and what their settings keep on this machine. */
  readonly memories: () => readonly Pick<SharedMemory, 'workspace' | 'local'>[]
  /** Folders that are not this agent's, looked up anew whenever they are needed. */
  readonly forbidden: () => readonly string[]
}
