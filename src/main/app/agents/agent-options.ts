import type { AppEvent } from '#shared/contract/index.ts'
import type { Clock, Differ, Log, AgentConfig, KeyRing } from '#platform'
import type { Health } from '../diagnostics/health.ts'
import type { ContextWindowEstimates, ToolLimits } from '#agent'
import type { Conventions, Layout } from '#workspace'
import type { McpServers } from '#agent/mcp-client'
import type { Models } from '#llm'
import type { AgentFolders } from './state-folders.ts'

export interface SharedOptions {
  readonly resources: string
  readonly differ: Differ
  readonly mainFolder: URL
  readonly models: Models
  readonly windowEstimates: ContextWindowEstimates
  readonly keys: KeyRing
  readonly mcp: McpServers
  readonly toolLimits: ToolLimits
  readonly log: Log
  readonly health: Health
  readonly now: Clock
  readonly watch: boolean
  readonly publish: (event: AppEvent) => void
}

export interface SharedMemory {
  readonly agent: string
  readonly workspace: string
  readonly layout: Layout
  readonly privateRules: readonly string[]
}

export interface AgentOptions extends SharedOptions {
  readonly config: AgentConfig
  readonly workspace: string
  readonly folders: AgentFolders
  readonly conventions: Conventions
  readonly modelsFolder: string
  readonly outboundFile: string
  /** The functions read the current settings at each call. */
  readonly sharedMemories: () => readonly SharedMemory[]
  readonly allMemories: () => readonly Pick<SharedMemory, 'workspace' | 'privateRules'>[]
  /** Absolute paths of folders of other agents. */
  readonly forbiddenFolders: () => readonly string[]
}

export function reportDamaged({ health, config }: AgentOptions, newPath: string): void {
  health.report({
    part: 'app',
    code: 'file_damaged',
    level: 'note',
    message: `a stored file could not be read; it was moved to ${newPath}`,
    agent: config.id,
    path: newPath,
  })
}
