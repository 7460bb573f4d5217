import { existsSync } from 'node:fs'
import type { IndexProblems } from './index-problems.ts'
import type { IndexedFolder } from './indexed-folder.ts'
import { FolderWatcher } from './watcher.ts'

export interface FolderEvents {
  /** A path of the first folder, relative to it. */
  readonly onPath: (path: string) => void
  /** Something in one of the others. */
  readonly onOther: () => void
  /** A watcher sees its whole folder now; what changed before may have been missed. */
  readonly onReady: () => void
}

export class FolderWatchers {
  readonly #events: FolderEvents
  readonly #problems: IndexProblems
  #watchers: FolderWatcher[] = []
  /** Folders that are polled because the system watches no more. */
  readonly #limited = new Set<string>()

  constructor(events: FolderEvents, problems: IndexProblems) {
    this.#events = events
    this.#problems = problems
  }

  /** Transcripts are the app's own: whoever writes them says so. */
  watch(folders: readonly IndexedFolder[]): void {
    const [first] = folders
    this.#watchers = folders
      .filter(({ source, folder }) => source !== 'sessions' && existsSync(folder))
      .map((one) => this.#watch(one.folder, one === first))
  }

  async close(): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.close()))
  }

  #watch(folder: string, isFirst: boolean): FolderWatcher {
    return new FolderWatcher(folder, {
      onChange: (path) => (isFirst ? this.#events.onPath(path) : this.#events.onOther()),
      onReady: this.#events.onReady,
      onLimit: (reason) => {
        this.#limited.add(folder)
        this.#problems.begin('watch_limit', reason)
      },
      onRoom: () => {
        this.#limited.delete(folder)
        if (this.#limited.size === 0) this.#problems.end('watch_limit')
      },
      onError: (error) => this.#problems.begin('watch_failed', error instanceof Error ? error.message : String(error)),
    })
  }
}
