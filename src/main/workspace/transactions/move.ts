/** Moves of notes and folders that keep on this machine what the settings kept there by its place (M64). */
import { AppError } from '#shared/util/errors.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { keptWith, type LocalRules } from '../files/keep-visibility.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import type { TextFile } from '../files/text-files.ts'
import { normalizeRequest } from '../files/paths.ts'
import type { Batch } from './change-journal.ts'
import type { TransactionTools } from './recovery.ts'
import type { TextWrite } from './settle-text.ts'
import { isFolderAt, runTransaction, type TransactionWatch } from './transaction.ts'

export interface MovingOptions {
  readonly tools: TransactionTools
  /** What the settings keep on this machine; nothing when left out. */
  readonly local: LocalRules | undefined
  /** Paths of the notes below a folder. */
  readonly below: (folder: string) => Promise<readonly string[]>
  /** @throws AppError as `Workspace.read` */
  readonly read: (path: string) => Promise<TextFile>
}

/** What a move came to. */
export interface Relocated {
  /** Notes that say since then that they stay on this machine, for their new place does not. */
  readonly kept: readonly TextWrite[]
  /** Folders that were made for it, the innermost first. */
  readonly made: readonly string[]
}

export class Moving {
  readonly #options: MovingOptions

  constructor(options: MovingOptions) {
    this.#options = options
  }

  /** Only while nobody else writes. @throws as `runTransaction` */
  async run(
    batch: Batch,
    texts: readonly TextWrite[],
    origin: WriteOrigin,
    watch?: TransactionWatch,
  ): Promise<Relocated> {
    const { local, tools } = this.#options
    if (!batch.move || !local) return { kept: [], made: await runTransaction(tools, batch, texts, origin, watch) }
    const moving = await this.#look(batch.move)
    const kept = await keptWith(local, moving, texts, (path) => this.#readIfText(path))
    const settle = await local.follow(moving.move, moving.isFolder)
    let made: readonly string[]
    try {
      made = await runTransaction(tools, batch, kept.texts, origin, watch)
    } catch (error) {
      await settle(false)
      throw error
    }
    await settle(true)
    return { kept: kept.added, made }
  }

  /** Whether anything of it stays on this machine that the settings name by its place. */
  async isKeptLocal(move: Move): Promise<boolean> {
    const { paths } = await this.#look(move)
    return paths.some((path) => this.#options.local?.covers(path))
  }

  async #look(asked: Move) {
    const move = { from: normalizeRequest(asked.from), to: normalizeRequest(asked.to) }
    const isFolder = await isFolderAt(this.#options.tools.roots, move.from)
    return { move, isFolder, paths: isFolder ? await this.#options.below(move.from) : [move.from] }
  }

  async #readIfText(path: string): Promise<TextFile | undefined> {
    try {
      return await this.#options.read(path)
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }
}
