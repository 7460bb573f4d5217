import { app } from 'electron'
import { realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent } from '#shared/contract/index.ts'
import { encodePart } from '#shared/util/decode.ts'
import { isInside } from '#workspace'

/** Receives a link or the absolute path of a Markdown file; '' for a start without one. */
type Open = (target: string) => void

/**
 * Receives links, files and further starts. Must run before the app is ready, because a link that starts the app comes
 * earlier.
 * @returns a function that opens the requests so far and all later ones, and returns the number of those so far
 */
export function receiveRequests(): (open: Open) => number {
  const early = [targetOf(process.argv, process.cwd())].filter(Boolean)
  let onRequest: Open = (target) => early.push(target)
  const onOpen = (event: Pick<Event, 'preventDefault'>, target: string) => {
    event.preventDefault()
    onRequest(target)
  }
  app.on('second-instance', (_event, argv, folder) => onRequest(targetOf(argv, folder)))
  app.on('open-url', onOpen)
  app.on('open-file', onOpen)
  return (open) => {
    onRequest = open
    for (const target of early) open(target)
    return early.length
  }
}

/** Limit for a note in `commonplace://remember?text=…`, in UTF-16 code units; the rest is cut off. */
const maxCharacters = 10_000

/** Returns undefined for other links and empty notes. */
export function noteOfLink(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined
  const { protocol, host, searchParams } = new URL(link)
  if (protocol !== 'commonplace:' || host !== 'remember') return undefined
  const text = searchParams.get('text')?.trim().slice(0, maxCharacters).toWellFormed()
  return text === '' ? undefined : text
}

/** Returns the first link or Markdown file of the arguments, as Windows and Linux pass them; empty if there is none. */
export function targetOf([, ...argv]: readonly string[], folder: string): string {
  const target = argv.find((argument) => /^commonplace:|^[^-].*\.md$/i.test(argument)) ?? ''
  if (target.startsWith('file:')) return fileURLToPath(target)
  return /^(commonplace:|$)/i.test(target) ? target : resolve(folder, target)
}

/** Returns the address of a file's view; undefined if the file is in no agent's folder. */
export async function viewOfFile(file: string, agents: readonly Agent[]): Promise<string | undefined> {
  const realFile = await realpath(file).catch(() => file)
  for (const { workspace, archived } of agents) {
    const folder = await realpath(workspace).catch(() => workspace)
    if (!archived && isInside(folder, realFile))
      return `/file/${relative(folder, realFile).split(sep).map(encodePart).join('/')}`
  }
  return undefined
}
