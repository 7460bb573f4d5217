import { app } from 'electron'
import type { Log, Outbound } from '#platform'

const checkIntervalMs = 6 * 3_600_000

export interface UpdatesOptions {
  readonly feed: () => string | undefined
  readonly onChange: (listener: () => void) => () => void
  readonly log: Log
  readonly outbound: Outbound
}

/** Checks for updates every 6 hours and when the feed changes, only in packaged apps. @returns a function to stop it */
export function checkForUpdates({ feed, onChange, log, outbound }: UpdatesOptions): () => void {
  let checkedFeed: string | undefined
  const check = async () => {
    const url = feed()
    checkedFeed = url
    if (url === undefined || !app.isPackaged) return
    try {
      // Imported on demand: most starts have no feed.
      const { default: updater } = await import('electron-updater')
      updater.autoUpdater.setFeedURL({ provider: 'generic', url })
      await outbound.track({ purpose: 'update' }, url, 0, () => updater.autoUpdater.checkForUpdatesAndNotify())
    } catch (error) {
      log.fault(error, 'checking for updates')
    }
  }
  void check()
  const timer = setInterval(() => void check(), checkIntervalMs)
  const unsubscribe = onChange(() => {
    if (feed() !== checkedFeed) void check()
  })
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}
