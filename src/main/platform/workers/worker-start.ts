import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** Default V8 young generation, MB: a larger one needs memory and has little benefit. */
export const defaultYoungGenerationMb = 2
/** V8 young generation for searches, which allocate many short-lived objects, MB. */
export const searcherYoungGenerationMb = 8

/** Returns the entry file of a worker: the TypeScript source, or in a build its compiled file. */
export function workerEntry(mainFolder: URL, name: string): URL {
  const source = new URL(`${name}.ts`, mainFolder)
  return existsSync(source) ? source : new URL(`${name}.js`, mainFolder)
}

/** Memory shared by all threads. A worker receives the buffers that exist when it starts. */
export const sharedBuffers = new Map<string, SharedArrayBuffer>()

export function shareMemory(name: string, memory: SharedArrayBuffer): void {
  sharedBuffers.set(name, memory)
}

export function sharedMemory(name: string): SharedArrayBuffer | undefined {
  return sharedBuffers.get(name)
}

/** Lowers the priority of this thread. Linux only: elsewhere the call would affect the whole process. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not permitted; the thread keeps its priority.
  }
}
