import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { AppEvent, FileEntry } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { inTurn, type Caller, type MemoryAccess } from './caller.ts'
import { fittingText, dataNotice, wrapMemory, toLabel, maxAnswerTokens, tokensForItems } from './bounded-answer.ts'
import { failureText } from './tool-failure.ts'
import type { MemoryToolContext } from './tools/memory-tool.ts'

const pageSize = 100
const maxCompletions = 100
const notifyDelayMs = 200

const template = {
  name: 'note',
  title: 'Note',
  uriTemplate: 'note://{+path}',
  description: "A note of the user's memory, by its path, such as MEMORY.md or memory/2026-01-20.md",
  mimeType: 'text/markdown',
}

export function addResources(
  { server }: McpServer,
  access: MemoryAccess,
  callerOf: (context: ServerContext) => Promise<Caller>,
  nameOfConnection: () => string | undefined,
): void {
  const { ask, onFault } = access
  /** Converts expected errors to InvalidParams; logs other errors and converts them to InternalError. */
  const inTurnOf = async <T>(context: ServerContext, work: (caller: Caller) => Promise<T>) => {
    try {
      const caller = await callerOf(context)
      return await inTurn(ask, caller.id, context.mcpReq.signal, () => work(caller))
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      const code = error instanceof AppError ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
      throw new ProtocolError(code, await failureText(error, onFault))
    }
  }
  const listFiles = ({ agent, id: client }: Caller) => notesFor({ agent, client, ask })
  const lastList: SentList = {}
  server.registerCapabilities({ completions: {} })
  server.setRequestHandler('resources/list', async (request, context) => {
    const files = await inTurnOf(context, listFiles)
    lastList.key = listKey(files)
    return pageOf(files, request.params?.cursor)
  })
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [template] }))
  server.setRequestHandler('resources/read', (request, context) => {
    const { uri } = request.params
    const path = pathOfUri(uri)
    if (path === undefined)
      throw new ResourceNotFoundError(uri, `${uri} is not a note: the URI must start with note://`)
    return inTurnOf(context, async ({ agent, id: client }) => {
      try {
        const { text } = await ask((primary) => primary.workspace.read({ agent, path, forProgram: client }))
        return { contents: [{ uri, mimeType: template.mimeType, text: formatNote(path, text) }] }
      } catch (error) {
        if (error instanceof AppError && notFoundCodes.has(error.code))
          throw new ResourceNotFoundError(uri, error.message)
        throw error
      }
    })
  })
  server.setRequestHandler('completion/complete', async (request, context) => {
    const { ref, argument } = request.params
    if (ref.type !== 'ref/resource' || argument.name !== 'path') return { completion: { values: [] } }
    return { completion: completionsOf(await inTurnOf(context, listFiles), argument.value) }
  })
  reportToConnection(server, access, nameOfConnection, lastList)
}

export function listKey(files: readonly FileEntry[]): string {
  return files.map(({ path }) => path).join('\n')
}

/** Returns the notes that a program may read, sorted by path. @throws AppError as `workspace.list` */
export async function notesFor({ agent, client, ask }: Pick<MemoryToolContext, 'agent' | 'client' | 'ask'>) {
  const files = await ask((primary) => primary.workspace.list({ agent, forProgram: client }))
  const notes = files.filter(({ unsearched }) => unsearched === undefined || readableReasons.has(unsearched.reason))
  return notes.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** Notes that are not searched for one of these reasons can still be read. */
const readableReasons: ReadonlySet<string> = new Set(['project', 'unreadable', 'pending'])

function formatNote(path: string, text: string): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const { lines: shownLines, cutAt } = fittingText(lines, tokensForItems(maxAnswerTokens, dataNotice))
  const isCut = shownLines.length < lines.length || cutAt !== undefined
  const from = cutAt === undefined ? shownLines.length + 1 : 1
  const hint = isCut ? `\nThis is the beginning. To read on: memory_get with path ${toLabel(path)}, from: ${from}` : ''
  const characterHint = cutAt === undefined ? '' : `, fromCharacter: ${cutAt + 1}`
  return `${dataNotice}\n${wrapMemory(shownLines.join('\n'))}${hint}${characterHint}`
}

const notFoundCodes = new Set<string>(['file_not_found', 'path_outside_workspace', 'path_hidden', 'path_invalid'])

const cursorPrefix = 'after '

function pathOfCursor(cursor: string): string {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8')
  if (decoded.startsWith(cursorPrefix)) return decoded.slice(cursorPrefix.length)
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid params: no page begins at this cursor; pass nextCursor unchanged, or omit it to start again',
  )
}

