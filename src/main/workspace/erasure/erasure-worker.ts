import type { ForgetOutcome, ForgetPlace, ForgetStep } from '#shared/contract/index.ts'
import { fromOrpcError, runInWorker, WorkerHost } from '#platform'
import { isForgettingBegun, type ForgetRequest } from './erase.ts'
import type { ForgetJobs } from './erasure.worker.ts'
import type { ForgetFolders } from './erasure-stores.ts'

/**
 * Whoever stops listening leaves it to come to its end: the thread holds locks until then.
 * @param signal ends it after the file at hand; what came of it is told all the same
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

/** What goes wrong there is left to the next start. */
async function toItsEnd(steps: AsyncIterator<unknown, unknown>): Promise<void> {
  try {
    while (!(await steps.next()).done);
  } catch {
    // What was begun is written down.
  }
}

/** Where it stands. @throws the signal's reason */
export async function scanInThread(
  entry: URL,
  folders: ForgetFolders,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ForgetPlace[]> {
  return runInWorker<ForgetJobs, ForgetPlace[]>(entry, (client) => client.find({ folders, texts }), signal)
}

/** What a crash broke off. @returns undefined where nothing was @throws AppError as `forget` */
export async function resumeInThread(entry: URL, folders: ForgetFolders): Promise<ForgetOutcome | undefined> {
  if (!isForgettingBegun(folders)) return undefined
  return runInWorker<ForgetJobs, ForgetOutcome | undefined>(entry, (client) => client.resume(folders))
}
