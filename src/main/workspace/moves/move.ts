/** Moves of notes and folders that keep on this machine what the settings kept there by its place (M64). */
import { AppError } from '#shared/util/errors.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { keptWith, type KeptText, type LocalRules } from '../files/keep-visibility.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import type { TextFile } from '../files/text-files.ts'
import { normalizeRequest } from '../files/paths.ts'
import {
  isFolderAt,
  relocate,
  type MovedText,
  type Relocation,
  type RelocationWatch,
} from './multi-file-transaction.ts'

export interface MovingOptions {
  readonly relocation: Relocation
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
  readonly kept: readonly KeptText[]
  /** Folders that were made for it, the innermost first. */
  readonly made: readonly string[]
}

export class Moving {
  readonly #options: MovingOptions

  constructor(options: MovingOptions) {
    this.#options = options
  }

  /** Only while nobody else writes. @throws as `relocate` */
  async relocate(
    move: Move | undefined,
    texts: readonly MovedText[],
    origin: WriteOrigin,
    watch?: RelocationWatch,
  ): Promise<Relocated> {
    const { local, relocation } = this.#options
    if (!move || !local) return { kept: [], made: await relocate(relocation, move, texts, origin, watch) }
    const moving = await this.#look(move)
    const kept = await keptWith(local, moving, texts, (path) => this.#readIfText(path))
    const settle = await local.follow(moving.move, moving.isFolder)
    let made: readonly string[]
    try {
      made = await relocate(relocation, move, kept.texts, origin, watch)
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
    const isFolder = await isFolderAt(this.#options.relocation.roots, move.from)
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
