/**
 * Decides which text of the memory the model of a turn may see and change. A remote model sees a placeholder instead of a
 * local line, and must not remove, move or publish it. What a local model derives from local text becomes local.
 */
import { AppError } from '#shared/util/errors.ts'
import { noUsage, type Message, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'
import { createUserTextMatcher } from '#shared/markdown/user-text.ts'
import { withAddedSource } from '#shared/markdown/provenance-edit.ts'
import { isCoveredBy, sourceMark, sourceName, sourcesIn, withSource, type Source } from '#shared/markdown/provenance.ts'
import { addedLines, hasContent, withAddedLocal } from '#shared/markdown/visibility-edit.ts'
import type { Clock } from '#platform'
import { fileKind, followerOf, localDate, type Layout, type WriteOrigin } from '#workspace'
import { noRedactions, guessesOf, redactMessages, type TakeSnapshot, type ChatModel } from '#llm'
import type { LocalNote } from '#workspace/privacy'
import { redactForEdit } from './redaction.ts'

/** The sources of a change, and the way to propose it to the user. */
export interface WriteBackground {
  /** True if the request contains local text. */
  readonly derivesFromLocal: boolean
  /** Untrusted sources of text in the request. */
  readonly sources: readonly Source[]
  /** Text that the user typed. */
  readonly userText: string
  /** Adds the change to the inbox. */
  readonly propose: (change: ProposedChange) => Promise<void>
  readonly now: Clock
}

export interface ProposedChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string
  readonly sources: readonly Source[]
  /** Note that moves to the trash: `path` for a deletion, the old path for a move. */
  readonly removes?: string
}

/** Returns the origin of a write, with its sources. */
export function withSources({ origin, sources }: { readonly origin: WriteOrigin } & WriteBackground): WriteOrigin {
  return sources.length === 0 ? origin : { ...origin, sources: sources.map(sourceName) }
}

/** Returns true if the user must approve deletions, moves and changes of existing lines. The user chose the imports. */
export function mustAskForRemoval({ sources }: Pick<WriteBackground, 'sources'>): boolean {
  return sources.some(({ kind }) => kind !== 'import')
}

/** Creates the error for a change that waits in the inbox. */
export function proposedError(path: string, sources: readonly Source[]): AppError {
  const from = sources.map(sourceName).join('; ')
  const elsewhere = `some of this conversation comes from elsewhere (${from})`
  const reason = from === '' ? 'other programs follow files of this name as instructions' : elsewhere
  const message = `${path} was not changed: ${reason}, so the change waits in the inbox until the user accepts it`
  return new AppError('write_proposed', message, { path })
}

export class AccessPolicy {
  /** True for a model on this machine, which sees everything. */
  readonly isLocal: boolean
  readonly #look: TakeSnapshot
  readonly #layout: () => Layout | undefined
  readonly #messages: () => readonly Message[]

  /** @param messages of the chat */
  constructor(
    { isLocal }: Pick<ChatModel, 'isLocal'>,
    look: TakeSnapshot,
    layout: () => Layout | undefined = () => undefined,
    messages: () => readonly Message[] = () => [],
  ) {
    this.isLocal = isLocal
    this.#look = look
    this.#layout = layout
    this.#messages = messages
  }

  /** Returns the model's own guesses of local text, which are not redacted. */
  #known() {
    return guessesOf(this.#messages())
  }

  /** Returns a file's text with local lines redacted. @throws AppError `file_not_found` if the whole file is local */
  async visibleText(path: string, text: string): Promise<string> {
    if (this.isLocal) return text
    const sight = await this.#look()
    if (sight.of(path, text).isFullyLocal) throw this.missingFileError(path)
    return sight.shown(path, text).text
  }

  /** Creates the error for a missing file. It is the same for a hidden one, so that it does not reveal the file. */
  missingFileError(path: string): AppError {
    const reason = this.isLocal ? 'does not exist' : 'does not exist, or stays on this machine'
    return new AppError('file_not_found', `${path} ${reason}`, { path })
  }

  /** Returns false for a hidden file. @param text of the file; `''` to check only the rules of the settings */
  async mayName(path: string, text?: string): Promise<boolean> {
    if (this.isLocal) return true
    const sight = await this.#look()
    return !(text === undefined ? sight.notes.get(path) : sight.of(path, text))?.isFullyLocal
  }

