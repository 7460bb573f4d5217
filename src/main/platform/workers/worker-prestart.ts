/**
 * Worker threads as such: how one is started, what all of them are given, and those that are started ahead. To load a
 * thread's code takes longer than all else that a first answer waits for: where it is likely that a thread will be needed,
 * it is started before anybody knows for what, and whoever starts one of its kind is given that one. Loads nothing itself.
 */
import { existsSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

export interface WorkerKind {
  readonly entry: URL
  /** Room for new objects: they die young, and room for more of them mostly costs memory, MB. */
  readonly youngMb: number
}

export const usualYoungMb = 2
/** A search makes many short-lived objects while somebody waits, MB. */
export const searcherYoungMb = 8

/** The threads of a memory. */
export const memoryWorkers = (mainFolder: URL) => ({
  searcher: { entry: threadFile(mainFolder, 'search/ranking/searcher.worker'), youngMb: searcherYoungMb },
  indexer: { entry: threadFile(mainFolder, 'search/indexing/indexer.worker'), youngMb: usualYoungMb },
})

/** The file that a thread starts from: sources run as they are, the build has one of its own for each. */
export function threadFile(mainFolder: URL, name: string): URL {
  const source = new URL(`${name}.ts`, mainFolder)
  return existsSync(source) ? source : new URL(`${name}.js`, mainFolder)
}

/** One that nobody has taken by then is not needed, ms. */
const spareMs = 10_000

interface Spare {
  readonly worker: Worker
  readonly forget: () => void
  readonly late: NodeJS.Timeout
}

const spares = new Map<string, Spare>()

/** Starts one that waits for somebody to take it; it keeps no process running. */
export function startAhead(kind: WorkerKind): void {
  const key = keyOf(kind)
  if (spares.has(key)) return
  const worker = startWorker(kind)
  const forget = () => spares.delete(key)
  // Whoever wants one then starts another.
  worker.on('error', forget)
  worker.on('exit', forget)
  worker.unref()
  const late = setTimeout(() => {
    forget()
    void worker.terminate()
  }, spareMs)
  late.unref()
  spares.set(key, { worker, forget, late })
}

export function isAhead(kind: WorkerKind): boolean {
  return spares.has(keyOf(kind))
}

/** One that was started ahead, where there is one. */
export function takeWorker(kind: WorkerKind): Worker {
  const key = keyOf(kind)
  const spare = spares.get(key)
  if (!spare) return startWorker(kind)
  const { worker, forget, late } = spare
  forget()
  clearTimeout(late)
  worker.off('error', forget)
  worker.off('exit', forget)
  worker.ref()
  return worker
}

function keyOf({ entry, youngMb }: WorkerKind): string {
  return `${entry.href} ${youngMb}`
}

function startWorker({ entry, youngMb }: WorkerKind): Worker {
  return new Worker(entry, { resourceLimits: { maxYoungGenerationSizeMb: youngMb }, env: threadEnv() })
}

/** A thread keeps what it compiles where this process does: by itself it would compile everything each time. */
function threadEnv(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir()
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) }
}

/** Memory that all threads have in common; a thread is given what there is when it is told what to do. */
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
