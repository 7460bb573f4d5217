import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { FileEntry } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Caller, MemoryAccess } from './access.ts'
import { fittingText, dataNotice, wrapMemory, label, maxAnswerTokens, tokensLeftFor } from './bounded-answer.ts'
import { failureText } from './tool-failure.ts'
import { noteUri, pathOfUri } from './note-uri.ts'

const pageSize = 100
/** Limit of the MCP specification. */
const maxCompletions = 100
const gatherMs = 200

const template = {
  name: 'note',
  title: 'Note',
  uriTemplate: 'note://{+path}',
  description: "A note of the user's memory, by its path, such as MEMORY.md or memory/2026-01-20.md",
  mimeType: 'text/markdown',
}

/** Adds notes as MCP resources, with completion and change notifications. */
export function addResources(
  { server }: McpServer,
  access: MemoryAccess,
  callerOf: (context: ServerContext) => Promise<Caller>,
): void {
  const { ask, onFault } = access
  const filesOf = ({ agent, id: client }: Caller) => notesFor(ask, { agent, client })
  /** Last list that the program received; undefined before the first request, when there is nothing to compare. */
  let listedKey: string | undefined
  server.registerCapabilities({ completions: {} })
  server.setRequestHandler('resources/list', (request, context) =>
    withProtocolErrors(onFault, async () => {
      const files = await filesOf(await callerOf(context))
      listedKey = listKey(files)
      return pageOf(files, request.params?.cursor)
    }),
  )
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [template] }))
  server.setRequestHandler('resources/read', (request, context) =>
    withProtocolErrors(onFault, async () => {
      const { uri } = request.params
      const path = pathOfUri(uri)
      if (path === undefined)
        throw new ResourceNotFoundError(uri, `${uri} is not a note: the URI must start with note://`)
      const { agent, id: client } = await callerOf(context)
      try {
        const read = await ask((primary) => primary.workspace.read({ agent, path, forProgram: client }))
        const { texts } = await ask((primary) => primary.clients.pass({ agent, client, texts: [read.text] }))
        const [text = ''] = texts
        return { contents: [{ uri, mimeType: template.mimeType, text: shownText(path, text) }] }
      } catch (error) {
        if (error instanceof AppError && notFoundCodes.has(error.code))
          throw new ResourceNotFoundError(uri, error.message)
        throw error
      }
    }),
  )
  server.setRequestHandler('completion/complete', (request, context) =>
    withProtocolErrors(onFault, async () => {
      const { ref, argument } = request.params
      if (ref.type !== 'ref/resource' || argument.name !== 'path') return { completion: { values: [] } }
      return { completion: completionsOf(await filesOf(await callerOf(context)), argument.value) }
    }),
  )
  followChanges(server, access, callerOf, async () => {
    const files = await filesOf(await access.caller(server.getClientVersion()?.name))
    const before = listedKey
    listedKey &&= listKey(files)
    return { files, isOther: listedKey !== before }
  })
}

/** Returns a key that changes with the paths of the notes. */
export function listKey(files: readonly FileEntry[]): string {
  return files.map(({ path }) => path).join('\n')
}

interface Reader {
  readonly agent: string
  readonly client: string
}

/** Returns the notes that a program may read, sorted by path. @throws AppError as `workspace.list` */
export async function notesFor(ask: MemoryAccess['ask'], { agent, client }: Reader): Promise<FileEntry[]> {
  const files = await ask((primary) => primary.workspace.list({ agent, forProgram: client }))
  const notes = files.filter(({ unsearched }) => unsearched === undefined || readableReasons.has(unsearched.reason))
  return notes.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** Reasons why a note is not searched that still allow reading it. */
const readableReasons: ReadonlySet<string> = new Set(['project', 'unreadable'])

function shownText(path: string, text: string): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const kept = fittingText(lines, tokensLeftFor(maxAnswerTokens, dataNotice))
  const isCut = kept.lines.length < lines.length || kept.cutAt !== undefined
  const from = kept.cutAt === undefined ? kept.lines.length + 1 : 1
  const rest = isCut ? `\nThis is the beginning. To read on: memory_get with path ${label(path)}, from: ${from}` : ''
  const at = kept.cutAt === undefined ? '' : `, fromCharacter: ${kept.cutAt + 1}`
  return `${dataNotice}\n${wrapMemory(kept.lines.join('\n'))}${rest}${at}`
}

