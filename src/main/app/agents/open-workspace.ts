import type { RecoveredChange } from '#shared/contract/index.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { ChangeLog, Workspace, type Roots, describeBatch } from '#workspace'
import type { AgentOptions } from './agent-options.ts'
import { compareNote } from './agent-suggestions.ts'
import { changeLogFile } from './state-folders.ts'
import { layoutOfConventions, readableFolders, privateRulesOf } from './memory-source.ts'
import { datedNote } from '#search/text'
import { findRule, marksBy, rulesForMove } from '#workspace/privacy'
import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import type { Importer } from '#interop'

export function rootsOf(options: AgentOptions): Roots {
  return {
    workspace: options.workspace,
    get forbidden() {
      return options.forbiddenFolders()
    },
    readable: () => readableFolders(options),
  }
}

export function openWorkspace(options: AgentOptions, roots: Roots, log: ChangeLog): Workspace {
  const { config, conventions, health, differ, now, folders } = options
  return new Workspace(roots, {
    differ,
    log,
    now,
    known: folders.known,
    local: {
      covers: (path) => findRule(path, privateRulesOf(options)) !== undefined,
      async addMoved(move, isFolder) {
        const rules = config.current.visibility.private
        const added = rulesForMove(privateRulesOf(options), move, isFolder)
        if (added.length === 0) return async () => undefined
        await config.set(['visibility', 'private'], [...rules, ...added])
        return () => config.set(['visibility', 'private'], rules)
      },
    },
    privacyOf: (path, text) => marksBy([{ prefix: '', privateRules: privateRulesOf(options) }]).of(path, text),
    layout: () => layoutOfConventions(conventions),
    dated: datedNote,
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

/** Does not open the agent. */
export function openWriter(options: AgentOptions) {
  const roots = rootsOf(options)
  const log = new ChangeLog(changeLogFile(options.folders.history, options.workspace), options.workspace)
  const workspace = openWorkspace(options, roots, log)
  return {
    workspace,
    log,
    compare: (saved: LinesOfFile) => compareNote(options, workspace, saved),
    close() {
      workspace.close()
      log.close()
    },
  }
}

/** Records files (workspace-relative) as created from templates, so that they do not count as the user's work. */
export async function recordTemplates(options: AgentOptions, names: readonly string[]): Promise<void> {
  const { workspace, log, close } = openWriter(options)
  const files = await Array.fromAsync(names, async (path) => {
    return { path, before: null, after: (await workspace.read(path)).text }
  })
  log.done(await log.begin({ origin: { cause: 'template' }, at: options.now().getTime(), files }))
  await workspace.known?.accept(names)
  close()
}

const maxFiles = 200
const changeProblems = ['change_ended', 'change_left', 'change_not_done'] as const

export function clearChangeProblems({ health, config }: Pick<AgentOptions, 'health' | 'config'>): void {
  for (const code of changeProblems) health.clear('app', code, config.id)
}

/**
 * Completes or undoes changes that a crash interrupted. Call it before anything reads the files. Clears earlier
 * reports: a permanent deletion reopens the agent, and they can contain the deleted text.
 * @returns the last completed batch for the interface; undefined if there is none or the recovery failed (logged)
 */
export async function recoverInterruptedChanges(
  options: Pick<AgentOptions, 'health' | 'log' | 'config'>,
  { workspace, importer }: { readonly workspace: Workspace; readonly importer: Importer },
): Promise<RecoveredChange | undefined> {
  const { health, log } = options
  const agent = options.config.id
  clearChangeProblems(options)
  try {
    const results = await workspace.recover((batch) => {
      const kind = describeBatch(batch)?.kind
      if (kind) health.report({ part: 'app', code: `${kind}_ending`, level: 'note', message: '', agent })
    })
    importer.recover(results)
    let recovered: RecoveredChange | undefined
    for (const { change, batch, isDone, notes, skipped } of results) {
      const described = describeBatch(batch)
      if (!described) continue
      const left = skipped.length
      health.report({
        part: 'app',
        code: !isDone ? 'change_not_done' : left > 0 ? 'change_left' : 'change_ended',
        level: left > 0 ? 'warning' : 'note',
        message: `${described.from} → ${described.to}`,
        agent,
        ...(left > 0 ? { files: skipped.slice(0, maxFiles) } : {}),
      })
      if (isDone) recovered = { id: randomUUID(), ...described, notes: notes - left, left, change: change.id }
    }
    return recovered
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'folder_gone'))
      log.fault(error, `recovering a change of agent ${agent}`)
    return undefined
  } finally {
    for (const kind of ['move', 'tag', 'replacement']) health.clear('app', `${kind}_ending`, agent)
  }
}
