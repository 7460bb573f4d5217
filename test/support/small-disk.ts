/** Disks that are soon full: a tmpfs of a given size, where the system lets one be mounted. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, statfsSync, writeFileSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSystemError } from '../../src/shared/util/errors.ts'

export interface SmallDisk {
  readonly folder: string
  free(): number
  /** Leaves so many bytes, about. */
  fill(rest: number): void
  makeRoom(): void
  unmount(): void
}

/** Undefined where mounting is not permitted. */
export function mountSmallDisk(bytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmdirSync(folder)
    return undefined
  }
  const ballast = join(folder, '.ballast')
  const free = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  return {
    folder,
    free,
    fill(rest) {
      try {
        writeFileSync(ballast, Buffer.alloc(Math.max(0, free() - rest)))
      } catch (error) {
        // Somebody wrote meanwhile: it is full all the same.
        if (!isSystemError(error, 'ENOSPC')) throw error
      }
    },
    makeRoom: () => unlinkSync(ballast),
    unmount() {
      execFileSync('umount', ['-l', folder])
      rmdirSync(folder)
    },
  }
}
