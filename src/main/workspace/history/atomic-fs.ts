/**
 * File system for the Git library with atomic writes: a crash must not leave a torn object under its final name. Refs
 * are also synced to disk; lost objects can be recreated.
 */
import * as fs from 'node:fs/promises'
import { writeDurably, writeAtomically } from '#platform'

async function writeFile(path: string, data: string | Uint8Array): Promise<void> {
  await (path.includes('/refs/') || path.includes('\\refs\\') ? writeDurably : writeAtomically)(path, data)
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
