import type { Explanation, FileEntry, SearchOptions, SearchResponse } from '#shared/contract/index.ts'
import type { SearchOverrides } from '#search'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import type { Marks, Snapshot } from '#workspace/privacy'
import type { RouterBase } from './procedure.ts'

type App = RouterBase['app']
export type Agent = Awaited<ReturnType<App['agents']['get']>>

/** False for the user, the id of a program, or true for an unknown program. */
type Requester = boolean | string

/** Returns the local notes and lines to hide; undefined if the requester may see everything. */
export async function privacySnapshotFor(app: App, agent: Agent, requester: Requester): Promise<Snapshot | undefined> {
  return (await hasFullAccess(app, requester)) ? undefined : agent.localNotes.look()
}

/** Returns markers for texts just read, without a scan of all notes; undefined if the requester may see everything. */
export async function privacyMarkersFor(app: App, agent: Agent, requester: Requester): Promise<Marks | undefined> {
  return (await hasFullAccess(app, requester)) ? undefined : agent.localNotes.marks()
}

/**
 * Returns search options for the requester's access. Programs get no chats; without full access, they get no private
 * notes. With full access, the query may quote local text, so it is not sent to a remote embedding provider.
 */
export async function searchOptionsFor(
  app: App,
  agent: Agent,
  requester: Requester,
  options: SearchOptions | undefined,
): Promise<SearchOverrides> {
  if (requester === false) return options ?? {}
  const forProgram = { ...options, hasChats: false, showWeak: false }
  if (!(await hasFullAccess(app, requester))) return { ...forProgram, hasPrivate: false }
  const mayQuoteLocalText = agent.memory.sendsQueries && (await agent.localNotes.look()).notes.size > 0
  return mayQuoteLocalText ? { ...forProgram, staysHere: true } : forProgram
}

/**
 * Reads a file for a requester. A fully local file and a missing file give the same error.
 * @param read receives a function that returns the visible part of a text
 * @throws AppError `file_not_found`, and as `read`
 */
export async function readFor<T>(
  app: App,
  agent: Agent,
  requester: Requester,
  path: string,
  read: (visibleText: (text: string) => string) => Promise<T>,
): Promise<T> {
  const notFoundError = () =>
    new AppError('file_not_found', `${path} does not exist, or stays on this machine`, { path })
  const session = sessionOf(path)
  if (session !== undefined && requester !== false) {
    const transcript = await orUndefined(agent.sessions.get(session))
    if (transcript?.isPrivate !== false) throw notFoundError()
  }
  const marks = await privacyMarkersFor(app, agent, requester)
  if (!marks) return read((text) => text)
  try {
    const resolvedPath = session !== undefined ? path : await agent.workspace.realPath(path)
    if (marks.of(resolvedPath, '').isFullyLocal) throw notFoundError()
    return await read((text) => {
      if (marks.of(resolvedPath, text).isFullyLocal) throw notFoundError()
      return marks.shown(resolvedPath, text).text
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'file_not_found') throw error
    const { movedTo } = error.data
    const target = typeof movedTo === 'string' ? await readNoteWithVisibility(agent, marks, movedTo) : undefined
    if (target?.note.isFullyLocal === false) throw error
    throw notFoundError()
  }
}

/** Returns the id of a chat's transcript; undefined for other paths. */
function sessionOf(path: string): string | undefined {
  return /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
}

async function hasFullAccess(app: App, requester: Requester): Promise<boolean> {
  return requester === false || (typeof requester === 'string' && (await app.clients.isLocal(requester)))
}

/** Removes fully local files. For partly local ones, size and tokens count the visible text, and words are 0. */
export async function visibleFiles(files: FileEntry[], agent: Agent, snapshot?: Snapshot): Promise<FileEntry[]> {
  if (!snapshot) return files
  const pendingFiles = files.map(async (file) => {
    const localNote = snapshot.notes.get(file.path)
    if (!localNote) return [file]
    if (localNote.isFullyLocal) return []
    const current = await readNoteWithVisibility(agent, snapshot, file.path)
    if (!current || current.note.isFullyLocal) return []
    const size = Buffer.byteLength(snapshot.shown(file.path, current.text).text)
    return [{ ...file, size, words: 0, tokens: Math.ceil(size / 4) }]
  })
  return (await Promise.all(pendingFiles)).flat()
}

/** Removes results whose lines have become private since they were indexed. */
export async function visibleResults(
  response: SearchResponse,
  agent: Agent,
  marks: Marks | undefined,
): Promise<SearchResponse> {
  if (!marks) return response
  const results = await visiblePlaces(response.results, agent, marks)
  return { ...response, results, notice: visibleNotice(response.notice) }
}

/** Removes candidates whose lines have become private, and the explanation of private lines. */
export async function visibleExplanation(
  explanation: Explanation,
  agent: Agent,
  snapshot: Snapshot | undefined,
): Promise<Explanation> {
  if (!snapshot) return explanation
  const { why, ...withoutWhy } = explanation
  const candidates = await visiblePlaces(explanation.candidates, agent, snapshot)
  const visible = { ...withoutWhy, candidates, notice: visibleNotice(explanation.notice) }
  if (!why) return visible
  const requested = await readNoteWithVisibility(agent, snapshot, why.path)
  const isVisible = requested && !requested.note.isFullyLocal && requested.note.localLines.size === 0
  return { ...visible, why: isVisible ? why : hiddenWhy(why) }
}

async function visiblePlaces<T extends Place>(places: readonly T[], agent: Agent, marks: Marks): Promise<T[]> {
  const paths = [...new Set(places.map(({ path }) => path))]
  const notes = new Map(
    await Promise.all(paths.map(async (path) => [path, await readNoteWithVisibility(agent, marks, path)] as const)),
  )
  return places.filter(({ path, startLine, endLine }) => {
    const note = notes.get(path)?.note
    if (!note || note.isFullyLocal) return false
    return ![...note.localLines].some((line) => startLine <= line + 1 && line + 1 <= endLine)
  })
}

/** Gives the same answer for all lines of a note with private lines, and for notes that do not exist. */
function hiddenWhy({ path, line }: NonNullable<Explanation['why']>): NonNullable<Explanation['why']> {
  return { path, line, candidate: null, rank: null, reason: 'local' }
}

function visibleNotice(notice: SearchResponse['notice']): SearchResponse['notice'] {
  return notice?.code === 'query_local' || notice?.code === 'vectors_local' ? null : notice
}

interface Place {
  readonly path: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

/** Reads a note or `sessions/ID.jsonl` (workspace-relative) with its local lines. @returns undefined if unreadable */
export async function readNoteWithVisibility(agent: Agent, marks: Marks, path: string) {
  try {
    const text = (await agent.readLines(path, 1, Number.MAX_SAFE_INTEGER)).lines.join('\n')
    const resolvedPath = sessionOf(path) !== undefined ? path : await agent.workspace.realPath(path)
    return { text, note: marks.of(resolvedPath, text) }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
