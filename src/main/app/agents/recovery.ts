import { randomUUID } from 'node:crypto'
import type { RecoveredChange } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { batchKind, batchNames, type Workspace } from '#workspace'
import type { Importer } from '#interop'
import type { AgentOptions } from './agent-options.ts'

const maxFiles = 200

/**
 * Completes or undoes changes that a crash interrupted. Call it before anything reads the files.
 * @returns the last completed batch for the interface; undefined if there is none or the recovery failed (logged)
 */
export async function recoverInterruptedChanges(
  { health, log, config: { id: agent } }: Pick<AgentOptions, 'health' | 'log' | 'config'>,
  { workspace, importer }: { readonly workspace: Workspace; readonly importer: Importer },
): Promise<RecoveredChange | undefined> {
  try {
    const results = await workspace.recover((batch) => {
      const kind = batchKind(batch)
      if (kind) health.report({ part: 'app', code: `${kind}_ending`, level: 'note', message: '', agent })
    })
    importer.recover(results)
    let recovered: RecoveredChange | undefined
    for (const { change, batch, isDone, notes, written, skipped } of results) {
      const kind = batchKind(batch)
      if (!kind) continue
      const names = batchNames(batch)
      const left = skipped.length
      health.report({
        part: 'app',
        code: !isDone ? 'change_not_done' : left > 0 ? 'change_left' : 'change_ended',
        level: left > 0 ? 'warning' : 'note',
        message: `${names.from} → ${names.to}; ${written} notes written after the restart`,
        agent,
        ...(left > 0 ? { files: skipped.slice(0, maxFiles) } : {}),
      })
      if (isDone) recovered = { id: randomUUID(), kind, ...names, notes: notes - left, left, change: change.id }
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
