import { stat } from 'node:fs/promises'
import { isSystemError } from '#shared/util/errors.ts'

/** Bytes of an index and of what was last written to it; 0 while there is none. */
export async function bytesOfIndex(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`].map((path) => stat(path).catch(nothingThere)))
  return sizes.reduce((sum, info) => sum + (info?.size ?? 0), 0)
}

function nothingThere(error: unknown): undefined {
  if (!isSystemError(error, 'ENOENT')) throw error
}
