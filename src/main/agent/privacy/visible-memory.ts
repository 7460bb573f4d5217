/**
 * Decides which text of an agent's memory a reader sees. The user, private chats and programs with full access see
 * everything. Open chats and other programs see a placeholder instead of a private line, and no private notes and chats.
 */
import type { Explanation, FileEntry, MemoryScope, SearchResponse, SearchResult } from '#shared/contract/index.ts'
import { sourceName, sourcesOfLine } from '#shared/markdown/provenance.ts'
import { redactPrivate } from '#shared/markdown/visibility.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { linesIn } from '#shared/util/file-lines.ts'
import { type Memory, type SearchOverrides, sessionOfPath, transcriptText } from '#search'
import { exclusionReason, normalizePath, type Workspace } from '#workspace'
import type { PrivacyMarks } from '#workspace/privacy'

export interface Reader {
  readonly seesPrivate: boolean
  /** True for a program: it sees no private chats, and only the files of the memory. */
  readonly isProgram?: boolean
}

type SizedFile = Pick<FileEntry, 'path' | 'size' | 'modifiedAt'>

export interface MemorySources {
  readonly workspace: Workspace
  readonly memory: Memory
  /** Reads a note. @throws AppError as `Workspace.read`; `file_not_found` can have `movedTo` */
  readonly readNote: (path: string) => ReturnType<Workspace['read']>
  /** Returns the text of a transcript. @throws AppError `unknown_session`, also for a private one unless `mayBePrivate` */
  readonly readChat: (session: string, mayBePrivate: boolean) => Promise<string>
  readonly marks: () => PrivacyMarks
  readonly privacyOf: (files: readonly SizedFile[]) => Promise<ReadonlyMap<string, { readonly isWhole: boolean }>>
  readonly scope: () => MemoryScope
  /** Makes chats private, as `ChatPrivacy.settle`. */
  readonly settle: (signal?: AbortSignal) => Promise<boolean>
}

export interface VisibleText {
  /** Path without symbolic links. */
  readonly path: string
  readonly text: string
  /** Undefined for a chat. */
  readonly hash?: string
  /** 0-based lines that have a placeholder. */
  readonly hiddenLines: ReadonlySet<number>
}

type Place = Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'fileHash'>
type FoundFiles = ReadonlyMap<string, VisibleText | undefined>
const noFiles: FoundFiles = new Map()

export class VisibleMemory {
  readonly seesPrivate: boolean
  readonly #isProgram: boolean
  readonly #sources: MemorySources

  constructor(sources: MemorySources, { seesPrivate, isProgram = false }: Reader) {
    this.#sources = sources
    this.seesPrivate = seesPrivate
    this.#isProgram = isProgram
  }

  /** The current rules for private text, also if the reader sees it. Computed at each access: keep it for several files. */
  get marks(): PrivacyMarks {
    return this.#sources.marks()
  }

  /** Returns the text with a placeholder for each line that is hidden from the reader; undefined for a hidden file. */
  textOf(path: string, text: string): string | undefined {
    return this.seesPrivate ? text : this.marks.openText(path, text)
  }

