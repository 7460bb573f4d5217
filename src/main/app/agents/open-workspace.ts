import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Evidence } from '#shared/contract/index.ts'
import type { SavedLines } from '#curation'
import { HistoryController, type History, hashText, Workspace, type Roots, type PrivatePathRules } from '#workspace'
import type { AgentOptions } from './agent-options.ts'
import { compareNote } from './agent-suggestions.ts'
import { layoutOfConventions, readableFolders, privateRulesOf } from './memory-source.ts'
import { workerEntry } from '#platform'
import { findRule, rulesForMove } from '#workspace/privacy'

/** Returns the folders that the agent may read or must avoid. Reads the current settings at each access. */
export function rootsOf(options: AgentOptions): Roots {
  return {
    workspace: options.workspace,
    get forbidden() {
      return options.forbiddenFolders()
    },
    readable: () => readableFolders(options),
  }
}

/** @param history returns undefined while nothing is recorded */
export function openWorkspace(options: AgentOptions, roots: Roots, history?: () => History | undefined): Workspace {
  const { config, conventions, health, differ, now, folders } = options
  return new Workspace(roots, {
    differ,
    history,
    now,
    journal: folders.pendingChange,
    known: folders.known,
    local: privatePathRules(options),
    layout: () => layoutOfConventions(conventions),
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

export interface WorkspaceWriter {
  readonly workspace: Workspace
  /** Returns the line that a saved note repeats or replaces. */
  compare(saved: SavedLines): Promise<Evidence | undefined>
  close(): Promise<void>
}

/** Opens a workspace for writing without opening the agent. The process that has the agent open records the changes. */
export function openWriter(options: AgentOptions): WorkspaceWriter {
  const roots = rootsOf(options)
  const workspace = openWorkspace(options, roots)
  const recording = openRecording({ ...options, watch: false }, roots)
  workspace.changes.subscribe((write) => recording.record(write))
  return {
    workspace,
    compare: (saved) => compareNote(options, workspace, saved),
    async close() {
      await recording.close()
      workspace.close()
    },
  }
}

/** Records files (workspace-relative) as created from templates, so that they do not count as the user's work. */
export async function recordTemplates(options: AgentOptions, names: readonly string[]): Promise<void> {
  const recording = openRecording({ ...options, watch: false }, rootsOf(options))
  const workspace = openWorkspace(options, rootsOf(options))
  const origin = { cause: 'template' } as const
  for (const path of names) {
    const after = await readFile(join(options.workspace, path), 'utf8')
    await recording.record({ path, origin, hash: hashText(after), before: null, after, at: options.now().getTime() })
  }
  await workspace.known?.accept(names)
  workspace.close()
  await recording.close()
}

/** With `watch`, records changes; without, queues them for the next process that stays open. */
export function openRecording(
  { config, folders, mainFolder, now, watch, log }: AgentOptions,
  roots: Roots,
): HistoryController {
  return new HistoryController({
    settings: () => config.current.history,
    isLongRunning: watch,
    entry: workerEntry(mainFolder, 'workspace/history/history.worker'),
    folder: folders.history,
    roots,
    now,
    onFault: (error) => log.fault(error, `history of agent ${config.id}`),
  })
}

function privatePathRules(options: AgentOptions): PrivatePathRules {
  const { config } = options
  return {
    covers: (path) => findRule(path, privateRulesOf(options)) !== undefined,
    async addMoved(move, isFolder) {
      const rules = config.current.visibility.private
      const added = rulesForMove(privateRulesOf(options), move, isFolder)
      if (added.length === 0) return async () => undefined
      await config.setPrivate([...rules, ...added])
      return () => config.setPrivate(rules)
    },
  }
}
