/** One process records; another that uses the same state folder at the same time only reads. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { isSystemError } from '../../shared/errors.ts'

/** @returns false when a process that runs holds it */
export async function takeLock(file: string): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' })
      return true
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error
    }
    const holder = Number(await readFile(file, 'utf8').catch(() => ''))
    if (holder === process.pid) return true
    if (holder > 0 && isRunning(holder)) return false
    // Left by a crash.
    await rm(file, { force: true })
  }
  return false
}

export async function releaseLock(file: string): Promise<void> {
  await rm(file, { force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isSystemError(error, 'EPERM')
  }
}
