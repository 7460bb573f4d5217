import { stat } from 'node:fs/promises'
import { isSystemError } from '#shared/util/errors.ts'

/** Returns the size in bytes of an index with its write-ahead log; 0 if it does not exist. */
export async function bytesOfIndex(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`].map((path) => stat(path).catch(nothingThere)))
  return sizes.reduce((sum, info) => sum + (info?.size ?? 0), 0)
}

function nothingThere(error: unknown): undefined {
  if (!isSystemError(error, 'ENOENT')) throw error
}
