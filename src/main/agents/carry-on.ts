/** What a crash had interrupted is ended at the next start, and told: a change of several files, an import. */
import { AppError } from '../../shared/errors.ts'
import { changeEnding } from '../../shared/problem-codes.ts'
import type { Finder } from '../find/index.ts'
import type { Importer } from '../import/index.ts'
import type { CarriedOn, Workspace } from '../workspace/index.ts'
import type { AgentOptions } from './agent-options.ts'

/** Notes that are named one by one. */
const maxFiles = 200

/** Before anybody looks at the files. */
export async function carryOn(
  { health, log, config }: Pick<AgentOptions, 'health' | 'log' | 'config'>,
  workspace: Workspace,
  importer: Importer,
  finder: Finder,
): Promise<void> {
  try {
    const ended = await workspace.carryOn(() => health.report(endingReport(config.id)))
    if (ended) health.report(reportOf(ended, config.id))
    if (ended?.replacement) finder.keepDone(ended.replacement, ended.texts)
    await importer.carryOn()
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'folder_gone')) log.fault(error, `change of agent ${config.id}`)
  } finally {
    health.clear('app', changeEnding, config.id)
  }
}

/** While it is being ended: until then no file can be listed. */
function endingReport(agent: string) {
  return { part: 'app', code: changeEnding, level: 'note', message: '', agent } as const
}

function reportOf({ isDone, move, replacement, written, left }: CarriedOn, agent: string) {
  const { from, to } = move ?? { from: replacement?.text ?? 'tags', to: replacement?.replacement }
  const of = to === undefined ? from : `${from} → ${to}`
  return {
    part: 'app',
    code: !isDone ? 'change_not_done' : left.length > 0 ? 'change_left' : 'change_ended',
    level: left.length > 0 ? 'warning' : 'note',
    message: [
      of,
      `${written} notes written now`,
      ...(left.length > 0 ? [`changed since, left as they are: ${left.length}`] : []),
    ].join('; '),
    agent,
    ...(left.length > 0 ? { files: left.slice(0, maxFiles) } : {}),
  } as const
}
