import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { onSystemError } from '#shared/util/errors.ts'
import { ageOf } from './file-age.ts'
import { isTemporaryFile } from './durable-write.ts'

/** Temporary files younger than this may still be in use by another process, ms. */
const minAgeMs = 60_000
/** Delay after the start, so that the cleanup does not slow down the first requests, ms. */
const delayMs = 3000

/**
 * Deletes the app's temporary files in a folder (absolute) and its subfolders: after 3 s, and a minute later those
 * that were too young then, as after a quick restart.
 * @param shouldEnter returns true for subfolders to enter; receives their relative path
 * @returns a function that cancels it
 */
export function scheduleCleanup(
  folder: string,
  shouldEnter: (path: string) => boolean,
  onFault: (error: unknown) => void,
): () => void {
  const run = () => void cleanUp(folder, '', shouldEnter).catch(onFault)
  const timers = [delayMs, delayMs + minAgeMs].map((ms) => setTimeout(run, ms).unref())
  return () => timers.forEach(clearTimeout)
}

async function cleanUp(folder: string, prefix: string, shouldEnter: (path: string) => boolean): Promise<void> {
  const entries = readdir(join(folder, prefix), { withFileTypes: true })
  for (const entry of await entries.catch(onSystemError([], 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'))) {
    const path = prefix + entry.name
    if (entry.isDirectory()) {
      if (shouldEnter(path)) await cleanUp(folder, `${path}/`, shouldEnter)
    } else if (isTemporaryFile(entry.name)) {
      const info = await stat(join(folder, path)).catch(() => undefined)
      if (info && ageOf(info) > minAgeMs) await rm(join(folder, path), { force: true })
    }
  }
}
