import { statfs } from 'node:fs/promises'
import { isSystemError } from '#shared/util/errors.ts'
import type { Health } from './health.ts'

const lowBytes = 100_000_000
const intervalMs = 10_000
const dataSettingsRemedy = { kind: 'settings', section: 'data' } as const

/**
 * Reports a health problem if a disk has less than 100 MB free. Checks every 10 s.
 * @returns a function that stops it
 */
export function monitorDiskSpace(
  health: Health,
  folders: () => Promise<readonly string[]>,
  onFault: (error: unknown) => void,
): () => void {
  const check = async () => {
    const reports = await Promise.all((await folders()).map(checkFolder))
    const problems = reports.filter((report) => report !== undefined)
    health.replace(['disk'], problems)
  }
  const timer = setInterval(() => void check().catch(onFault), intervalMs).unref()
  check().catch(onFault)
  return () => clearInterval(timer)
}

async function checkFolder(path: string) {
  try {
    const { bavail, bsize } = await statfs(path)
    const free = bavail * bsize
    if (free >= lowBytes) return undefined
    const isFull = free < 1_000_000
    return {
      part: 'disk',
      code: isFull ? 'full' : 'low',
      level: isFull ? 'bad' : 'warning',
      message: `${(free / 1e6).toFixed(1)} MB free in ${path}`,
      path,
      remedy: dataSettingsRemedy,
    } as const
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES')) {
      const message = error.message
      return { part: 'disk', code: 'folder_missing', level: 'bad', message, path, remedy: dataSettingsRemedy } as const
    }
    // Some file systems do not report sizes.
    if (isSystemError(error)) return undefined
    throw error
  }
}
