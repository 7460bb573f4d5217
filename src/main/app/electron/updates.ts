import { app } from 'electron'
import type { Log } from '#platform'

const everyMs = 6 * 3_600_000

export interface UpdatesOptions {
  readonly feed: () => string | undefined
  readonly onChange: (listener: () => void) => () => void
  readonly log: Log
}

/** Checks for updates every 6 hours and when the feed changes. Only packaged apps check. @returns stops the checks */
export function checkForUpdates({ feed, onChange, log }: UpdatesOptions): () => void {
  let checkedFeed: string | undefined
  const look = async () => {
    const url = feed()
    checkedFeed = url
    if (url === undefined || !app.isPackaged) return
    try {
      // Imported on demand: most starts have no feed.
      const { default: updater } = await import('electron-updater')
      updater.autoUpdater.setFeedURL({ provider: 'generic', url })
      await updater.autoUpdater.checkForUpdatesAndNotify()
    } catch (error) {
      log.fault(error, 'checking for updates')
    }
  }
  void look()
  const timer = setInterval(() => void look(), everyMs)
  const stop = onChange(() => {
    if (feed() !== checkedFeed) void look()
  })
  return () => {
    clearInterval(timer)
    stop()
  }
}
