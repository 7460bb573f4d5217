/**
 * The file system as the Git library gets it: what it writes appears whole or not at all. Without that, a crash in the
 * middle of an object would leave a torn one under a name that nobody writes again.
 */
import * as fs from 'node:fs/promises'

let count = 0

async function writeFile(path: string, data: string | Uint8Array, options?: object): Promise<void> {
  count += 1
  const temporary = `${path}.${process.pid}-${count}.tmp`
  await fs.writeFile(temporary, data, options)
  await fs.rename(temporary, path)
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
