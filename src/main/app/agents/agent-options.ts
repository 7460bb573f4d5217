import type { AppEvent } from '#shared/contract/index.ts'
import type { Clock, Differ, Health, Log, AgentConfig, AgentSettings, KeyRing } from '#platform'
import type { LearnedWindows, ToolLimits } from '#agent'
import type { VaultHabits } from '#workspace'
import type { McpServers } from '#agent/mcp-client'
import type { ThreadEntries } from '#search'
import type { Models } from '#llm'
import type { AgentFolders } from './state-folders.ts'

export interface SharedOptions {
  readonly resources: string
  readonly differ: Differ
  readonly threads: ThreadEntries
  readonly historyEntry: URL
  readonly importEntry: URL
  readonly linksEntry: URL
  readonly findEntry: URL
  readonly lookEntry: URL
  readonly upkeepEntry: URL
  readonly forgetEntry: URL
  readonly models: Models
  readonly windows: LearnedWindows
  readonly keys: KeyRing
  readonly mcp: McpServers
  readonly toolLimits: ToolLimits
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
  readonly own: string
  /** What its own settings keep on this machine, whoever reads it. */
  readonly local: readonly string[]
}

export interface AgentOptions extends SharedOptions {
  readonly config: AgentConfig
  readonly workspace: string
  readonly folders: AgentFolders
  readonly habits: VaultHabits
  readonly modelsFolder: string
  /** Memories that other agents share with this one, looked up anew whenever they are needed. */
  readonly shared: () => readonly SharedMemory[]
  /** All agents' memories, this one's among them, and what their settings keep on this machine. */
  readonly memories: () => readonly Pick<SharedMemory, 'workspace' | 'local'>[]
  /** Folders that are not this agent's, looked up anew whenever they are needed. */
  readonly forbidden: () => readonly string[]
}
