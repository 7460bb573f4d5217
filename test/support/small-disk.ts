/** Small tmpfs disks for tests with a full disk. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSystemError } from '../../src/shared/util/errors.ts'

export interface SmallDisk {
  readonly folder: string
  free(): number
  /** Fills the disk except for about this many bytes. */
  fill(rest: number): void
  makeRoom(): void
  unmount(): void
}

/** Mounts a disk; undefined if mounting is not permitted. */
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
        // Another process has filled the disk meanwhile.
        if (!isSystemError(error, 'ENOSPC')) throw error
      }
    },
    makeRoom: () => unlinkSync(ballast),
    unmount() {
      execFileSync('umount', ['-l', folder])
      // A process that still writes can create its folders again below the mount.
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
