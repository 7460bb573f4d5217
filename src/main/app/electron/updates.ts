import { app, autoUpdater, BrowserWindow, ipcMain, net, type IpcMainEvent } from 'electron'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AppUpdater } from 'electron-updater'
import { copyFileSync, linkSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Log, Outbound, SettingsStore } from '#platform'
import type { UpdateState } from '#shared/contract/update-state.ts'
import { isFromAppPage } from './message-ports.ts'
import type { Quitting } from './quitting.ts'

const channel = 'commonplace:updates'
const checkIntervalMs = 6 * 3_600_000
/** Names in the feed, without the system (`-mac`, `-linux`) and `.yml`. A release copies the last `latest` to `previous`. */
const feedFiles = { stable: 'latest', beta: 'beta', earlier: 'previous' } as const
const maxNotesLength = 20_000
const maxReasonLength = 400

interface UpdatesOptions {
  readonly settings: Pick<SettingsStore, 'config' | 'changes'>
  readonly log: Log
  readonly outbound: Outbound
  readonly quitting: Quitting
}

/**
 * Looks for another version at the start, every 6 hours and when the settings change, in packaged apps with a feed.
 * Downloads only what the user asks for, because no system reports metered connections. Installs after the memory is
 * closed: an installer ends a running app.
 */
export function offerUpdates({ settings, log, outbound, quitting }: UpdatesOptions): () => void {
  let current: UpdateState = { stage: 'none' }
  let source = ''
  let loading: Promise<AppUpdater> | undefined
  let checks = Promise.resolve()
  const feed = () => (app.isPackaged ? settings.config.updates.feed : undefined)

  function onAction(event: IpcMainEvent, action: unknown): void {
    if (!isFromAppPage(event)) return
    if (action === 'state') show(current)
    if (action === 'check') void checkLater(true)
    if (action === 'goBack') void checkLater(true, true)
    if (action === 'download') void download()
    if (action === 'restart') void restart()
    if (action === 'hide') show({ ...current, isHidden: true })
  }

  function followSettings(): void {
    const next = `${settings.config.updates.channel} ${feed()}`
    if (next === source) return
    source = next
    show(current)
    void checkLater()
  }

  /** Checks after a running check: the updater would join both, even for another feed file. */
  function checkLater(isAsked = false, isEarlier = false): Promise<void> {
    return (checks = checks.then(() => check(isAsked, isEarlier)))
  }

  async function check(isAsked: boolean, isEarlier: boolean): Promise<void> {
    const [url, { stage }] = [feed(), current]
    if (url === undefined || stage === 'downloading' || stage === 'ready') return
    // The user looks at the earlier version, or there is no connection.
    if (!isAsked && (current.isEarlier === true || !net.isOnline())) return
    try {
      // Portable apps have no installation that the installer could replace.
      const isPortable = process.env['PORTABLE_EXECUTABLE_FILE'] !== undefined
      const updater = await (loading ??= load())
      const file = feedFiles[isEarlier ? 'earlier' : settings.config.updates.channel]
      updater.allowDowngrade = isEarlier
      updater.setFeedURL({ provider: 'generic', url, channel: file })
      const found = isPortable ? null : await track(url, () => updater.checkForUpdates())
      if (!found) throw new Error('This kind of package does not update itself.')
      const { version, releaseNotes, files } = found.updateInfo
      const isOlder = updater.currentVersion.compare(version) > 0
      if (!found.isUpdateAvailable || isOlder !== isEarlier) {
        log.info({ version }, `no ${isEarlier ? 'earlier' : 'newer'} version in the feed`)
        return show({ stage: isAsked ? 'current' : 'none', isEarlier })
      }
      const notes = typeof releaseNotes === 'string' ? releaseNotes.slice(0, maxNotesLength) : ''
      const bytes = Math.max(0, ...files.map(({ size = 0 }) => size))
      show({ stage: 'available', version, notes, bytes, isEarlier })
    } catch (error) {
      fail(error, 'checking for updates')
    }
  }

  async function download(): Promise<void> {
    const [url, state, updater] = [feed(), current, await loading]
    if (!updater || url === undefined || state !== current || state.stage !== 'available') return
    const onProgress = ({ percent }: { percent: number }) => show({ ...current, share: Math.round(percent) / 100 })
    show({ ...state, stage: 'downloading', share: 0, isHidden: false })
    updater.on('download-progress', onProgress)
    const abort = new AbortController()
    const { signal } = abort
    // Squirrel compares the signatures after the download. The promise rejects on its `error`.
    const isVerified = process.platform === 'darwin' ? once(autoUpdater, 'update-downloaded', { signal }) : undefined
    isVerified?.catch(() => undefined)
    try {
      const [file = ''] = await track(url, () => updater.downloadUpdate())
      await isVerified
      show({ ...state, stage: 'ready' })
      // On macOS, Squirrel installs after the app has ended.
      if (process.platform !== 'darwin') app.once('quit', () => install(updater, file))
    } catch (error) {
      fail(error, 'downloading an update')
    } finally {
      abort.abort()
      updater.off('download-progress', onProgress)
    }
  }

  async function restart(): Promise<void> {
    const updater = await loading
    if (!updater || current.stage !== 'ready') return
    if (process.platform === 'darwin') return updater.quitAndInstall()
    quitting.isRestarting = true
    app.quit()
  }

  function install(updater: AppUpdater, file: string): void {
    // The system ends installers too, between the removal of the old version and the new one.
    if (quitting.isSessionEnding) return
    // The new version takes the lock.
    app.releaseSingleInstanceLock()
    const install = () => updater.quitAndInstall(true, quitting.isRestarting)
    const appImage = file.endsWith('.AppImage') ? process.env['APPIMAGE'] : undefined
    try {
      if (appImage === undefined) return install()
      const isReplaced = replaceAppImage(appImage, file, updater, install)
      // `app.relaunch` starts its helper from the mounted image, which ends with this process.
      if (!isReplaced && quitting.isRestarting) spawn(appImage, { detached: true, stdio: 'ignore' }).unref()
    } catch (error) {
      log.fault(error, 'installing an update')
    }
  }

  function track<T>(url: string, send: () => Promise<T>): Promise<T> {
    return outbound.track({ purpose: 'update' }, url, 0, send)
  }

  async function load(): Promise<AppUpdater> {
    const updater = (await import('electron-updater')).default.autoUpdater
    const warn = (message: unknown) => log.warn({ message: String(message) }, 'updater')
    updater.logger = { info: () => undefined, warn, error: warn }
    updater.autoDownload = false
    updater.disableWebInstaller = true
    updater.autoInstallOnAppQuit = process.platform === 'darwin'
    return updater
  }

  function fail(error: unknown, step: string): void {
    log.fault(error, step)
    // Further lines of the updater quote headers and stacks. The number in the address differs each time.
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    show({ stage: 'failed', reason: reason.replace(/\?noCache=\w+/, '').slice(0, maxReasonLength) })
  }

  function show(state: UpdateState): void {
    const { stage, version, reason, isHidden } = current
    const isSame = state.stage === stage && state.version === version && state.reason === reason
    current = isSame && isHidden ? { ...state, isHidden } : state
    const shown: UpdateState = feed() === undefined ? { stage: 'off' } : current
    for (const window of BrowserWindow.getAllWindows()) window.webContents.send(channel, shown)
  }

  ipcMain.on(channel, onAction)
  const timer = setInterval(() => void checkLater(), checkIntervalMs)
  const unsubscribe = settings.changes.subscribe(followSettings)
  followSettings()
  return () => {
    clearInterval(timer)
    unsubscribe()
    ipcMain.off(channel, onAction)
  }
}

