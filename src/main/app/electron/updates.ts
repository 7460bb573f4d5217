import { app } from 'electron'
import type { Log } from '#platform'

const everyMs = 6 * 3_600_000

export interface UpdatesOptions {
  readonly feed: () => string | undefined
  /** Calls back when the configuration changes. @returns what ends that */
  readonly onChange: (listener: () => void) => () => void
  readonly log: Log
}

/** @returns what ends it */
export function followUpdates({ feed, onChange, log }: UpdatesOptions): () => void {
  let asked: string | undefined
  const look = async () => {
    const url = feed()
    asked = url
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
  const stop = onChange(() => {
    if (feed() !== asked) void look()
  })
  return () => {
    clearInterval(timer)
    stop()
  }
}
