/** Looks from time to time whether the disks that hold the memory have room; whoever cannot write says so by itself. */
import { statfs } from 'node:fs/promises'
import { isSystemError } from '../../shared/errors.ts'
import type { Health } from './health.ts'

/** Less than this is soon full, bytes. */
const lowBytes = 100_000_000
const intervalMs = 60_000

export class DiskWatch {
  readonly #health: Health
  readonly #folders: () => Promise<readonly string[]>
  readonly #onFault: (error: unknown) => void
  readonly #timer: NodeJS.Timeout

  /** @param folders that are looked at, asked for anew each time */
  constructor(health: Health, folders: () => Promise<readonly string[]>, onFault: (error: unknown) => void) {
    this.#health = health
    this.#folders = folders
    this.#onFault = onFault
    this.#timer = setInterval(() => this.#lookSoon(), intervalMs)
    this.#timer.unref()
    this.#lookSoon()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async look(): Promise<void> {
    const reports = await Promise.all((await this.#folders()).map((path) => lowOn(path)))
    this.#health.replace(
      ['disk'],
      reports.filter((report) => report !== undefined),
    )
  }

  #lookSoon(): void {
    void this.look().catch(this.#onFault)
  }
}

async function lowOn(path: string) {
  try {
    const { bavail, bsize } = await statfs(path)
    const free = bavail * bsize
    if (free >= lowBytes) return undefined
    return {
      part: 'disk',
      code: free < 1_000_000 ? 'full' : 'low',
      level: free < 1_000_000 ? 'bad' : 'warning',
      message: `${(free / 1e6).toFixed(1)} MB free in ${path}`,
      path,
      remedy: { kind: 'settings', section: 'data' },
    } as const
  } catch (error) {
    // What is not there yet has no disk; file systems without figures tell nothing.
    if (isSystemError(error)) return undefined
    throw error
  }
}
