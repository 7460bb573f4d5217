import type { Explanation, FileEntry, HistoryEntry, SearchOptions, SearchResponse } from '#shared/contract/index.ts'
import { sessionOfPath, type SearchOverrides } from '#search'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { openFiles, openPlaces, type Place, type PrivacyMarks } from '#workspace/privacy'
import type { RouterBase } from './procedure.ts'

type App = RouterBase['app']
export type Agent = Awaited<ReturnType<App['agents']['get']>>

/** False for the user, the id of a program, or true for an unknown program. */
type Requester = boolean | string

/** Returns what the requester sees of the agent; undefined if that is everything. */
export async function viewFor(app: App, agent: Agent, requester: Requester): Promise<ClientView | undefined> {
  const hasFullAccess =
    requester === false || (typeof requester === 'string' && (await app.clients.hasFullAccess(requester)))
  return hasFullAccess ? undefined : new ClientView(agent)
}

/** Returns search options for the requester's access. Programs get no chats. */
export function searchOptionsFor(
  requester: Requester,
  view: ClientView | undefined,
  options: SearchOptions = {},
): SearchOverrides {
  if (requester === false) return options
  return { ...options, hasChats: false, showWeak: false, hasPrivate: view === undefined }
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
  if (requester === false) return read((text) => text)
  // If the folder is missing, report that, and not a missing note.
  await agent.workspace.assertExists()
  const session = sessionOfPath(path)
  if (session !== undefined) await agent.privacy.settle()
  const transcript = session === undefined ? undefined : await orUndefined(agent.sessions.get(session))
  if (session !== undefined && transcript?.isPrivate !== false) throw notFoundError()
  const view = await viewFor(app, agent, requester)
  if (!view) return read((text) => text)
  try {
    const resolvedPath = session !== undefined ? path : await agent.workspace.realPath(path)
    const openText = (text: string) => {
      const open = view.marks.openText(resolvedPath, text)
      if (open === undefined) throw notFoundError()
      return open
    }
    openText('')
    return await read(openText)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'file_not_found') throw error
    const { movedTo } = error.data
    const isOpen = typeof movedTo === 'string' && (await view.textAt(movedTo)) !== undefined
    throw isOpen ? error : notFoundError()
  }
}

/** What programs without full access see of an agent. */
export class ClientView {
  readonly marks: PrivacyMarks
  readonly #agent: Agent

  constructor(agent: Agent) {
    this.#agent = agent
    this.marks = agent.marks()
  }

  /** Returns the visible text of a note or of `sessions/ID.jsonl`; undefined if it is hidden or unreadable. */
  async textAt(path: string): Promise<string | undefined> {
    const file = await orUndefined(this.#agent.readSearched(path))
    return file && this.marks.openText(file.path, file.text)
  }

  /** Returns the visible files. Size and tokens of partly private ones count the visible text; their words are 0. */
  async files(files: readonly FileEntry[]): Promise<FileEntry[]> {
    const privacyByPath = await this.#agent.privacyOf(files)
    const open = await openFiles(files, privacyByPath, (path) => this.textAt(path))
    return open.map(({ privacy: _privacy, ...file }) =>
      privacyByPath.has(file.path) ? { ...file, words: 0, tokens: Math.ceil(file.size / 4) } : file,
    )
  }

  /** Removes results whose lines have become private or have changed since they were indexed. */
  async results(response: SearchResponse): Promise<SearchResponse> {
    return { ...response, results: await this.#places(response.results), notice: visibleNotice(response.notice) }
  }

  /** Removes candidates as `results`, and the explanation of private lines. */
  async explanation({ why, ...explanation }: Explanation): Promise<Explanation> {
    const candidates = await this.#places(explanation.candidates)
    const visible = { ...explanation, candidates, notice: visibleNotice(explanation.notice) }
    if (!why) return visible
    const { path, line } = why
    const requested = await orUndefined(this.#agent.readSearched(path))
    const isVisible = requested && this.marks.openText(requested.path, requested.text) === requested.text
    // Gives the same answer for all lines of a note with private lines, and for notes that do not exist.
    return { ...visible, why: isVisible ? why : { path, line, candidate: null, rank: null, reason: 'private' } }
  }

  /** Returns the open places without the hash of their file, which would confirm guesses of its private lines. */
  async #places<T extends Place>(places: readonly T[]): Promise<Omit<T, 'fileHash'>[]> {
    const open = await openPlaces(places, this.marks, (path) => orUndefined(this.#agent.readSearched(path)))
    return open.map(({ fileHash: _hash, ...place }) => place)
  }

  /**
   * Returns the history entries of notes that exist and have no private text, with the lines that they added and that
   * the notes still have. Removed lines may have been private.
   */
  async entries(entries: readonly HistoryEntry[]): Promise<HistoryEntry[]> {
    if (entries.length === 0) return []
    const { files } = await this.#agent.workspace.list()
    const privacy = await this.#agent.privacyOf(files)
    const open = new Set(files.flatMap(({ path }) => (privacy.has(path) ? [] : [path])))
    const visible = entries.map(async (entry) => {
      if (!open.has(entry.now)) return []
      const { patch } = await this.#agent.history.diff(entry.change, entry.path)
      const lines = await this.diff(entry, patch)
      return lines === '' ? [] : [{ ...entry, added: lines.split('\n').length, removed: 0 }]
    })
    return (await Promise.all(visible)).flat()
  }

  /** Returns the lines that a change added and that the requester still sees in the note. */
  async diff({ change, path }: Pick<HistoryEntry, 'change' | 'path'>, patch: string): Promise<string> {
    const currentPath = this.#agent.history.currentPath(path, change)
    const text = this.#agent.isForPrograms(currentPath) ? await this.textAt(currentPath) : undefined
    const lines = new Set(text?.split('\n').map((line) => line.trim()))
    const isVisible = (line: string) => /^\+(?!\+\+)/.test(line) && lines.has(line.slice(1).trim())
    return patch.split('\n').filter(isVisible).join('\n')
  }
}

function visibleNotice(notice: SearchResponse['notice']): SearchResponse['notice'] {
  return notice?.code === 'query_private' || notice?.code === 'vectors_private' ? null : notice
}
