import { open, stat, unlink } from 'node:fs/promises'
import { onSystemError } from '#shared/util/errors.ts'
import { temporaryPath } from '#platform'

const executableBits = 0o111

/** For each device: true if its file system sets the bits on every file, as those of Windows do. */
const bitsIgnoredByDevice = new Map<number, boolean>()

/**
 * Returns true for an existing file with an executable bit, if the file system supports such bits.
 * @throws the system error if the file cannot be read
 */
export async function isExecutable(file: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const info = await stat(file).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  if (!info?.isFile() || (info.mode & executableBits) === 0) return false
  let areBitsIgnored = bitsIgnoredByDevice.get(info.dev)
  areBitsIgnored ??= await setsBitsOnEveryFile(file)
  bitsIgnoredByDevice.set(info.dev, areBitsIgnored)
  return !areBitsIgnored
}

async function setsBitsOnEveryFile(file: string): Promise<boolean> {
  const probeFile = temporaryPath(file)
  const handle = await open(probeFile, 'wx', 0o600).catch(onSystemError(undefined))
  // If no file can be created, none will be written either.
  if (!handle) return false
  try {
    return ((await handle.stat()).mode & executableBits) !== 0
  } finally {
    await handle.close()
    await unlink(probeFile).catch(onSystemError(undefined))
  }
}
