import i18next from 'i18next'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { explainCode } from '#shared/i18n/explain.ts'
import { assertLineExists, parseLines } from '#shared/util/file-lines.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { type Output, UsageError } from '../cli-output.ts'
import type { CommonFlags } from '../flags.ts'
import { t } from '../../texts.ts'
import { changeLine, showProgress } from './history-command.ts'

/** Limit of a request. */
const maxLines = 5000
const pollMs = 200

/** Prints a note or lines of it. Private lines have a placeholder without `--private`. @throws UsageError for a private note; as `workspace.lines` */
export async function getNote({ client }: PrimaryClient, flags: CommonFlags, place: string): Promise<Output> {
  const { agent, private: isPrivate = false } = flags
  const { path, startLine: from, endLine } = parseLines(place) ?? { path: place, startLine: 1, endLine: Infinity }
  const lines: string[] = []
  for (;;) {
    const next = from + lines.length
    const count = Math.min(endLine - next + 1, maxLines)
    const read = client.workspace.lines({ agent, path, from: next, count, forProgram: !isPrivate })
    const piece = await read.catch(async (error: unknown) => {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'file_not_found'
      const isRead = () =>
        client.workspace.lines({ agent, path, count: 1 }).then(
          () => true,
          () => false,
        )
      const isHidden = isMissing && !isPrivate && (await isRead())
      throw isHidden ? new UsageError(t('usage.privateNote', { path })) : error
    })
    const { total } = piece
    assertLineExists(path, total, from)
    lines.push(...piece.lines)
    if (from + lines.length > Math.min(endLine, total))
      return { value: { path, from, lines, total }, text: lines.join('\n') }
  }
}

/** Lists the latest changes of all notes, newest first; without `--private`, those of notes that are not private as a whole. */
export async function listRecent({ client }: PrimaryClient, flags: CommonFlags & { limit: number }): Promise<Output> {
  const { agent, limit, private: isPrivateShown = false } = flags
  const files = isPrivateShown ? [] : await client.workspace.list({ agent })
  const hidden = new Set(files.filter(({ privacy }) => privacy?.isWhole).map(({ path }) => path))
  const changes = (await client.history.timeline({ agent, limit })).filter(({ now: path }) => !hidden.has(path))
  return { value: { changes }, text: changes.map((one) => `#${one.change}  ${changeLine(one)}`).join('\n') }
}

/** Undoes a change; the latest one by default. @throws as `history.revert` */
export async function undoChange({ client }: PrimaryClient, { agent }: CommonFlags, given: string): Promise<Output> {
  const [latest] = given === '' ? await client.history.timeline({ agent, limit: 1 }) : []
  const change = latest?.change ?? Number(given.replace('#', ''))
  if (!Number.isSafeInteger(change) || change < 1) throw new UsageError(t('usage.change', { given }))
  const value = await client.history.revert({ agent, change })
  return { value, text: t('history.undone', { change, count: value.notes }) }
}

interface ImportFlags extends CommonFlags {
  readonly into: string
  readonly attachments: boolean
  readonly dryRun?: boolean
}

/** Imports a folder or file; with `--dry-run`, prints the plan only. Ctrl-C cancels it. @throws as `import.plan` */
export async function importFiles({ client }: PrimaryClient, flags: ImportFlags, given: string): Promise<Output> {
  const { agent, into, attachments: withAttachments, dryRun: isDryRun = false } = flags
  const source = { agent, path: resolve(given), into, withAttachments }
  const plan = await client.import.plan(source)
  const { added, attachments, left, leftParts } = plan
  const counts = (['same', 'conflicts', 'skipped', 'memories'] as const).map((name) => [name, plan[name]] as const)
  const size = `${(attachments.bytes / 1e6).toFixed(1)} MB`
  const leftCount = left.reduce((sum, { count }) => sum + count, 0)
  const details = [
    ...(attachments.added > 0 ? [i18next.t('import.attachments', { count: attachments.added, size })] : []),
    ...[...counts, ['left', leftCount] as const].flatMap(([name, count]) =>
      count > 0 ? [i18next.t(`import.${name}`, { count })] : [],
    ),
    ...left.map(({ reason, ending, count }) => {
      const kind = ending === '' ? i18next.t('import.noEnding') : `.${ending}`
      return i18next.t('import.leftLine', { count, kind, reason: i18next.t(`import.leftReason.${reason}`) })
    }),
    ...leftParts.map(({ reason, count }) => i18next.t(`import.leftPart.${reason}`, { count })),
  ]
  if (isDryRun) return { value: plan, text: [i18next.t('import.plan', { count: added }), ...details].join('\n') }
  const known = new Set((await client.import.standing({ agent })).ended.map(({ id }) => id))
  await client.import.start(source)
  const cancel = () => void client.import.cancel({ agent })
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, cancel)
  for (;;) {
    await sleep(pollMs)
    const { running, ended } = await client.import.standing({ agent })
    const end = ended.find(({ id, path }) => path === source.path && !known.has(id))
    if (running) showProgress(t('history.progress', running))
    if (!end) continue
    showProgress('')
    await client.import.seen({ agent, id: end.id })
    const { change, made, isCancelled, failure } = end
    const count = made.length
    const result = i18next.t(isCancelled ? 'import.cancelled' : 'import.done', { count })
    const undo = change === null ? [] : [t('history.canUndo', { change })]
    const value = { change, files: made, isCancelled }
    if (!failure) return { value, text: [...details, result, ...undo].join('\n'), isFailure: isCancelled }
    return {
      value,
      text: [result, ...undo].join('\n'),
      warning: explainCode(failure.code, failure.data),
      isFailure: true,
    }
  }
}
