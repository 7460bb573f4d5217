/** Tells which Markdown files of a folder change (M9). Falls back to polling where the platform's watch limit is reached. */
import { watch, type FSWatcher } from 'chokidar'
import { relative, sep } from 'node:path'
import { isSystemError } from '../../shared/errors.ts'
import { isIgnoredFolder, isMarkdown } from '../workspace/index.ts'

const pollingIntervalMs = 3000

export interface WatchEvents {
  /** A path relative to the folder, forward slashes; once for every write. */
  readonly onChange: (path: string) => void
  /** The watcher sees the whole folder now; what changed before may have been missed. */
  readonly onReady: () => void
  /** From now on changes are found by polling. */
  readonly onLimit: () => void
  readonly onError: (error: unknown) => void
}

export class FolderWatcher {
  readonly #folder: string
  readonly #events: WatchEvents
  #watcher: FSWatcher | undefined
  #closed = false

  constructor(folder: string, events: WatchEvents) {
    this.#folder = folder
    this.#events = events
    this.#start(false)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#watcher?.close()
  }

  #start(polling: boolean): void {
    const watcher = watch(this.#folder, {
      ignoreInitial: true,
      usePolling: polling,
      interval: pollingIntervalMs,
      // A link may lead out of the folder or back into it; what it shows is found by the next full look.
      followSymlinks: false,
      ignored: (path, info) => this.#isIgnored(path, info?.isFile() === true),
    })
    watcher.on('all', (_event, path) => {
      if (isMarkdown(path)) this.#events.onChange(relative(this.#folder, path).split(sep).join('/'))
    })
    watcher.on('ready', () => this.#events.onReady())
    watcher.on('error', (error) => void this.#fail(error, polling))
    this.#watcher = watcher
  }

  async #fail(error: unknown, polling: boolean): Promise<void> {
    if (this.#closed) return
    if (!polling && isSystemError(error, 'ENOSPC', 'EMFILE')) {
      await this.#watcher?.close()
      if (this.#closed) return
      this.#events.onLimit()
      this.#start(true)
    } else this.#events.onError(error)
  }

  #isIgnored(path: string, isFile: boolean): boolean {
    const inside = relative(this.#folder, path)
    if (inside === '') return false
    if (inside.split(sep).some(isIgnoredFolder)) return true
    return isFile && !isMarkdown(path)
  }
}
