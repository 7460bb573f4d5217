/**
 * What the model of a turn gets to see of a memory, and what of that it may write down where (M64). A remote model is
 * shown local lines as held back, and may not take away, move or unlock what it does not see. What a local model writes
 * with local notes before it is local too.
 */
import { AppError } from '../../shared/errors.ts'
import type { ToolCallPart, ToolResultMessage } from '../../shared/messages.ts'
import { hasSourceMark, isOwnWords, sourceMark, sourceName, withSource, type Source } from '../../shared/provenance.ts'
import { addedLines, keepsLocal, saysSomething, withAddedLocal, withMarks } from '../../shared/visibility-edit.ts'
import type { Clock } from '../clock.ts'
import { fileKind, localDate, type Layout, type WriteOrigin } from '../workspace/index.ts'
import { nothingHeld, withheldMessages, type ChatModel, type Look } from '../models/index.ts'

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

  constructor({ isLocal }: Pick<ChatModel, 'isLocal'>, look: Look, layout: () => Layout | undefined = () => undefined) {
    this.isLocal = isLocal
    this.#look = look
    this.#layout = layout
  }

  /** A file's text as it is shown. */
  async shown(path: string, text: string): Promise<string> {
    if (this.isLocal) return text
    return (await this.#look()).shown(path, text).text
  }

  /** Whether lines of a file, 1-based and inclusive, may be shown. */
  async sees(path: string, text: string | undefined, from = 1, to = Infinity): Promise<boolean> {
    if (this.isLocal) return true
    const sight = await this.#look()
    const note = text === undefined ? sight.notes.get(path) : sight.of(path, text)
    if (!note) return true
    if (note.isWhole) return false
    for (const line of note.lines) if (line + 1 >= from && line + 1 <= to) return false
    return true
  }

  /** Whether there is anything at all that it is not shown. */
  async missesAny(): Promise<boolean> {
    return !this.isLocal && (await this.#look()).notes.size > 0
  }

  /** Other words than a file's, as they are shown. */
  async words(text: string): Promise<string> {
    return this.isLocal ? text : (await this.#look()).net.withhold(text)
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
    const [, passed] = withheldMessages([stub, result], await this.#look(), nothingHeld())
    return passed?.role === 'toolResult' ? passed : result
  }

  /**
   * The text that is written for it, with marks where it inherits any.
   * @throws AppError `local_only`; `write_proposed` where a person has to say so first
   */
  async written(path: string, before: string | undefined, after: string, background: WriteBackground): Promise<string> {
    const kept = await this.#withVisibility(path, before, after, background.isOfLocal)
    return this.#withOrigin(path, before, kept, background)
  }

  /** Words of others reach what is in every request through a person alone; elsewhere they bear their mark (M63). */
  async #withOrigin(
    path: string,
    before: string | undefined,
    after: string,
    { sources, ownWords, propose, now }: WriteBackground,
  ): Promise<string> {
    if (sources.length === 0 || before === after) return after
    const lines = after.split(/\r?\n/)
    const isTheirs = (line: number) => saysSomething(lines[line] ?? '') && !isOwnWords(lines[line] ?? '', ownWords)
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
    return withMarks(before ?? '', after, sourceMark(sources, day), (text, line) => {
      const said = text.split('\n')[line] ?? ''
      return hasSourceMark(said) || isOwnWords(said, ownWords)
    })
  }

  async #withVisibility(path: string, before: string | undefined, after: string, isOfLocal: boolean): Promise<string> {
    const sight = await this.#look()
    if (this.isLocal) {
      if (!isOfLocal || sight.of(path, before ?? '').rule !== undefined) return after
      return withAddedLocal(before, after, fileKind(path, this.#layout()) !== 'note')
    }
    if (before === undefined || keepsLocal(before, after)) {
      const note = before === undefined ? undefined : sight.of(path, before)
      // The settings keep all of it here: it may be added to.
      if (note?.rule === undefined || after.startsWith((before ?? '').trimEnd())) return after
    }
    throw unseen(path)
  }

  /** @throws AppError `local_only` for a file that is not its to move or take away */
  async assertMayMove(path: string): Promise<void> {
    if (!this.isLocal && (await this.#look()).notes.has(path)) throw unseen(path)
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
