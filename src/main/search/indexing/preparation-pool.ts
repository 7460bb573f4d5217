import { Worker } from 'node:worker_threads'
import { Preparer, type FileContent, type PreparedFile, type PrepareSettings } from './prepare-file.ts'

/** Room for new objects, MB: all that it makes is handed over at once. */
const youngMb = 8

export class PrepareAhead {
  readonly #settings: PrepareSettings
  readonly #worker: Worker
  readonly #waiting: { readonly files: readonly FileContent[]; readonly resolve: (files: PreparedFile[]) => void }[] =
    []
  /** In the place of the thread, should that have died. */
  #own: Preparer | undefined

  /** @param entry of the thread */
  constructor(entry: URL, settings: PrepareSettings) {
    this.#settings = settings
    this.#worker = new Worker(entry, { workerData: settings, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })
    this.#worker.on('message', (files: PreparedFile[]) => this.#waiting.shift()?.resolve(files))
    // What is wrong with it is told by the exit that follows.
    this.#worker.on('error', () => undefined)
    this.#worker.on('exit', () => this.#prepareHere())
  }

  /** In the order in which they are given; whatever is answered must come into the index, or nothing that follows. */
  prepare(files: readonly FileContent[]): Promise<PreparedFile[]> {
    if (this.#own) return Promise.resolve(prepareAll(this.#own, files))
    const { promise, resolve } = Promise.withResolvers<PreparedFile[]>()
    this.#waiting.push({ files, resolve })
    this.#worker.postMessage(files)
    return promise
  }

  /** Whoever still waits is not answered. */
  async close(): Promise<void> {
    this.#worker.removeAllListeners('exit')
    await this.#worker.terminate()
  }

  /** Also whatever is given from now on. */
  #prepareHere(): void {
    this.#own = new Preparer(this.#settings)
    for (const { files, resolve } of this.#waiting.splice(0)) resolve(prepareAll(this.#own, files))
  }
}

function prepareAll(preparer: Preparer, files: readonly FileContent[]): PreparedFile[] {
  return files.map((file) => preparer.prepare(file))
}
