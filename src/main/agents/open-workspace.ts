/** An agent's files: to work with while the agent is open, or only to write into. */
import { Journal } from '../history/index.ts'
import { Workspace, type Roots } from '../workspace/index.ts'
import type { AgentOptions } from './agent-options.ts'
import { readableFolders } from './memory-source.ts'

/** Whose folders are whose, looked up anew each time. */
export function rootsOf(options: AgentOptions): Roots {
  return {
    workspace: options.workspace,
    get forbidden() {
      return options.forbidden()
    },
    readable: () => readableFolders(options),
  }
}

/** @param keptText a text that the history has, by Git's id of it */
export function openWorkspace(
  { config, health, differ }: AgentOptions,
  roots: Roots,
  keptText?: (blob: string) => Promise<string | undefined>,
): Workspace {
  return new Workspace(roots, {
    differ,
    keptText,
    onUnlocked: (error) =>
      health.report({
        part: 'locks',
        code: 'workspace_unlocked',
        message: error instanceof Error ? error.message : String(error),
        agent: config.id,
        path: roots.workspace,
      }),
  })
}

/** A workspace without the rest of its agent. */
export interface Writer {
  readonly workspace: Workspace
  close(): Promise<void>
}

/** An agent's workspace to write into without opening the agent: whoever has it open sees and records what changed. */
export function openWriter(options: AgentOptions): Writer {
  const workspace = openWorkspace(options, rootsOf(options))
  const journal = noteWrites(options, workspace)
  return {
    workspace,
    async close() {
      await journal?.close()
      workspace.close()
    },
  }
}

/** Notes what is written, for whoever records it later. */
export function noteWrites({ config, folders, log }: AgentOptions, workspace: Workspace): Journal | undefined {
  if (!config.current.history.enabled) return undefined
  const journal = new Journal(folders.history, (error) => log.fault(error, `history of agent ${config.id}`))
  workspace.changes.subscribe((write) => journal.add(write))
  return journal
}
