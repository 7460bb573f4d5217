/**
 * The file system as the Git library gets it: what it writes appears whole or not at all. Without that, a crash in the
 * middle of an object would leave a torn one under a name that nobody writes again. Names that lead to objects wait for
 * the disk; objects can be made again from what leads to them.
 */
import * as fs from 'node:fs/promises'
import { writeDurably, writeWhole } from '#platform'

async function writeFile(path: string, data: string | Uint8Array): Promise<void> {
  await (path.includes('/refs/') || path.includes('\\refs\\') ? writeDurably : writeWhole)(path, data)
}

export const atomicFs = {
  promises: {
    readFile: fs.readFile,
    writeFile,
    unlink: fs.unlink,
    readdir: fs.readdir,
    mkdir: fs.mkdir,
    rmdir: fs.rmdir,
    stat: fs.stat,
    lstat: fs.lstat,
    readlink: fs.readlink,
    symlink: fs.symlink,
  },
}
