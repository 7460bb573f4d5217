/**
 * What the model of a turn gets to see of a memory, and what of that it may write down where (M64). A remote model is
 * shown local lines as held back, and may not take away, move or unlock what it does not see. What a local model writes
 * with local notes before it is local too.
 */
import { AppError } from '#shared/util/errors.ts'
import type { Message, ToolCallPart, ToolResultMessage } from '#shared/chat/messages.ts'
import { createUserTextMatcher } from '#shared/markdown/user-text.ts'
import { withAddedSource } from '#shared/markdown/provenance-edit.ts'
import { isCoveredBy, sourceMark, sourceName, sourcesIn, withSource, type Source } from '#shared/markdown/provenance.ts'
import { addedLines, hasContent, withAddedLocal } from '#shared/markdown/visibility-edit.ts'
import type { Clock } from '#platform'
import { fileKind, localDate, type Layout, type WriteOrigin } from '#workspace'
import { nothingHeld, ownWordsOf, withheldMessages, type Look, type ChatModel } from '#llm'
import { seenPart, type LocalNote } from '#workspace/privacy'
import { veil } from './redaction.ts'

/** What a model that writes was given, and whom to ask where it may not. */
export interface WriteBackground {
  /** It asks with local notes before it (M64). */
  readonly isOfLocal: boolean
  /** Where some of what it was given comes from (M63). */
  readonly sources: readonly Source[]
  /** What the user typed. */
  readonly ownWords: string
  /** Has a person decide. */
  readonly propose: (change: ProposedChange) => Promise<void>
  readonly now: Clock
}

export interface ProposedChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string
  readonly sources: readonly Source[]
}

/** On whose account it is written, and what went into it. */
export function withSources({ origin, sources }: { readonly origin: WriteOrigin } & WriteBackground): WriteOrigin {
  return sources.length === 0 ? origin : { ...origin, sources: sources.map(sourceName) }
}

export class Eyes {
  /** It sees everything. */
  readonly isLocal: boolean
  readonly #look: Look
  readonly #layout: () => Layout | undefined
  readonly #messages: () => readonly Message[]

  /** @param messages of the conversation that it takes part in */
  constructor(
    { isLocal }: Pick<ChatModel, 'isLocal'>,
    look: Look,
    layout: () => Layout | undefined = () => undefined,
    messages: () => readonly Message[] = () => [],
  ) {
    this.isLocal = isLocal
    this.#look = look
    this.#layout = layout
    this.#messages = messages
  }

  /** Its own words are no secret to it. */
  #known() {
    return ownWordsOf(this.#messages())
  }

  /** A file's text as it is shown. @throws AppError `file_not_found` for one that stays here as a whole */
  async shown(path: string, text: string): Promise<string> {
    if (this.isLocal) return text
    const sight = await this.#look()
    if (sight.of(path, text).isWhole) throw this.missing(path)
    return sight.shown(path, text).text
  }

  /** What is said of a file that is not there: to whom not all is shown, the same as of one that is not shown. */
  missing(path: string): AppError {
    const said = this.isLocal ? 'does not exist' : 'does not exist, or stays on this machine'
    return new AppError('file_not_found', `${path} ${said}`, { path })
  }

  /** Whether a file may be named. @param text where it was read */
  async names(path: string, text?: string): Promise<boolean> {
    if (this.isLocal) return true
    const sight = await this.#look()
    return !(text === undefined ? sight.notes.get(path) : sight.of(path, text))?.isWhole
  }

