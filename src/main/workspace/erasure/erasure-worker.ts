import type { ForgetOutcome, ForgetPlace, ForgetStep } from '#shared/contract/index.ts'
import { fromOrpcError, runInWorker, WorkerHost } from '#platform'
import { isForgettingBegun, type ForgetRequest } from './erase.ts'
import type { ForgetJobs } from './erasure.worker.ts'
import type { ForgetFolders } from './erasure-stores.ts'

/**
 * Erases in a worker. If the caller stops iterating, the worker still finishes, because it holds locks.
 * @param signal stops after the current file; the last step still reports the result
 * @throws AppError as `forget`
 */
export async function* forgetInThread(
  entry: URL,
  folders: ForgetFolders,
  request: ForgetRequest,
  signal: AbortSignal,
): AsyncGenerator<ForgetStep> {
  const worker = new WorkerHost<ForgetJobs>({ entry })
  const stop = () => void worker.run((client) => client.stop()).catch(() => undefined)
  let left: AsyncIterator<ForgetStep, unknown> | undefined
  try {
    signal.addEventListener('abort', stop, { once: true })
    const steps = await worker.run((client) => client.run({ folders, request }))
    if (signal.aborted) stop()
    for (;;) {
      left = undefined
      const { value, done } = await steps.next()
      if (done) return
      left = steps
      yield value
    }
  } catch (error) {
    throw fromOrpcError(error)
  } finally {
    if (left) await toItsEnd(left)
    signal.removeEventListener('abort', stop)
    await worker.close()
  }
}

/** Ignores errors: the next start finishes the task. */
async function toItsEnd(steps: AsyncIterator<unknown, unknown>): Promise<void> {
  try {
    while (!(await steps.next()).done);
  } catch {
    // The task is stored.
  }
}

/** Searches for phrases in a worker. @throws the signal's reason */
export async function scanInThread(
  entry: URL,
  folders: ForgetFolders,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ForgetPlace[]> {
  return runInWorker<ForgetJobs, ForgetPlace[]>(entry, (client) => client.find({ folders, texts }), signal)
}

/**
 * Finishes an interrupted erasure in a worker.
 * @returns undefined if there is none
 * @throws AppError as `forget`
 */
export async function resumeInThread(entry: URL, folders: ForgetFolders): Promise<ForgetOutcome | undefined> {
  if (!isForgettingBegun(folders)) return undefined
  return runInWorker<ForgetJobs, ForgetOutcome | undefined>(entry, (client) => client.resume(folders))
}
