import { resolve } from 'node:path'
import type { GitExport, GitImport } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { PrimaryClient } from '../../instance-lock/host-process.ts'
import type { Output } from '../cli-output.ts'
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
    `${folder}: ${commits} commits`,
    ...(privateVersions > 0 ? [`${privateVersions} private versions are left out (--private includes them)`] : []),
    ...(removedVersions > 0 ? [`${removedVersions} versions are left out: their texts are no longer stored`] : []),
  ]
  return { value, text: lines.join('\n') }
}

/** @throws AppError as `history.importGit` */
export async function importHistory({ client }: PrimaryClient, flags: GitFlags): Promise<Output> {
  const request = { agent: flags.agent, folder: resolve(flags.git) }
  const value = await follow<GitImport>((signal) => client.history.importGit(request, { signal }))
  const { changes, notes, skipped, later, isKnown } = value
  const lines = [
    isKnown ? 'the history has this repository already' : `${changes} changes of ${notes} notes`,
    ...(skipped > 0 ? [`${skipped} versions are left out: they are no text or too large`] : []),
    ...(later > 0 ? [`${later} commits are left out: they are later than the start of the history`] : []),
  ]
  return { value, text: lines.join('\n') }
}

/** Prints the text of a note at a time, or else its changes, newest first. @throws AppError `file_not_found` if there is none */
export async function showHistory({ client }: PrimaryClient, flags: ShowFlags, path: string): Promise<Output> {
  const { agent, limit, private: includesPrivate = false } = flags
  if (flags.at !== undefined) {
    const at = Date.parse(flags.at)
    if (Number.isNaN(at)) throw new AppError('input_invalid', `--at ${flags.at}: not a time such as 2026-01-20T18:30`)
    const { text } = await client.history.textAt({ agent, path, at, includesPrivate })
    if (text !== null) return { value: { path, at, text }, text: text.replace(/\n$/, '') }
    const message = `the history has no text of ${path} at ${new Date(at).toISOString()}${includesPrivate ? '' : ' that is not private'}`
    throw new AppError('file_not_found', message, { path })
  }
  const changes = await client.history.timeline({ agent, path, limit })
  if (changes.length === 0) throw new AppError('file_not_found', `the history has no changes of ${path}`, { path })
  const lines = changes.map(({ at, cause, client: program, path: name, from, added, removed, exists, isUndo }) => {
    const counts = exists ? `+${added} -${removed}` : 'removed'
    const author = `${program ?? cause}${isUndo ? ' (undo)' : ''}`
    return `${new Date(at).toISOString()}  ${counts}  ${author}  ${from === undefined ? name : `${from} → ${name}`}`
  })
  return { value: { changes }, text: lines.join('\n') }
}

/** Shows the progress of a request on a terminal. Ctrl-C cancels it. @returns its result */
async function follow<T extends object>(
  start: (signal: AbortSignal) => Promise<AsyncIterable<T | { readonly done: number; readonly total: number }>>,
): Promise<T> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  const show = (line: string) => process.stderr.isTTY && process.stderr.write(`\r\u001B[K${line}`)
  try {
    for await (const step of await start(stop.signal)) {
      if (!('done' in step)) return step
      show(`${step.done} of ${step.total}`)
    }
    throw new AppError('owner_gone', 'the process that had this memory open ended before it answered')
  } catch (error) {
    throw stop.signal.aborted ? new Error('cancelled', { cause: error }) : error
  } finally {
    show('')
  }
}
