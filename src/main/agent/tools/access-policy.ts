/**
 * Decides which text of the memory the model of a chat may see and change. In an open chat, it sees a placeholder instead
 * of a private line, and must not remove or publish it. In a private chat, it sees everything, and what it writes is
 * private.
 */
import { AppError } from '#shared/util/errors.ts'
import { createUserTextMatcher } from '#shared/markdown/user-text.ts'
import { withAddedSource } from '#shared/markdown/provenance-edit.ts'
import { isCoveredBy, sourceMark, sourceName, sourcesIn, withSource, type Source } from '#shared/markdown/provenance.ts'
import { privateLinesOf, redactPrivate, redactionPlaceholder, visibilityOf } from '#shared/markdown/visibility.ts'
import { addedLines, hasContent, withAddedPrivate } from '#shared/markdown/visibility-edit.ts'
import type { Clock } from '#platform'
import { fileKind, followerOf, localDate, type Layout } from '#workspace'
import { openPlaces, type Place, type PrivacyMarks, type ReadPlace } from '#workspace/privacy'

/** The sources of a change, and the way to propose it to the user. */
export interface WriteBackground {
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
}

/** Creates the error for a change that waits in the inbox. */
function proposedError(path: string, sources: readonly Source[]): AppError {
  const from = sources.map(sourceName).join('; ')
  const elsewhere = `some of this conversation comes from elsewhere (${from})`
  const reason = from === '' ? 'other programs follow files of this name as instructions' : elsewhere
  const message = `${path} was not changed: ${reason}, so the change waits in the inbox until the user accepts it`
  return new AppError('write_proposed', message, { path })
}

/** A heading that the app adds to the log. */
const logHeading = /^#{1,2} (?:\d{4}-\d{2}-\d{2}|\d{2}:\d{2})$/

type Rewrite = (shown: string | undefined) => string

export class AccessPolicy {
  /** True in a private chat. */
  readonly seesPrivate: boolean
  readonly #marks: () => PrivacyMarks
  readonly #layout: () => Layout | undefined

  constructor(seesPrivate: boolean, marks: () => PrivacyMarks, layout: () => Layout | undefined = () => undefined) {
    this.seesPrivate = seesPrivate
    this.#marks = marks
    this.#layout = layout
  }

  /** Returns the text that the model may see; undefined if it is the whole file that it may not see. */
  visibleText(path: string, text: string): string | undefined {
    return this.seesPrivate ? text : this.#marks().openText(path, text)
  }

  /** Returns true if an open chat may not see all of the text. */
  hasPrivateText(path: string, text: string): boolean {
    return this.#marks().openText(path, text) !== text
  }

  /** Returns the places that the model may see. @param read as in `openPlaces` */
  async visiblePlaces<T extends Place>(places: readonly T[], read: ReadPlace): Promise<readonly T[]> {
    return this.seesPrivate ? places : openPlaces(places, this.#marks(), read)
  }

  /**
   * Applies an edit of the model and returns the text to write, with privacy and source marks.
   * @param rewrite edits the visible text; of a fully private file, it receives undefined if `needsExistingText` is true
   * @param needsExistingText true if the edit needs existing text
   * @throws AppError `private_lines`; `write_proposed` if the user must approve the change first
   */
  async applyEdit(
    path: string,
    before: string | undefined,
    rewrite: Rewrite,
    background: WriteBackground,
    { needsExistingText = false }: { readonly needsExistingText?: boolean } = {},
  ): Promise<string> {
    const after = this.seesPrivate ? rewrite(before) : this.#editOpenText(path, before, rewrite, needsExistingText)
    const isPrivate = this.seesPrivate && this.#marks().of(path, before ?? '').rule === undefined
    const isShared = fileKind(path, this.#layout()) !== 'note'
    const marked = isPrivate ? withAddedPrivate(before, after, isShared) : after
    return this.#withOrigin(path, before, marked, background)
  }

  #editOpenText(path: string, before: string | undefined, rewrite: Rewrite, needsExistingText: boolean): string {
    if (before === undefined) return rewrite(undefined)
    const note = this.#marks().of(path, before)
    if (note.isFullyPrivate && needsExistingText) return rewrite(undefined)
    const shown = redactPrivate(before, note)
    const after = rewrite(shown)
    if (shown === before) return after
    const restored = withRestoredLines(before, shown, after)
    if (restored === undefined || !keepsPrivateLines(before, restored)) throw privateLinesError(path)
    return restored
  }

  /** Marks text of untrusted sources. The user must approve changes of existing lines and of files with followers. */
  async #withOrigin(path: string, before: string | undefined, after: string, background: WriteBackground) {
    const { sources, userText, propose, now } = background
    const follower = followerOf(path, this.#layout()?.own)
    if (before === after || (sources.length === 0 && follower !== 'other')) return after
    const isTyped = createUserTextMatcher(userText)
    const isOwn = (line: string) => logHeading.test(line) || isTyped(line)
    const isAdded = addedLines(before ?? '', after).some(([, line]) => hasContent(line) && !isOwn(line))
    const isRemoved = addedLines(after, before ?? '').some(([, line]) => line.trim() !== '')
    // The user chose the imports.
    const mustAskForRemoval = sources.some(({ kind }) => kind !== 'import')
    const mustAsk = follower === 'this' ? isAdded || isRemoved : isRemoved && mustAskForRemoval
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
}

/** Creates the error for a missing file. It is the same for a hidden one, so that it does not reveal the file. */
export function missingFileError(path: string): AppError {
  return new AppError('file_not_found', `${path} does not exist`, { path })
}

/** Creates the error for a change that an open chat may not make, as the file has private lines. */
function privateLinesError(path: string): AppError {
  const message = `${path} has private lines: an open chat may add to it, but must keep every line that it is not shown`
  return new AppError('private_lines', message, { path })
}

/** Puts the original lines back in place of the placeholders; undefined if their number has changed. */
function withRestoredLines(before: string, shown: string, after: string): string | undefined {
  const isPlaceholder = (line: string | undefined) => line?.trim() === redactionPlaceholder
  const shownLines = shown.split(/\r?\n/)
  const originals = before.split(/\r?\n/).filter((_, index) => isPlaceholder(shownLines[index]))
  let next = 0
  const lines = after.split('\n').map((line) => {
    if (!isPlaceholder(line)) return line
    return (originals[next++] ?? '') + (line.endsWith('\r') ? '\r' : '')
  })
  return next === originals.length ? lines.join('\n') : undefined
}

/** Returns true if all private lines of `before` are in `after`, in their order and still private. */
function keepsPrivateLines(before: string, after: string): boolean {
  const lines = privateLinesOf(after, visibilityOf(after))
  let next = 0
  return privateLinesOf(before, visibilityOf(before)).every((line) => {
    next = lines.indexOf(line, next) + 1
    return next > 0
  })
}
