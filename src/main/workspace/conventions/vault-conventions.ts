import type { VaultConventions } from '#shared/contract/index.ts'
import { isDailyFormat } from '#shared/markdown/daily-notes.ts'
import { type AgentSettings, EventEmitter, KeyedQueue, type Subscribable } from '#platform'
import { defaultDaily } from '../files/layout.ts'
import { normalizeFolder, readConventions } from './read-conventions.ts'

/** Conventions from this app's settings. Undefined values come from the vault. */
type ConventionOverrides = Omit<AgentSettings['vault'], 'ignored'> & { readonly ignored: readonly string[] }

/** Conventions of a vault: those of the program that created it, overridden by this app's settings. */
export class ConventionsReader {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #root: string
  readonly #overrides: () => ConventionOverrides
  #detected: VaultConventions
  #paths: readonly string[] | undefined
  readonly #queue = new KeyedQueue()

  private constructor(root: string, overrides: () => ConventionOverrides, detected: VaultConventions) {
    this.#root = root
    this.#overrides = overrides
    this.#detected = detected
  }

  /** @param root absolute */
  static async open(root: string, overrides: () => ConventionOverrides): Promise<ConventionsReader> {
    return new ConventionsReader(root, overrides, await readConventions(root, undefined, overrides().own))
  }

  get detected(): VaultConventions {
    return this.#detected
  }

  get effective(): VaultConventions {
    return applyOverrides(this.#detected, this.#overrides())
  }

  /** Reads the vault's settings again. @param paths paths of the notes; defaults to those of the previous call */
  refresh(paths?: readonly string[]): Promise<void> {
    // One after the other: an earlier reading must not replace a later one.
    return this.#queue.run('', async () => {
      this.#paths = paths ?? this.#paths
      const detected = await readConventions(this.#root, this.#paths, this.#overrides().own)
      if (JSON.stringify(detected) === JSON.stringify(this.#detected)) return
      this.#detected = detected
      this.#changes.emit()
    })
  }
}

export function applyOverrides(detected: VaultConventions, overrides: ConventionOverrides): VaultConventions {
  const ownFolder = normalizeFolder(overrides.own ?? detected.own)
  const baseDaily = detected.hasDaily ? detected.daily : defaultDaily(ownFolder)
  const { folder = baseDaily.folder, format = baseDaily.format } = overrides.daily
  return {
    ...detected,
    daily: { folder: normalizeFolder(folder), format: isDailyFormat(format) ? format : baseDaily.format },
    own: ownFolder,
    attachments: parseAttachments(overrides.attachments) ?? detected.attachments,
    ignored: [...detected.ignored, ...overrides.ignored.map(normalizeFolder).filter(Boolean)],
  }
}

function parseAttachments(folderSetting: string | undefined): VaultConventions['attachments'] | undefined {
  if (folderSetting === undefined || folderSetting === 'beside') return folderSetting
  const folder = normalizeFolder(folderSetting)
  if (!/^\.[\\/]/.test(folderSetting)) return { path: folder }
  return folder === '' ? 'beside' : { below: folder }
}
