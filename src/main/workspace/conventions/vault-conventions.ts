import type { Habits } from '#shared/contract/index.ts'
import { isDailyFormat } from '#shared/markdown/daily-notes.ts'
import { Changes, type Announcements } from '#platform'
import { usualDaily } from '../files/layout.ts'
import { readHabits } from './read-conventions.ts'

/** Conventions from this app's settings. Undefined values come from the vault. */
export interface OwnHabits {
  /** Folder of the agent's own files; empty for the top. */
  readonly own?: string | undefined
  readonly daily: { readonly folder?: string | undefined; readonly format?: string | undefined }
  /** `beside` the note, a folder, or `./files` for one below the note's. */
  readonly attachments?: string | undefined
  readonly ignored: readonly string[]
}

/** Conventions of a vault: those of the program that made it, overridden by this app's settings. */
export class VaultHabits {
  /** Emitted when the vault's conventions have changed. */
  readonly changes: Announcements<void>
  readonly #changes = new Changes()
  readonly #root: string
  readonly #own: () => OwnHabits
  #found: Habits
  #paths: readonly string[] | undefined

  private constructor(root: string, own: () => OwnHabits, found: Habits) {
    this.changes = this.#changes
    this.#root = root
    this.#own = own
    this.#found = found
  }

  /** @param root absolute */
  static async open(root: string, own: () => OwnHabits): Promise<VaultHabits> {
    return new VaultHabits(root, own, await readHabits(root))
  }

  /** Conventions that were read from the vault. */
  get found(): Habits {
    return this.#found
  }

  /** Conventions in effect. */
  get kept(): Habits {
    return withOwn(this.#found, this.#own())
  }

  /** Reads the vault's settings again. @param paths paths of the notes; defaults to those of the previous call */
  async refresh(paths: readonly string[] | undefined = this.#paths): Promise<void> {
    this.#paths = paths
    const found = await readHabits(this.#root, paths)
    if (JSON.stringify(found) === JSON.stringify(this.#found)) return
    this.#found = found
    this.#changes.announce()
  }
}

/** Overrides the vault's conventions by those of this app's settings. */
export function withOwn(found: Habits, own: OwnHabits): Habits {
  const ownFolder = trimmed(own.own ?? found.own)
  const usual = found.hasDaily ? found.daily : usualDaily(ownFolder)
  const { folder = usual.folder, format = usual.format } = own.daily
  return {
    ...found,
    daily: { folder: trimmed(folder), format: isDailyFormat(format) ? format : usual.format },
    own: ownFolder,
    attachments: attachmentsIn(own.attachments) ?? found.attachments,
    ignored: [...found.ignored, ...own.ignored.map(trimmed).filter(Boolean)],
  }
}

function attachmentsIn(place: string | undefined): Habits['attachments'] | undefined {
  if (place === undefined || place === 'beside') return place
  const folder = trimmed(place)
  if (!/^\.[\\/]/.test(place)) return { path: folder }
  return folder === '' ? 'beside' : { below: folder }
}

function trimmed(folder: string): string {
  return folder
    .split(/[\\/]/)
    .filter((step) => step !== '' && step !== '.')
    .join('/')
}
