import { watch, type FSWatcher } from 'chokidar'
import { relative, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isSystemError } from '#shared/util/errors.ts'
import { isIgnoredPath, isMarkdown } from '#workspace'

const pollingIntervalMs = 3000
const usualRetryMs = 5 * 60_000
/**
 * Limit for closing: chokidar 6 can wait indefinitely for a folder that was replaced while it was read. It emits no
 * events in that state.
 */
const closeTimeoutMs = 1000

export interface WatchEvents {
  /** A path relative to the folder, with forward slashes; called for every write. */
  readonly onChange: (path: string) => void
  readonly onReady: () => void
  readonly onLimit: (reason: string) => void
  readonly onLimitCleared: () => void
  readonly onError: (reason: string) => void
}

export class FolderWatcher {
  readonly #folder: string
  readonly #events: WatchEvents
  readonly #retryMs: number
  #watcher: FSWatcher
  #nativeCandidate: FSWatcher | undefined
  #retry: NodeJS.Timeout | undefined
  isPolling = false
  #closed = false

  constructor(folder: string, events: WatchEvents, retryMs: number = usualRetryMs) {
    this.#folder = folder
    this.#events = events
    this.#retryMs = retryMs
    this.#watcher = this.#watch(false)
    this.#watcher.on('ready', () => this.#events.onReady())
    this.#watcher.on('error', (error) => void this.#onWatchError(error))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await Promise.all([this.#watcher, this.#nativeCandidate].map((watcher) => watcher && closeWithTimeout(watcher)))
  }

  #watch(usePolling: boolean): FSWatcher {
    const watcher = watch(this.#folder, {
      ignoreInitial: true,
      usePolling,
      interval: pollingIntervalMs,
      // A link may lead out of the folder or back into it. A full sync finds changes behind links.
      followSymlinks: false,
      ignored: (path, info) => {
        const inside = relative(this.#folder, path)
        const isOtherFile = info?.isFile() === true && !isMarkdown(path)
        return inside !== '' && (isOtherFile || isIgnoredPath(inside.split(sep)))
      },
    })
    watcher.on('all', (_event, path) => {
      if (isMarkdown(path)) this.#events.onChange(relative(this.#folder, path).split(sep).join('/'))
    })
    return watcher
  }

  async #onWatchError(error: unknown): Promise<void> {
    if (this.#closed) return
    if (!isSystemError(error, 'ENOSPC', 'EMFILE', 'ENFILE')) return this.#events.onError(String(error))
    // chokidar reports the limit once for every folder.
    if (this.isPolling) return
    this.isPolling = true
    await closeWithTimeout(this.#watcher)
    if (this.#closed) return
    this.#events.onLimit(error.message)
    this.#watcher = this.#watch(true)
    this.#watcher.on('ready', () => this.#events.onReady())
    this.#watcher.on('error', (problem) => !this.#closed && this.#events.onError(String(problem)))
    this.#scheduleNativeTry()
  }

  #scheduleNativeTry(): void {
    this.#retry = setTimeout(() => this.#tryNative(), this.#retryMs)
    this.#retry.unref()
  }

  #tryNative(): void {
    const trial = this.#watch(false)
    this.#nativeCandidate = trial
    trial.on('error', () => void this.#endTrial(trial, false))
    trial.on('ready', () => void this.#endTrial(trial, true))
  }

  async #endTrial(trial: FSWatcher, works: boolean): Promise<void> {
    if (this.#nativeCandidate !== trial || this.#closed) return
    this.#nativeCandidate = undefined
    const unneeded = works ? this.#watcher : trial
    if (works) {
      this.#watcher = trial
      this.isPolling = false
      trial.removeAllListeners('error')
      trial.on('error', (error) => void this.#onWatchError(error))
    }
    await closeWithTimeout(unneeded)
    if (this.#closed) return
    if (!works) return this.#scheduleNativeTry()
    this.#events.onLimitCleared()
    this.#events.onReady()
  }
}

async function closeWithTimeout(watcher: FSWatcher): Promise<void> {
  await Promise.race([watcher.close(), pause(closeTimeoutMs, undefined, { ref: false })])
}
