import { existsSync } from 'node:fs'
import type { IndexProblems } from './index-problems.ts'
import type { IndexedFolder } from './indexed-folder.ts'
import { FolderWatcher } from './watcher.ts'

export interface FolderEvents {
  /** A path in the first folder, relative to it. */
  readonly onWorkspaceChange: (path: string) => void
  /** Called for a change in another folder. */
  readonly onOtherFolderChange: () => void
  readonly onReady: () => void
}

export class FolderWatchers {
  readonly #events: FolderEvents
  readonly #problems: IndexProblems
  #watchers: FolderWatcher[] = []
  /** Folders that are polled because the system's limit on watches is reached. */
  readonly #polledFolders = new Set<string>()

  constructor(events: FolderEvents, problems: IndexProblems) {
    this.#events = events
    this.#problems = problems
  }

  /** Watches all existing folders except the transcripts, which the app writes itself and reports. */
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
      onChange: (path) => (isFirst ? this.#events.onWorkspaceChange(path) : this.#events.onOtherFolderChange()),
      onReady: this.#events.onReady,
      onLimit: (reason) => {
        this.#polledFolders.add(folder)
        this.#problems.raise('watch_limit', reason)
      },
      onLimitCleared: () => {
        this.#polledFolders.delete(folder)
        if (this.#polledFolders.size === 0) this.#problems.clear('watch_limit')
      },
      onError: (error) => this.#problems.raise('watch_failed', error instanceof Error ? error.message : String(error)),
    })
  }
}
