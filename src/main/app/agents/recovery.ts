import { randomUUID } from 'node:crypto'
import type { EndedChange } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { changesEnding } from '#shared/util/problem-codes.ts'
import type { Finder, Links, CarriedOn, ChangeKind, Workspace } from '#workspace'
import type { Importer } from '#interop'
import type { AgentOptions } from './agent-options.ts'

/** Notes that are named one by one. */
const maxFiles = 200

interface Parts {
  readonly workspace: Workspace
  readonly importer: Importer
  readonly finder: Finder
  readonly links: Links
}

/** Before anybody looks at the files. @returns what was completed, for whoever opens a window */
export async function carryOn(
  { health, log, config }: Pick<AgentOptions, 'health' | 'log' | 'config'>,
  { workspace, importer, finder, links }: Parts,
): Promise<EndedChange | undefined> {
  try {
    const ended = await workspace.carryOn((kind) => health.report(endingReport(kind, config.id)))
    if (ended) health.report(reportOf(ended, config.id))
    const told = ended?.isDone ? endedChange(ended, await keepDone(ended, finder, links)) : undefined
    await importer.carryOn()
    return told
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'folder_gone')) log.fault(error, `change of agent ${config.id}`)
    return undefined
  } finally {
    for (const code of Object.values(changesEnding)) health.clear('app', code, config.id)
  }
}

/** @returns by what it can be taken back; undefined for what was left by all, and for a tag that the journal did not name */
async function keepDone({ move, tag, replacement, texts, made }: CarriedOn, finder: Finder, links: Links) {
  if (replacement)
    return finder.keepDone(
      replacement,
      texts.map(({ newPath, before, after }) => ({ path: newPath, before, after })),
    )
  return move || (tag && texts.length > 0) ? links.keepDone({ move, tag }, texts, made) : undefined
}

function endedChange({ kind, move, tag, replacement, texts, left }: CarriedOn, undo: string | undefined): EndedChange {
  const { from = '', to = '' } =
    move ?? tag ?? (replacement && { from: replacement.text, to: replacement.replacement }) ?? {}
  return { id: randomUUID(), kind, from, to, notes: texts.length, left: left.length, undo: undo ?? null }
}

/** While it is being ended: until then no file can be listed. */
function endingReport(kind: ChangeKind, agent: string) {
  return { part: 'app', code: changesEnding[kind], level: 'note', message: '', agent } as const
}

function reportOf({ isDone, move, replacement, tag, written, left }: CarriedOn, agent: string) {
  const { from, to } = move ?? tag ?? { from: replacement?.text ?? 'tags', to: replacement?.replacement }
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