  /** What it sees of a passage of a file that was found; undefined where that is nothing. */
  async part<T extends Parameters<typeof seenPart>[0]>(path: string, text: string, passage: T): Promise<T | undefined> {
    return this.isLocal ? passage : seenPart(passage, text, (await this.#look()).of(path, text))
  }

  /** All notes of which there is anything that it is not shown. */
  async hidden(): Promise<ReadonlyMap<string, LocalNote>> {
    return this.isLocal ? new Map() : (await this.#look()).notes
  }

  /** Whether there are any. */
  async missesAny(): Promise<boolean> {
    return (await this.hidden()).size > 0
  }

  /** Other words than a file's, as they are shown. */
  async words(text: string): Promise<string> {
    return this.isLocal ? text : (await this.#look()).net.withhold(text, undefined, { known: this.#known() })
  }

  /** Whether a result comes of local notes. */
  async isOfLocal(call: ToolCallPart, text: string): Promise<boolean> {
    if (!this.isLocal) return false
    const sight = await this.#look()
    const { path } = call.arguments
    return (typeof path === 'string' && sight.notes.get(path)?.isWhole === true) || sight.net.holds(text)
  }

  /** A result as it is stored: what a remote model was not shown stands in no transcript of it either. */
  async passed(call: ToolCallPart, result: ToolResultMessage): Promise<ToolResultMessage> {
    if (this.isLocal) return result
    const stub = { role: 'assistant' as const, content: [call], ...unknownAnswer }
    const [, passed] = withheldMessages([stub, result], await this.#look(), nothingHeld(), this.#known())
    return passed?.role === 'toolResult' ? passed : result
  }

  /**
   * The text that is written for it, with marks where it inherits any.
   * @param rewrite is given the text as it is shown
   * @param changes something that stands there: of a file that stays here as a whole, `rewrite` is given nothing then
   * @throws AppError `local_only`; `write_proposed` where a person has to say so first
   */
  async written(
    path: string,
    before: string | undefined,
    rewrite: (shown: string | undefined) => string,
    background: WriteBackground,
    { changes = false }: { readonly changes?: boolean } = {},
  ): Promise<string> {
    const after = this.isLocal ? rewrite(before) : await this.#unveiled(path, before, rewrite, changes)
    const kept = await this.#withVisibility(path, before, after, background.isOfLocal)
    return this.#withOrigin(path, before, kept, background)
  }

  async #unveiled(
    path: string,
    before: string | undefined,
    rewrite: (shown: string | undefined) => string,
    changes: boolean,
  ): Promise<string> {
    if (before === undefined) return rewrite(undefined)
    const sight = await this.#look()
    const note = sight.of(path, before)
    if (note.isWhole && changes) return rewrite(undefined)
    const isNote = sight.notes.get(path) === undefined
    const byPlace = sight.shown(path, before).text
    const veiled = veil(before, { note, byPlace, net: sight.net, isNote, known: this.#known() })
    const after = veiled.unveil(rewrite(veiled.shown))
    if (after === undefined) throw unseen(path)
    return after
  }

  /** Words of others reach what is in every request through a person alone; elsewhere they bear their mark (M63). */
  async #withOrigin(
    path: string,
    before: string | undefined,
    after: string,
    { sources, ownWords: typed, propose, now }: WriteBackground,
  ): Promise<string> {
    if (sources.length === 0 || before === after) return after
    const lines = after.split(/\r?\n/)
    const isOwn = createUserTextMatcher(typed)
    const isTheirs = (line: number) => hasContent(lines[line] ?? '') && !isOwn(lines[line] ?? '')
    const isAdded = addedLines(before ?? '', after).some(isTheirs)
    const kind = fileKind(path, this.#layout())
    if (kind === 'memory' || kind === 'project') {
      const isTaken = addedLines(after, before ?? '').some((at) => (before ?? '').split(/\r?\n/)[at]?.trim() !== '')
      if (!isAdded && !isTaken) return after
      await propose({ path, before, after, sources })
      const from = sources.map(sourceName).join('; ')
      const message = `${path} was not changed: some of this conversation comes from elsewhere (${from}), so the change waits in the inbox until the user accepts it`
      throw new AppError('write_proposed', message, { path })
    }
    if (!isAdded) return after
    const day = localDate(now())
    if ((before === undefined || before.trim() === '') && kind === 'note') return withSource(after, sources, day)
    const isCovered = (line: string) => isCoveredBy(sourcesIn(line), sources) || isOwn(line)
    return withAddedSource(before ?? '', after, sourceMark(sources, day), isCovered)
  }

  async #withVisibility(path: string, before: string | undefined, after: string, isOfLocal: boolean): Promise<string> {
    if (!this.isLocal || !isOfLocal || (await this.#look()).of(path, before ?? '').rule !== undefined) return after
    return withAddedLocal(before, after, fileKind(path, this.#layout()) !== 'note')
  }

  /** @throws AppError `local_only`, `file_not_found` for a file that is not its to move or take away */
  async assertMayMove(path: string): Promise<void> {
    if (this.isLocal) return
    const note = (await this.#look()).notes.get(path)
    if (note) throw note.isWhole ? this.missing(path) : unseen(path)
  }
}

const unknownAnswer = {
  provider: '',
  model: '',
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  stopReason: 'toolUse',
  timestamp: 0,
} as const

function unseen(path: string): AppError {
  const message = `${path} has lines that stay on this machine: a remote model may add to it, but change nothing of what it is not shown`
  return new AppError('local_only', message, { path })
}
