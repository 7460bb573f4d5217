import { randomUUID } from 'node:crypto'
import type { RecoveredChange } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { recoveryProblemCodes } from '#shared/util/problem-codes.ts'
import { batchKind, batchNames, type Batches, type BatchKind, type RecoveryResult, type Workspace } from '#workspace'
import type { Importer } from '#interop'
import type { AgentOptions } from './agent-options.ts'

const maxFiles = 200

interface RecoveryServices {
  readonly workspace: Workspace
  readonly importer: Importer
  readonly batches: Batches
}

/**
 * Completes or undoes a change that a crash interrupted. Call it before anything reads the files.
 * @returns the completed change for the interface; undefined if there is none or the recovery failed (logged)
 */
export async function recoverInterruptedChange(
  { health, log, config }: Pick<AgentOptions, 'health' | 'log' | 'config'>,
  { workspace, importer, batches }: RecoveryServices,
): Promise<RecoveredChange | undefined> {
  try {
    const recovered = await workspace.recover((kind) => health.report(runningReport(kind, config.id)))
    const kind = recovered && batchKind(recovered.batch)
    if (kind) health.report(resultReport(recovered, config.id))
    const completedChange = kind && recovered.isDone ? await toRecoveredChange(recovered, kind, batches) : undefined
    await importer.recover()
    return completedChange
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'folder_gone'))
      log.fault(error, `recovering a change of agent ${config.id}`)
    return undefined
  } finally {
    for (const code of Object.values(recoveryProblemCodes)) health.clear('app', code, config.id)
  }
}

async function toRecoveredChange(
  { batch, texts, skipped, made }: RecoveryResult,
  kind: BatchKind,
  batches: Batches,
): Promise<RecoveredChange> {
  const isChanged = kind === 'move' || texts.length > 0
  const undo = isChanged ? await batches.storeUndo(batch, texts, made) : null
  return { id: randomUUID(), kind, ...batchNames(batch), notes: texts.length, left: skipped.length, undo }
}

function runningReport(kind: BatchKind, agent: string) {
  return { part: 'app', code: recoveryProblemCodes[kind], level: 'note', message: '', agent } as const
}

function resultReport({ batch, isDone, written, skipped }: RecoveryResult, agent: string) {
  const { from, to } = batchNames(batch)
  return {
    part: 'app',
    code: !isDone ? 'change_not_done' : skipped.length > 0 ? 'change_left' : 'change_ended',
    level: skipped.length > 0 ? 'warning' : 'note',
    message: [
      `${from} → ${to}`,
      `${written} notes written after the restart`,
      ...(skipped.length > 0 ? [`${skipped.length} notes skipped because they changed since the crash`] : []),
    ].join('; '),
    agent,
    ...(skipped.length > 0 ? { files: skipped.slice(0, maxFiles) } : {}),
  } as const
}
