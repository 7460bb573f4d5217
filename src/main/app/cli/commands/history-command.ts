import i18next from 'i18next'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Cause, GitExport, GitImport, HistoryEntry } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { localMoment, UsageError, type Output } from '../cli-output.ts'
import { hostLocale, t } from '../../texts.ts'
import type { CommonFlags } from '../flags.ts'

interface GitFlags extends CommonFlags {
  readonly git: string
}

interface ShowFlags extends CommonFlags {
  readonly at?: string
  readonly limit: number
}

/** @throws AppError as `history.exportGit` */
export async function exportHistory({ client }: PrimaryClient, flags: GitFlags): Promise<Output> {
  const folder = resolve(flags.git)
  const request = { agent: flags.agent, folder, includesPrivate: flags.private ?? false }
  const value = await follow<GitExport>((signal) => client.history.exportGit(request, { signal }))
  const { commits, privateVersions, removedVersions } = value
  const lines = [
    t('history.commits', { folder, commits }),
    ...(privateVersions > 0 ? [t('history.privateLeft', { count: privateVersions })] : []),
    ...(removedVersions > 0 ? [t('history.removedLeft', { count: removedVersions })] : []),
  ]
  return { value, text: lines.join('\n') }
}

/** @throws AppError as `history.importGit` */
export async function importHistory({ client }: PrimaryClient, flags: GitFlags): Promise<Output> {
  const request = { agent: flags.agent, folder: resolve(flags.git) }
  if (!existsSync(request.folder)) throw new UsageError(t('usage.gitFolder', { path: flags.git }))
  const value = await follow<GitImport>((signal) => client.history.importGit(request, { signal }))
  const { changes, notes, skipped, later, isKnown } = value
  const lines = [
    isKnown ? t('history.known') : t('history.imported', { changes, notes }),
    ...(skipped > 0 ? [t('history.skipped', { count: skipped })] : []),
    ...(later > 0 ? [t('history.later', { count: later })] : []),
  ]
  return { value, text: lines.join('\n') }
}

/** Prints the text of a note at a time, or else its changes, newest first. @throws Error if there is none */
export async function showHistory({ client }: PrimaryClient, flags: ShowFlags, path: string): Promise<Output> {
  const { agent, limit, private: includesPrivate = false } = flags
  if (flags.at !== undefined) {
    const at = Date.parse(flags.at)
    if (Number.isNaN(at)) throw new UsageError(t('usage.at', { given: flags.at }))
    const { text } = await client.history.textAt({ agent, path, at, includesPrivate })
    if (text !== null) return { value: { path, at, text }, text: text.replace(/\n$/, '') }
    const time = localMoment(at)
    throw new Error(t(includesPrivate ? 'usage.noText' : 'usage.noOpenText', { path, time }))
  }
  const changes = await client.history.timeline({ agent, path, limit })
  if (changes.length === 0) throw new Error(t('usage.noChanges', { path }))
  return { value: { changes }, text: changes.map(changeLine).join('\n') }
}

export function changeLine(entry: HistoryEntry): string {
  const { at, cause, client: program, path: to, from, added, removed, exists, isUndo } = entry
  const counts = exists ? `+${added} -${removed}` : t('history.removed')
  const name = program ?? causeName(cause)
  const author = isUndo ? t('history.undo', { author: name }) : name
  return `${localMoment(at)}  ${counts}  ${author}  ${from === undefined ? to : `${from} → ${to}`}`
}

/** Replaces the line of progress on a terminal; '' removes it. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`)
}

/** Shows the progress of a request on a terminal. Ctrl-C cancels it. @returns its result */
async function follow<T extends object>(
  start: (signal: AbortSignal) => Promise<AsyncIterable<T | { readonly done: number; readonly total: number }>>,
): Promise<T> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  try {
    for await (const step of await start(stop.signal)) {
      if (!('done' in step)) return step
      showProgress(t('history.progress', step))
    }
    throw new AppError('owner_gone', 'the process that had this memory open ended before it answered')
  } catch (error) {
    throw stop.signal.aborted ? new Error(t('usage.cancelled'), { cause: error }) : error
  } finally {
    showProgress('')
  }
}

function causeName(cause: Cause): string {
  if (hostLocale() === 'en') return cause
  return cause === 'agent' ? i18next.t('changes.by_agent') : i18next.t(`history.cause.${cause}`)
}
