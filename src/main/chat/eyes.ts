/**
 * What the model of a turn gets to see of a memory, and what of that it may write down where (M64). A remote model is
 * shown local lines as held back, and may not take away, move or unlock what it does not see. What a local model writes
 * with local notes before it is local too.
 */
import { AppError } from '../../shared/errors.ts'
import type { ToolCallPart, ToolResultMessage } from '../../shared/messages.ts'
import { keepsLocal, withAddedLocal } from '../../shared/visibility-edit.ts'
import { fileKind, type Layout } from '../workspace/index.ts'
import { nothingHeld, withheldMessages, type ChatModel, type Look } from '../models/index.ts'

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
   * The text that is written for it.
   * @param isOfLocal local notes were before the model when it asked for that
   * @throws AppError `local_only`
   */
  async written(path: string, before: string | undefined, after: string, isOfLocal: boolean): Promise<string> {
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
