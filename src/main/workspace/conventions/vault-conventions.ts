import type { VaultConventions } from '#shared/contract/index.ts'
import { isDailyFormat } from '#shared/markdown/daily-notes.ts'
import { EventEmitter, type Subscribable } from '#platform'
import { usualDaily } from '../files/layout.ts'
import { readConventions } from './read-conventions.ts'

/** Conventions from this app's settings. Undefined values come from the vault. */
export interface ConventionOverrides {
  /** Folder of the agent's own files; empty for the top. */
  readonly own?: string | undefined
  readonly daily: { readonly folder?: string | undefined; readonly format?: string | undefined }
  /** `beside` the note, a folder, or `./files` for one below the note's. */
  readonly attachments?: string | undefined
  readonly ignored: readonly string[]
}

/** Conventions of a vault: those of the program that made it, overridden by this app's settings. */
export class ConventionsReader {
  readonly changes: Subscribable<void>
  readonly #changes = new EventEmitter()
  readonly #root: string
  readonly #own: () => ConventionOverrides
  #found: VaultConventions
  #paths: readonly string[] | undefined

  private constructor(root: string, own: () => ConventionOverrides, found: VaultConventions) {
    this.changes = this.#changes
    this.#root = root
    this.#own = own
    this.#found = found
  }

  /** @param root absolute */
  static async open(root: string, own: () => ConventionOverrides): Promise<ConventionsReader> {
    return new ConventionsReader(root, own, await readConventions(root))
  }

  /** Conventions of the program that made the vault. */
  get detected(): VaultConventions {
    return this.#found
  }

  /** Detected conventions with the overrides of this app's settings. */
  get effective(): VaultConventions {
    return applyOverrides(this.#found, this.#own())
  }

  /** Reads the vault's settings again. @param paths paths of the notes; defaults to those of the previous call */
  async refresh(paths: readonly string[] | undefined = this.#paths): Promise<void> {
    this.#paths = paths
    const found = await readConventions(this.#root, paths)
    if (JSON.stringify(found) === JSON.stringify(this.#found)) return
    this.#found = found
    this.#changes.emit()
  }
}

/** Overrides the vault's conventions by those of this app's settings. */
export function applyOverrides(found: VaultConventions, own: ConventionOverrides): VaultConventions {
  const ownFolder = normalizeFolder(own.own ?? found.own)
  const defaultDaily = found.hasDaily ? found.daily : usualDaily(ownFolder)
  const { folder = defaultDaily.folder, format = defaultDaily.format } = own.daily
  return {
    ...found,
    daily: { folder: normalizeFolder(folder), format: isDailyFormat(format) ? format : defaultDaily.format },
    own: ownFolder,
    attachments: parseAttachments(own.attachments) ?? found.attachments,
    ignored: [...found.ignored, ...own.ignored.map(normalizeFolder).filter(Boolean)],
  }
}

function parseAttachments(folderSetting: string | undefined): VaultConventions['attachments'] | undefined {
  if (folderSetting === undefined || folderSetting === 'beside') return folderSetting
  const folder = normalizeFolder(folderSetting)
  if (!/^\.[\\/]/.test(folderSetting)) return { path: folder }
  return folder === '' ? 'beside' : { below: folder }
}

function normalizeFolder(folder: string): string {
  return folder
    .split(/[\\/]/)
    .filter((step) => step !== '' && step !== '.')
    .join('/')
}
