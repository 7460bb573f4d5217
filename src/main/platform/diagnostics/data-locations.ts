import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataLocation } from '#shared/contract/index.ts'
import { isSystemError } from '#shared/util/errors.ts'

const maxFiles = 50_000

interface LocationPath {
  readonly kind: DataLocation['kind']
  readonly path: string
  readonly agent?: string | undefined
  readonly beside?: readonly string[]
}

/** Measures files and folders (absolute paths) on disk, with those in `beside`. Omits ones that do not exist. */
export async function measureDataLocations(places: readonly LocationPath[]): Promise<DataLocation[]> {
  const measured: DataLocation[] = []
  for (const { kind, path, agent, beside = [] } of places) {
    const size = await sizeOf(path, ...beside)
    if (size) measured.push({ kind, path, ...size, ...(agent === undefined ? {} : { agent }) })
  }
  return measured
}

/** Returns the total size; undefined if `path` does not exist. Does not follow symlinks in folders. */
async function sizeOf(
  path: string,
  ...beside: readonly string[]
): Promise<Pick<DataLocation, 'bytes' | 'files' | 'isComplete'> | undefined> {
  let [bytes, files] = [0, 0]
  const waiting = [path, ...beside]
  try {
    await stat(path)
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (files >= maxFiles) return { bytes, files, isComplete: false }
    try {
      const info = await stat(next)
      if (info.isDirectory()) {
        const entries = await readdir(next, { withFileTypes: true })
        const folder = next
        waiting.push(...entries.filter((entry) => !entry.isSymbolicLink()).map((entry) => join(folder, entry.name)))
      } else {
        bytes += info.size
        files += 1
      }
    } catch (error) {
      // Deleted meanwhile, or not readable.
      if (!isSystemError(error)) throw error
    }
  }
  return { bytes, files, isComplete: true }
}
