/** New versions: asked for only where the configuration names a feed, and only in a packaged app. */
import { app } from 'electron'
import type { Log } from '../log.ts'

const everyMs = 6 * 3_600_000

export interface UpdatesOptions {
  readonly feed: () => string | undefined
  readonly log: Log
}

/** @returns what ends it */
export function followUpdates({ feed, log }: UpdatesOptions): () => void {
  const look = async () => {
    const url = feed()
    if (url === undefined || !app.isPackaged) return
    try {
      // Loaded when it is wanted: most starts never ask.
      const { default: updater } = await import('electron-updater')
      updater.autoUpdater.setFeedURL({ provider: 'generic', url })
      await updater.autoUpdater.checkForUpdatesAndNotify()
    } catch (error) {
      log.fault(error, 'looking for a new version')
    }
  }
  void look()
  const timer = setInterval(() => void look(), everyMs)
  return () => clearInterval(timer)
}
