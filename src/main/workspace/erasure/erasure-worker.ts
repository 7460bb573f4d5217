import type { ErasureOutcome, ErasurePlace, ErasureStep } from '#shared/contract/index.ts'
import { fromOrpcError, runInWorker, WorkerHost } from '#platform'
import { hasPendingErasure, type EraseRequest } from './erase.ts'
import type { ErasureJobs } from './erasure.worker.ts'
import type { ErasureFolders } from './erasure-stores.ts'

/**
 * Erases in a worker. If the caller stops iterating, the worker still finishes, because it holds locks.
 * @param signal stops after the current file; the last step still reports the result
 * @throws AppError as `erase`
 */
export async function* eraseInWorker(
  entry: URL,
  folders: ErasureFolders,
  request: EraseRequest,
  signal: AbortSignal,
): AsyncGenerator<ErasureStep> {
  const worker = new WorkerHost<ErasureJobs>({ entry })
  const stop = () => void worker.run((client) => client.stop()).catch(() => undefined)
  let unfinishedSteps: AsyncIterator<ErasureStep, unknown> | undefined
  try {
    signal.addEventListener('abort', stop, { once: true })
    const steps = await worker.run((client) => client.run({ folders, request }))
    if (signal.aborted) stop()
    for (;;) {
      unfinishedSteps = undefined
      const { value, done } = await steps.next()
      if (done) return
      unfinishedSteps = steps
      yield value
    }
  } catch (error) {
    throw fromOrpcError(error)
  } finally {
    if (unfinishedSteps) await drain(unfinishedSteps)
    signal.removeEventListener('abort', stop)
    await worker.close()
  }
}

async function drain(steps: AsyncIterator<unknown, unknown>): Promise<void> {
  try {
    while (!(await steps.next()).done);
  } catch {
    // The task is stored, so the next start finishes it.
  }
}

/** Searches for phrases in a worker. @throws the signal's reason */
export async function findInWorker(
  entry: URL,
  folders: ErasureFolders,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<ErasurePlace[]> {
  return runInWorker<ErasureJobs, ErasurePlace[]>(entry, (client) => client.find({ folders, texts }), signal)
}

/**
 * Finishes an interrupted erasure in a worker.
 * @returns undefined if there is none
 * @throws AppError as `erase`
 */
export async function resumeInWorker(entry: URL, folders: ErasureFolders): Promise<ErasureOutcome | undefined> {
  if (!hasPendingErasure(folders)) return undefined
  return runInWorker<ErasureJobs, ErasureOutcome | undefined>(entry, (client) => client.resume(folders))
}
