import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { onSystemError } from '#shared/util/errors.ts'
import { ageOf } from './file-age.ts'
import { isTemporaryFile } from './durable-write.ts'

/** Temporary files younger than this may still be in use by another process, ms. */
const minAgeMs = 60_000
/** Delay after the start, so that the cleanup does not slow down the first requests, ms. */
const cleanupDelayMs = 3000

/**
 * Deletes the app's temporary files that are older than a minute in a folder (absolute) and its subfolders.
 * @param shouldEnter returns true for subfolders to enter; receives their relative path
 * @returns true if some temporary files were too young to delete
 */
export async function cleanTemporaryFiles(folder: string, shouldEnter: (path: string) => boolean): Promise<boolean> {
  let hasRecentFiles = false
  const cleanUp = async (prefix: string): Promise<void> => {
    const entries = readdir(join(folder, prefix), { withFileTypes: true })
    for (const entry of await entries.catch(onSystemError([], 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'))) {
      const path = prefix + entry.name
      if (entry.isDirectory()) {
        if (shouldEnter(path)) await cleanUp(`${path}/`)
      } else if (isTemporaryFile(entry.name)) {
        const info = await stat(join(folder, path)).catch(() => undefined)
        if (info && ageOf(info) > minAgeMs) await rm(join(folder, path), { force: true })
        else hasRecentFiles = true
      }
    }
  }
  await cleanUp('')
  return hasRecentFiles
}

/**
 * Runs the cleanup after 3 s, and once more a minute later if some files were too young, as after a quick restart.
 * @returns a function that cancels it
 */
export function scheduleCleanup(cleanUp: () => Promise<boolean>, onFault: (error: unknown) => void): () => void {
  let isCancelled = false
  let timer: NodeJS.Timeout | undefined
  const schedule = (ms: number, isLast: boolean) => {
    timer = setTimeout(() => {
      cleanUp().then((hasRecentFiles) => {
        if (hasRecentFiles && !isLast && !isCancelled) schedule(minAgeMs + 1000, true)
      }, onFault)
    }, ms)
    timer.unref()
  }
  schedule(cleanupDelayMs, false)
  return () => {
    isCancelled = true
    clearTimeout(timer)
  }
}
