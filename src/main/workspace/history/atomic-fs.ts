/**
 * File system for the Git library with atomic writes: a crash must not leave a torn object under its final name. Refs
 * are also synced to disk; lost objects can be recreated.
 */
import * as fs from 'node:fs/promises'
import { writeDurably, writeAtomically } from '#platform'

async function writeFile(path: string, data: string | Uint8Array): Promise<void> {
  await (path.includes('/refs/') || path.includes('\\refs\\') ? writeDurably : writeAtomically)(path, data)
}

export const atomicFs = { promises: { ...fs, writeFile } }