/**
 * Installs an AppImage and saves the replaced one as `<cache>/previous.AppImage`. If the new file does not arrive, for
 * example because the disk is full, the old one returns to its place.
 * @param appImage installed file @param file downloaded file, `<cache>/pending/<name>.AppImage`; both absolute
 * @param install deletes the installed file, then moves the download to its place
 * @returns true if the new file is in place
 * @throws system errors; nothing is installed if the old file cannot be saved
 */
function replaceAppImage(appImage: string, file: string, updater: AppUpdater, install: () => void): boolean {
  const kept = join(dirname(dirname(file)), 'previous.AppImage')
  if (kept === appImage) throw new Error('the kept earlier version does not replace itself')
  const { size } = statSync(file)
  let target = appImage
  const onRename = (path: string) => (target = path)
  updater.on('appimage-filename-updated', onRename)
  rmSync(kept, { force: true })
  place(appImage, kept)
  install()
  updater.off('appimage-filename-updated', onRename)
  if (statSync(target, { throwIfNoEntry: false })?.size === size) {
    // Programs that use the memory start it by the earlier name.
    if (target !== appImage) symlinkSync(basename(target), appImage)
    return true
  }
  rmSync(target, { force: true })
  place(kept, appImage)
  return false
}

/** Copies only between file systems. @throws system errors */
function place(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}
