import { copyFileSync, linkSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AppUpdater } from 'electron-updater'

export interface AppImageReplacement {
  /** Absolute path of the installed file. */
  readonly appImage: string
  /** Absolute path of the downloaded file, `<cache>/pending/<name>.AppImage`. */
  readonly file: string
  readonly updater: AppUpdater
  /** Deletes the installed file, then moves the download to its place. */
  readonly install: () => void
}

/**
 * Installs an AppImage and saves the replaced one as `<cache>/previous.AppImage`. If the new file does not arrive, for
 * example because the disk is full, the old one returns to its place.
 * @returns true if the new file is in place
 * @throws system errors; nothing is installed if the old file cannot be saved
 */
export function replaceAppImage({ appImage, file, updater, install }: AppImageReplacement): boolean {
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
  if (statSync(target, { throwIfNoEntry: false })?.size === size) return true
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