  /** Returns true if a local line is among the lines (1-based, inclusive) of a file. @param text of the whole file */
  async hasLocalLines(
    path: string,
    text: string,
    { startLine, endLine }: { readonly startLine: number; readonly endLine: number },
  ): Promise<boolean> {
    if (this.isLocal) return false
    const { isFullyLocal, localLines } = (await this.#look()).of(path, text)
    return isFullyLocal || [...localLines].some((line) => startLine <= line + 1 && line + 1 <= endLine)
  }

  /** Returns the visibility of all notes with hidden text, by path. */
  async visibilityByPath(): Promise<ReadonlyMap<string, LocalNote>> {
    return this.isLocal ? new Map() : (await this.#look()).notes
  }

  async hasHiddenNotes(): Promise<boolean> {
    return (await this.visibilityByPath()).size > 0
  }

  /** Redacts a text that is not the text of a file. */
  async redact(text: string): Promise<string> {
    return this.isLocal ? text : (await this.#look()).net.redact(text, undefined, { known: this.#known() })
  }

  /** Returns true if the result of a call contains local text for a local model. */
  async derivesFromLocal(call: ToolCallPart, text: string): Promise<boolean> {
    if (!this.isLocal) return false
    const sight = await this.#look()
    const { path } = call.arguments
    return (typeof path === 'string' && sight.notes.get(path)?.isFullyLocal === true) || sight.net.contains(text)
  }

  /** Redacts the result of a call for a remote model, so that its transcript contains no local text either. */
  async redactResult(call: ToolCallPart, result: ToolResultMessage): Promise<ToolResultMessage> {
    if (this.isLocal) return result
    const stub = { role: 'assistant' as const, content: [call], ...unknownAnswer }
    const [, redacted] = redactMessages([stub, result], await this.#look(), noRedactions(), this.#known())
    return redacted?.role === 'toolResult' ? redacted : result
  }

  /**
   * Applies an edit of the model and returns the text to write, with privacy and source marks.
   * @param rewrite edits the visible text; of a fully local file, it receives undefined if `needsExistingText` is true
   * @param needsExistingText true if the edit needs existing text
   * @throws AppError `local_only`; `write_proposed` if the user must approve the change first
   */
  async applyEdit(
    path: string,
    before: string | undefined,
    rewrite: (shown: string | undefined) => string,
    background: WriteBackground,
    { needsExistingText = false }: { readonly needsExistingText?: boolean } = {},
  ): Promise<string> {
    const after = this.isLocal ? rewrite(before) : await this.#unveiled(path, before, rewrite, needsExistingText)
    const marked = await this.#withVisibility(path, before, after, background.derivesFromLocal)
    return this.#withOrigin(path, before, marked, background)
  }

  async #unveiled(
    path: string,
    before: string | undefined,
    rewrite: (shown: string | undefined) => string,
    needsExistingText: boolean,
  ): Promise<string> {
    if (before === undefined) return rewrite(undefined)
    const sight = await this.#look()
    const note = sight.of(path, before)
    if (note.isFullyLocal && needsExistingText) return rewrite(undefined)
    const isNote = sight.notes.get(path) === undefined
    const byPlace = sight.shown(path, before).text
    const veiled = redactForEdit(before, { note, byPlace, net: sight.net, isNote, known: this.#known() })
    const after = veiled.restore(rewrite(veiled.shown))
    if (after === undefined) throw unseen(path)
    return after
  }

  /** Marks text of untrusted sources. The user must approve changes of existing lines and of files with followers. */
  async #withOrigin(
    path: string,
    before: string | undefined,
    after: string,
    background: WriteBackground,
  ): Promise<string> {
    const { sources, userText: typed, propose, now } = background
    const follower = followerOf(path, this.#layout()?.own)
    if (before === after || (sources.length === 0 && follower !== 'other')) return after
    const lines = after.split(/\r?\n/)
    const isOwn = createUserTextMatcher(typed)
    const isForeign = (line: number) => hasContent(lines[line] ?? '') && !isOwn(lines[line] ?? '')
    const isAdded = addedLines(before ?? '', after).some(isForeign)
    const oldLines = (before ?? '').split(/\r?\n/)
    const isRemoved = addedLines(after, before ?? '').some((at) => oldLines[at]?.trim() !== '')
    const mustAsk = follower === 'this' ? isAdded || isRemoved : isRemoved && mustAskForRemoval(background)
    if (follower === 'other' || mustAsk) {
      await propose({ path, before, after, sources })
      throw proposedError(path, sources)
    }
    if (!isAdded) return after
    const kind = fileKind(path, this.#layout())
    const day = localDate(now())
    if ((before === undefined || before.trim() === '') && kind === 'note') return withSource(after, sources, day)
    const isCovered = (line: string) => isCoveredBy(sourcesIn(line), sources) || isOwn(line)
    return withAddedSource(before ?? '', after, sourceMark(sources, day), isCovered)
  }

  async #withVisibility(path: string, before: string | undefined, after: string, isLocal: boolean): Promise<string> {
    if (!this.isLocal || !isLocal || (await this.#look()).of(path, before ?? '').rule !== undefined) return after
    return withAddedLocal(before, after, fileKind(path, this.#layout()) !== 'note')
  }

  /** @throws AppError `local_only`, or `file_not_found` if the whole file is local */
  async assertMayMove(path: string): Promise<void> {
    if (this.isLocal) return
    const note = (await this.#look()).notes.get(path)
    if (note) throw note.isFullyLocal ? this.missingFileError(path) : unseen(path)
  }
}

const unknownAnswer = { provider: '', model: '', usage: noUsage, stopReason: 'toolUse', timestamp: 0 } as const

function unseen(path: string): AppError {
  const message = `${path} has lines that stay on this machine: a remote model may add to it, but change nothing of what it is not shown`
  return new AppError('local_only', message, { path })
}
