import { existsSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** Room for new objects: they die young, and room for more of them mostly costs memory, MB. */
export const usualYoungMb = 2
/** A search makes many short-lived objects while somebody waits, MB. */
export const searcherYoungMb = 8

/** The file that a thread starts from: sources run as they are, the build has one of its own for each. */
export function threadFile(mainFolder: URL, name: string): URL {
  const source = new URL(`${name}.ts`, mainFolder)
  return existsSync(source) ? source : new URL(`${name}.js`, mainFolder)
}

export function startWorker(entry: URL, youngMb: number): Worker {
  return new Worker(entry, { resourceLimits: { maxYoungGenerationSizeMb: youngMb }, env: threadEnv() })
}

/** A thread keeps what it compiles where this process does: by itself it would compile everything each time. */
function threadEnv(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir()
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) }
}

/** Memory that all threads have in common. A thread gets what there is when it starts. */
const shared = new Map<string, SharedArrayBuffer>()

export function shareWithThreads(name: string, memory: SharedArrayBuffer): void {
  shared.set(name, memory)
}

export function sharedMemory(name: string): SharedArrayBuffer | undefined {
  return shared.get(name)
}

export function allShared(): ReadonlyMap<string, SharedArrayBuffer> {
  return shared
}