const notFoundCodes: ReadonlySet<string> = new Set([
  'file_not_found',
  'path_outside_workspace',
  'path_hidden',
  'path_invalid',
])

/** Converts errors to protocol errors: expected ones to InvalidParams, others are logged. */
async function withProtocolErrors<T>(onFault: (error: unknown) => Promise<string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const code = error instanceof AppError ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, await failureText(error, onFault))
  }
}

const cursorPrefix = 'after '

function pathOfCursor(cursor: string): string {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8')
  if (decoded.startsWith(cursorPrefix)) return decoded.slice(cursorPrefix.length)
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid params: no page begins at this cursor; pass nextCursor unchanged, or omit it to start again',
  )
}

/** Returns up to 100 notes. @param cursor from the previous page @throws ProtocolError for an invalid cursor */
export function pageOf(files: readonly FileEntry[], cursor: string | undefined) {
  const after = cursor === undefined ? '' : pathOfCursor(cursor)
  const rest = files.filter(({ path }) => path > after)
  const page = rest.slice(0, pageSize)
  const last = page.at(-1)
  const isMore = rest.length > page.length && last !== undefined
  return {
    resources: page.map(({ path, size, modifiedAt }) => ({
      uri: noteUri(path),
      name: path,
      mimeType: template.mimeType,
      size,
      annotations: { lastModified: new Date(modifiedAt).toISOString() },
    })),
    ...(isMore ? { nextCursor: Buffer.from(`${cursorPrefix}${last.path}`, 'utf8').toString('base64url') } : {}),
  }
}

/** Returns up to 100 paths: first those that start with the typed text, then those that contain it. Ignores case. */
export function completionsOf(files: readonly FileEntry[], typed: string) {
  const wanted = typed.toLowerCase()
  const places = files.map(({ path }) => ({ path, at: path.toLowerCase().indexOf(wanted) }))
  const found = [...places.filter(({ at }) => at === 0), ...places.filter(({ at }) => at > 0)].map(({ path }) => path)
  return { values: found.slice(0, maxCompletions), total: found.length, hasMore: found.length > maxCompletions }
}

/** Sends change notifications while the connection is open. For clients since protocol 2026 the SDK filters them. */
function followChanges(
  server: McpServer['server'],
  access: MemoryAccess,
  callerOf: (context: ServerContext) => Promise<Caller>,
  readList: () => Promise<{ readonly files: readonly FileEntry[]; readonly isOther: boolean }>,
): void {
  const changed = new Set<string>()
  const wanted = new Set<string>()
  let agent: string | undefined
  let timer: NodeJS.Timeout | undefined
  const remember = async (context: ServerContext) => (agent = (await callerOf(context)).agent)
  server.setRequestHandler('resources/subscribe', async (request, context) => {
    await remember(context)
    wanted.add(request.params.uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', (request) => {
    wanted.delete(request.params.uri)
    return {}
  })
  const notify = async (paths: readonly string[]) => {
    const subscribedPaths = paths.filter((path) => isModern(server) || wanted.has(noteUri(path)))
    const { files, isOther } = await readList()
    const readablePaths = new Set(files.map(({ path }) => path))
    for (const path of subscribedPaths)
      if (readablePaths.has(path)) ignoreErrors(server.sendResourceUpdated({ uri: noteUri(path) }))
    if (isOther) await server.sendResourceListChanged()
  }
  const ignoreErrors = (sending: Promise<void>) => void sending.catch(() => undefined)
  const stop = access.onEvent((event) => {
    if (event.type !== 'filesChanged' || !server.transport) return
    if (agent !== undefined && event.agent !== agent) return
    for (const path of event.paths) changed.add(path)
    timer ??= setTimeout(() => {
      timer = undefined
      if (server.transport) ignoreErrors(notify([...changed]))
      changed.clear()
    }, gatherMs)
  })
  const before = server.onclose
  server.onclose = () => {
    before?.()
    clearTimeout(timer)
    stop()
  }
}

/** Since protocol version 2026 the SDK tracks subscriptions. */
function isModern(server: McpServer['server']): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= '2026'
}
