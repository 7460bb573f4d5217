import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataLocation } from '#shared/contract/index.ts'
import { onSystemError } from '#shared/util/errors.ts'

const maxFiles = 50_000

type LocationPath = Pick<DataLocation, 'kind' | 'path' | 'agent'> & { readonly relatedPaths?: readonly string[] }

/** Measures files and folders (absolute paths). Omits locations that do not exist. */
export async function measureDataLocations(locations: readonly LocationPath[]): Promise<DataLocation[]> {
  const results: DataLocation[] = []
  for (const { kind, path, agent, relatedPaths = [] } of locations) {
    const size = await sizeOf(path, ...relatedPaths)
    if (size) results.push({ kind, path, ...size, ...(agent === undefined ? {} : { agent }) })
  }
  return results
}

/** Returns the size of up to `maxFiles` files; undefined if `path` is missing. Does not follow symlinks in folders. */
async function sizeOf(path: string, ...relatedPaths: readonly string[]) {
  let bytes = 0
  let files = 0
  const pending = [path, ...relatedPaths]
  if (!(await stat(path).catch(onSystemError(undefined)))) return undefined
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    if (files >= maxFiles) return { bytes, files, isComplete: false }
    // The file may have been deleted meanwhile, or not be readable.
    const info = await stat(current).catch(onSystemError(undefined))
    if (info?.isDirectory()) {
      const entries = await readdir(current, { withFileTypes: true }).catch(onSystemError([]))
      const folder = current
      pending.push(...entries.filter((entry) => !entry.isSymbolicLink()).map((entry) => join(folder, entry.name)))
    } else if (info) {
      bytes += info.size
      files += 1
    }
  }
  return { bytes, files, isComplete: true }
}
