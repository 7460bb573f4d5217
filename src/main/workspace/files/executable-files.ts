import { randomBytes } from 'node:crypto'
import { open, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'

const executableBits = 0o111

/** Devices on which every file has the bits, as those with a file system of Windows: they say nothing there. */
const meaningless = new Map<number, boolean>()

/** True for an existing file with an executable bit, where the file system knows of such bits. */
export async function isExecutable(file: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  try {
    const info = await stat(file)
    if (!info.isFile() || (info.mode & executableBits) === 0) return false
    let says = meaningless.get(info.dev)
    if (says === undefined) meaningless.set(info.dev, (says = await everyFileHasThem(dirname(file))))
    return !says
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

/** Makes a file without the bits and looks whether it has them. */
async function everyFileHasThem(folder: string): Promise<boolean> {
  const probe = join(folder, `.commonplace-${randomBytes(8).toString('hex')}.tmp`)
  try {
    const handle = await open(probe, 'wx', 0o600)
    try {
      return ((await handle.stat()).mode & executableBits) !== 0
    } finally {
      await handle.close()
      await unlink(probe)
    }
  } catch (error) {
    // Where nothing can be made, nothing is going to be written either.
    if (isSystemError(error)) return false
    throw error
  }
}
