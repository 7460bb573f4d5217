import type { Explanation, FileEntry, HistoryEntry, SearchOptions, SearchResponse } from '#shared/contract/index.ts'
import { sessionOfPath, type SearchOverrides } from '#search'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { openFiles, openPlaces, type PrivacyMarks } from '#workspace/privacy'
import type { RouterBase } from './procedure.ts'

type App = RouterBase['app']
export type Agent = Awaited<ReturnType<App['agents']['get']>>

/** False for the user, the id of a program, or true for an unknown program. */
type Requester = boolean | string

/** Returns the marks of private text; undefined if the requester may see everything. */
export async function marksFor(app: App, agent: Agent, requester: Requester): Promise<PrivacyMarks | undefined> {
  const hasFullAccess =
    requester === false || (typeof requester === 'string' && (await app.clients.hasFullAccess(requester)))
  return hasFullAccess ? undefined : agent.marks()
}

/** Returns search options for the requester's access. Programs get no chats. */
export function searchOptionsFor(
  requester: Requester,
  marks: PrivacyMarks | undefined,
  options: SearchOptions | undefined,
): SearchOverrides {
  if (requester === false) return options ?? {}
  return { ...options, hasChats: false, showWeak: false, hasPrivate: marks === undefined }
}

/**
 * Reads a file for a requester. A fully private file and a missing file give the same error.
 * @param read receives a function that returns the visible part of a text
 * @throws AppError `file_not_found`, and as `read`; for a program, also as `Workspace.assertExists`
 */
export async function readFor<T>(
  app: App,
  agent: Agent,
  requester: Requester,
  path: string,
  read: (visibleText: (text: string) => string) => Promise<T>,
): Promise<T> {
  const notFoundError = () => new AppError('file_not_found', `${path} does not exist`, { path })
  // If the folder is missing, report that, and not a missing note.
  if (requester !== false) await agent.workspace.assertExists()
  const session = sessionOfPath(path)
  if (session !== undefined && requester !== false) {
    const transcript = await orUndefined(agent.sessions.get(session))
    if (transcript?.isPrivate !== false) throw notFoundError()
  }
  const marks = await marksFor(app, agent, requester)
  if (!marks) return read((text) => text)
  try {
    const resolvedPath = session !== undefined ? path : await agent.workspace.realPath(path)
    const openText = (text: string) => {
      const open = marks.openText(resolvedPath, text)
      if (open === undefined) throw notFoundError()
      return open
    }
    openText('')
    return await read(openText)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'file_not_found') throw error
    const { movedTo } = error.data
    const isOpen = typeof movedTo === 'string' && (await openTextAt(agent, marks, movedTo)) !== undefined
    throw isOpen ? error : notFoundError()
  }
}

/** Returns the visible files. Size and tokens of partly private ones count the visible text; their words are 0. */
export async function visibleFiles(
  files: readonly FileEntry[],
  agent: Agent,
  marks: PrivacyMarks | undefined,
): Promise<FileEntry[]> {
  if (!marks) return [...files]
  const privacyByPath = await agent.privacyOf(files)
  const open = await openFiles(files, privacyByPath, (path) => openTextAt(agent, marks, path))
  return open.map(({ privacy: _privacy, ...file }) =>
    privacyByPath.has(file.path) ? { ...file, words: 0, tokens: Math.ceil(file.size / 4) } : file,
  )
}

/** Removes results whose lines have become private or have changed since they were indexed. */
export async function visibleResults(
  response: SearchResponse,
  agent: Agent,
  marks: PrivacyMarks | undefined,
): Promise<SearchResponse> {
  if (!marks) return response
  const results = await visiblePlaces(response.results, agent, marks)
  return { ...response, results, notice: visibleNotice(response.notice) }
}

/** Removes candidates as `visibleResults`, and the explanation of private lines. */
export async function visibleExplanation(
  explanation: Explanation,
  agent: Agent,
  marks: PrivacyMarks | undefined,
): Promise<Explanation> {
  if (!marks) return explanation
  const { why, ...withoutWhy } = explanation
  const candidates = await visiblePlaces(explanation.candidates, agent, marks)
  const visible = { ...withoutWhy, candidates, notice: visibleNotice(explanation.notice) }
  if (!why) return visible
  const { path, line } = why
  const requested = await orUndefined(agent.readSearched(path))
  const isVisible = requested && marks.openText(requested.path, requested.text) === requested.text
  // Gives the same answer for all lines of a note with private lines, and for notes that do not exist.
  return { ...visible, why: isVisible ? why : { path, line, candidate: null, rank: null, reason: 'private' } }
}

/** Returns the open places without the hash of their file, which would confirm guesses of its private lines. */
async function visiblePlaces<T extends Parameters<typeof openPlaces>[0][number]>(
  places: readonly T[],
  agent: Agent,
  marks: PrivacyMarks,
): Promise<Omit<T, 'fileHash'>[]> {
  const open = await openPlaces(places, marks, (path) => orUndefined(agent.readSearched(path)))
  return open.map(({ fileHash: _hash, ...place }) => place)
}

function visibleNotice(notice: SearchResponse['notice']): SearchResponse['notice'] {
  return notice?.code === 'query_private' || notice?.code === 'vectors_private' ? null : notice
}

/**
 * Returns the history entries of notes that exist and have no private text, with the lines that they added and that the
 * notes still have. Removed lines may have been private.
 */
export async function visibleEntries(
  entries: readonly HistoryEntry[],
  agent: Agent,
  marks: PrivacyMarks | undefined,
): Promise<HistoryEntry[]> {
  const shared = entries.filter(({ now }) => agent.isForPrograms(now))
  if (!marks || shared.length === 0) return shared
  const { files } = await agent.workspace.list()
  const existing = new Set(files.map(({ path }) => path))
  const privacy = await agent.privacyOf(files)
  const readable = shared.filter(({ now }) => existing.has(now) && !privacy.has(now))
  const visible = await Promise.all(
    readable.map(async (entry) => {
      const { patch } = await agent.requireHistory.diff(entry.commit, entry.path)
      const lines = await visibleDiff(entry, patch, agent, marks)
      return lines === '' ? [] : [{ ...entry, added: lines.split('\n').length, removed: 0 }]
    }),
  )
  return visible.flat()
}

/** Returns the lines that a change added and that the requester still sees in the note. */
export async function visibleDiff(
  { commit, path }: { readonly commit: string; readonly path: string },
  patch: string,
  agent: Agent,
  marks: PrivacyMarks,
): Promise<string> {
  const currentPath = await agent.requireHistory.currentPath(path, commit)
  const text = agent.isForPrograms(currentPath) ? await openTextAt(agent, marks, currentPath) : undefined
  const lines = new Set(text?.split('\n').map((line) => line.trim()))
  const isVisible = (line: string) => /^\+(?!\+\+)/.test(line) && lines.has(line.slice(1).trim())
  return patch.split('\n').filter(isVisible).join('\n')
}

/** Returns the visible text of a note or of `sessions/ID.jsonl`; undefined if it is hidden or unreadable. */
async function openTextAt(agent: Agent, marks: PrivacyMarks, path: string): Promise<string | undefined> {
  const file = await orUndefined(agent.readSearched(path))
  return file && marks.openText(file.path, file.text)
}