  /** Returns true if the reader may see files at a path: programs see chats, extra folders, searched notes and `project` files. */
  covers(path: string): boolean {
    const { workspace, scope } = this.#sources
    // `memory.scope` does not apply to chats and extra folders.
    if (!this.#isProgram || sessionOfPath(path) !== undefined || workspace.isReadOnly(path)) return true
    const reason = exclusionReason(normalizePath(path), scope(), workspace.layout)
    return reason === undefined || reason === 'project'
  }

  /**
   * Reads a note, or the searchable text of a chat. A hidden file and a missing one give the same error.
   * @throws AppError `file_not_found`, `path_hidden` outside `covers`, and as `Workspace.read`
   */
  async read(path: string): Promise<VisibleText> {
    const mayBeHidden = sessionOfPath(path) !== undefined && (this.#isProgram || !this.seesPrivate)
    if (mayBeHidden && !(await this.#sources.settle())) throw missingFileError(path)
    if (this.covers(path)) return this.#read(path)
    throw new AppError('path_hidden', `${path} is not a note of this memory, or the user excluded it`, { path })
  }

  async #read(path: string, marks?: PrivacyMarks): Promise<VisibleText> {
    const { workspace, readNote, readChat } = this.#sources
    const session = sessionOfPath(path)
    try {
      const real = session === undefined ? await workspace.realPath(path) : path
      // Checks before reading: the error must not reveal that a hidden folder exists.
      const rules = this.seesPrivate ? undefined : (marks ?? this.marks)
      if (rules?.of(real, '').isFullyPrivate) throw missingFileError(path)
      const mayBePrivate = this.seesPrivate && !this.#isProgram
      const file: { text: string; hash?: string } =
        session === undefined ? await readNote(path) : { text: transcriptText(await readChat(session, mayBePrivate)) }
      if (!rules) return { ...file, path: real, hiddenLines: new Set() }
      const privacy = rules.of(real, file.text)
      if (privacy.isFullyPrivate) throw missingFileError(path)
      return { ...file, path: real, text: redactPrivate(file.text, privacy), hiddenLines: privacy.privateLines }
    } catch (error) {
      if (!(error instanceof AppError) || !['file_not_found', 'unknown_session'].includes(error.code)) throw error
      const { movedTo } = error.data
      const isVisible = this.seesPrivate
        ? session === undefined || !this.#isProgram
        : typeof movedTo === 'string' && (await orUndefined(this.#read(movedTo))) !== undefined
      throw isVisible ? error : missingFileError(path)
    }
  }

  /** Reads up to `count` lines. `total` is the number of all lines, `sources` those of the first. @param from 1-based @throws AppError as `read` */
  async lines(path: string, from: number, count: number) {
    const { text } = await this.read(path)
    const lines = linesIn(text)
    const sources = sourcesOfLine(text, from).map(sourceName)
    return { path, lines: lines.slice(from - 1, from - 1 + count), total: lines.length, sources }
  }

  /** Returns the visible files. The size of a partly private one (`isPartial`) is that of its visible text. */
  async files<T extends SizedFile>(files: readonly T[]): Promise<(T & { readonly isPartial?: true })[]> {
    if (this.seesPrivate) return [...files]
    const privacy = await this.#sources.privacyOf(files)
    const { marks } = this
    const found = files.map(async (file) => {
      const note = privacy.get(file.path)
      if (!note) return [file]
      const visible = note.isWhole ? undefined : await orUndefined(this.#read(file.path, marks))
      return visible ? [{ ...file, size: Buffer.byteLength(visible.text), isPartial: true as const }] : []
    })
    return (await Promise.all(found)).flat()
  }

  /** Searches the memory. @param options `hasPrivate` false leaves out private text that the reader may see @throws as `Memory.search` */
  async search(query: string, options: SearchOverrides = {}, signal?: AbortSignal): Promise<SearchResponse> {
    const response = await this.#sources.memory.search(query, await this.#overrides(options, signal), signal)
    return this.#visibleResponse(response, this.seesPrivate ? noFiles : await this.#filesOf(response.results))
  }

  /** Searches as `search`, and returns the files of the results by path, too. A file is missing if it cannot be read. */
  async searchFiles(query: string, options: SearchOverrides, signal: AbortSignal) {
    const response = await this.#sources.memory.search(query, await this.#overrides(options, signal), signal)
    const files = await this.#filesOf(response.results)
    return { response: this.#visibleResponse(response, files), files }
  }

  #visibleResponse(response: SearchResponse, files: FoundFiles): SearchResponse {
    return { ...response, results: this.#places(response.results, files), notice: this.#notice(response.notice) }
  }

  /** Explains as `Memory.explain`, without the candidates and the explanation of lines that the reader may not see. */
  async explain(
    query: string,
    options: SearchOverrides = {},
    place?: { path: string; line: number },
    signal?: AbortSignal,
  ): Promise<Explanation> {
    const overrides = await this.#overrides(options, signal)
    const found = await this.#sources.memory.explain(query, overrides, place, signal)
    const { why, ...explanation } = { ...found, notice: this.#notice(found.notice) }
    const files = this.seesPrivate ? noFiles : await this.#filesOf(found.candidates)
    const visible = { ...explanation, candidates: this.#places(found.candidates, files) }
    if (!why) return visible
    const { path, line } = why
    const isVisible = this.seesPrivate || (await orUndefined(this.#read(path)))?.hiddenLines.size === 0
    // Gives the same answer for all lines of a note with private lines, and for notes that do not exist.
    return { ...visible, why: isVisible ? why : { path, line, candidate: null, rank: null, reason: 'private' } }
  }

  async #overrides(options: SearchOverrides, signal: AbortSignal | undefined): Promise<SearchOverrides> {
    const hasPrivate = this.seesPrivate && options.hasPrivate !== false
    const isSafe = hasPrivate || (await this.#sources.settle(signal))
    const hasChats = isSafe && !this.#isProgram && options.hasChats !== false
    return { ...options, hasPrivate, hasChats, ...(this.#isProgram ? { showWeak: false } : {}) }
  }

  async #filesOf(places: readonly Place[]): Promise<FoundFiles> {
    const marks = this.seesPrivate ? undefined : this.marks
    const paths = [...new Set(places.map(({ path }) => path))]
    const files = paths.map(async (path) => [path, await orUndefined(this.#read(path, marks))] as const)
    return new Map(await Promise.all(files))
  }

  /**
   * Returns the indexed places whose lines are visible now. Drops those in files that have changed since they were
   * indexed, as their lines are elsewhere. The hash of a file would confirm guesses of its private lines.
   */
  #places<T extends Place>(places: readonly T[], files: FoundFiles): Omit<T, 'fileHash'>[] {
    if (this.seesPrivate) return [...places]
    return places.flatMap(({ fileHash, ...place }) => {
      const { path, startLine, endLine } = place
      const file = files.get(path)
      if (!file || (file.hash !== undefined && fileHash !== undefined && file.hash !== fileHash)) return []
      return [...file.hiddenLines].some((line) => startLine <= line + 1 && line + 1 <= endLine) ? [] : [place]
    })
  }

  #notice(notice: SearchResponse['notice']): SearchResponse['notice'] {
    const isOfPrivate = notice?.code === 'query_private' || notice?.code === 'vectors_private'
    return isOfPrivate && !this.seesPrivate ? null : notice
  }
}

/** Creates the error for a missing file. It is the same for a hidden one, so that it does not reveal the file. */
export function missingFileError(path: string): AppError {
  return new AppError('file_not_found', `${path} does not exist`, { path })
}