/** @param cursor from the previous page @throws ProtocolError for an invalid cursor */
export function pageOf(files: readonly FileEntry[], cursor: string | undefined) {
  const previousPath = cursor === undefined ? '' : pathOfCursor(cursor)
  const remaining = files.filter(({ path }) => path > previousPath)
  const page = remaining.slice(0, pageSize)
  const last = remaining.length > pageSize ? page.at(-1) : undefined
  return {
    resources: page.map(({ path, size, modifiedAt }) => ({
      uri: noteUri(path),
      name: path,
      mimeType: template.mimeType,
      size,
      annotations: { lastModified: new Date(modifiedAt).toISOString() },
    })),
    ...(last ? { nextCursor: Buffer.from(`${cursorPrefix}${last.path}`).toString('base64url') } : {}),
  }
}

/** First paths that start with the typed text, then those that contain it. Ignores case. */
export function completionsOf(files: readonly FileEntry[], typed: string) {
  const lowerCase = typed.toLowerCase()
  const matches = files.map(({ path }) => ({ path, at: path.toLowerCase().indexOf(lowerCase) }))
  const sorted = [...matches.filter(({ at }) => at === 0), ...matches.filter(({ at }) => at > 0)]
  const paths = sorted.map(({ path }) => path)
  return { values: paths.slice(0, maxCompletions), total: paths.length, hasMore: paths.length > maxCompletions }
}

/** `key`: of the last list that the program knows; undefined before its first request. */
type SentList = { key?: string }

/** Reports changes of the notes that the program can read. @returns a function that stops the reports */
export function reportChanges(
  { ask, onEvent }: Pick<MemoryAccess, 'ask' | 'onEvent'>,
  caller: () => Promise<Pick<Caller, 'id' | 'agent'> | undefined>,
  send: { resourceUpdated(uri: string): unknown; resourcesChanged(): unknown },
  lastList: SentList,
): () => void {
  const changes: Extract<AppEvent, { type: 'filesChanged' }>[] = []
  let timer: NodeJS.Timeout | undefined
  const notify = async () => {
    timer = undefined
    const known = await caller()
    const changed = changes.splice(0)
    if (!known) return
    const { agent, id: client } = known
    const ofAgent = changed.filter((change) => change.agent === agent)
    const changedPaths = new Set(ofAgent.flatMap(({ paths }) => paths))
    const files = await notesFor({ agent, client, ask })
    for (const { path } of files) if (changedPaths.has(path)) await send.resourceUpdated(noteUri(path))
    const key = listKey(files)
    if (lastList.key === undefined || lastList.key === key) return
    lastList.key = key
    await send.resourcesChanged()
  }
  const stopListening = onEvent((event) => {
    if (event.type !== 'filesChanged') return
    changes.push(event)
    // The connection may have closed meanwhile.
    timer ??= setTimeout(() => void notify().catch(() => undefined), notifyDelayMs)
  })
  return () => {
    clearTimeout(timer)
    stopListening()
  }
}

/** Since protocol version 2026 the SDK tracks subscriptions and filters notifications. */
function reportToConnection(
  server: McpServer['server'],
  access: MemoryAccess,
  nameOfConnection: () => string | undefined,
  lastList: SentList,
): void {
  const subscribedUris = new Set<string>()
  server.setRequestHandler('resources/subscribe', (request) => {
    subscribedUris.add(request.params.uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', (request) => {
    subscribedUris.delete(request.params.uri)
    return {}
  })
  const isSubscribed = (uri: string) =>
    (server.getNegotiatedProtocolVersion() ?? '') >= '2026' || subscribedUris.has(uri)
  const send = {
    resourceUpdated: async (uri: string) => isSubscribed(uri) && server.sendResourceUpdated({ uri }),
    resourcesChanged: () => server.sendResourceListChanged(),
  }
  // Before its first request, the program is unknown.
  const caller = async () => (nameOfConnection() === undefined ? undefined : access.caller(nameOfConnection()))
  const stop = reportChanges(access, caller, send, lastList)
  const onclose = server.onclose
  server.onclose = () => {
    onclose?.()
    stop()
  }
}

const scheme = 'note://'

/** @param path workspace-relative @param line 1-based; undefined for the whole note */
export function noteUri(path: string, line?: number): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  return `${scheme}${encoded}${line === undefined ? '' : `#L${line}`}`
}

/** Returns undefined if the URI is not the URI of a note. */
export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith(scheme)) return undefined
  try {
    const path = decodeURIComponent(uri.slice(scheme.length).replace(/#.*$/s, ''))
    return path === '' ? undefined : path
  } catch {
    return undefined
  }
}
