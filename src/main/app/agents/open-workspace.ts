/** An agent's files: to work with while the agent is open, or only to write into. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Recording, type History, hashText, Workspace, type Roots } from '#workspace'
import type { AgentOptions } from './agent-options.ts'
import { localRules } from './local-rules.ts'
import { layoutOfHabits, readableFolders } from './memory-source.ts'

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

/** @param history undefined while nothing is recorded */
export function openWorkspace(options: AgentOptions, roots: Roots, history?: () => History | undefined): Workspace {
  const { config, habits, health, differ, now, folders } = options
  return new Workspace(roots, {
    differ,
    history,
    now,
    journal: folders.pendingChange,
    local: localRules(options),
    layout: () => layoutOfHabits(habits),
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
  const roots = rootsOf(options)
  const workspace = openWorkspace(options, roots)
  const recording = openRecording({ ...options, watch: false }, roots)
  workspace.changes.subscribe((write) => recording.record(write))
  return {
    workspace,
    async close() {
      await recording.close()
      workspace.close()
    },
  }
}

/** Notes what the app itself has put into a folder: nobody else is taken for its author. @param names in the workspace */
export async function noteTemplates(options: AgentOptions, names: readonly string[]): Promise<void> {
  const recording = openRecording({ ...options, watch: false }, rootsOf(options))
  const origin = { cause: 'template' } as const
  for (const path of names) {
    const after = await readFile(join(options.workspace, path), 'utf8')
    await recording.record({ path, origin, hash: hashText(after), before: null, after, at: options.now().getTime() })
  }
  await recording.close()
}

/** Whoever stays records; a single command only notes what it wrote. */
export function openRecording(
  { config, folders, historyEntry, now, watch, log }: AgentOptions,
  roots: Roots,
): Recording {
  return new Recording({
    settings: () => config.current.history,
    stays: watch,
    entry: historyEntry,
    folder: folders.history,
    roots,
    now,
    onFault: (error) => log.fault(error, `history of agent ${config.id}`),
  })
}
