import { createRouterClient } from '@orpc/server'
import { RPCHandler } from '@orpc/server/websocket'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContractClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { createApp, openBase, type AppBase, type AppOptions } from '../composition/create-app.ts'
import { answerRequests } from './answer-requests.ts'
import { createRouter } from '../api/router.ts'
import { fromOrpcError } from '#platform'
import { clientOf, connectToPrimary } from './connect-to-primary.ts'
import { acquirePrimary, type PrimaryInstance } from './primary-instance.ts'
import { lockPathsOf, type LockPaths } from './lock-info.ts'

export interface PrimaryClient {
  readonly client: ContractClient
  readonly base: AppBase
  /** True if the app exists only for this command; false if another process answers, with its own settings. */
  readonly isOwnApp: boolean
}

const retryIntervalMs = 15
const startTimeoutMs = 20_000
/** Time for the work that a command has started. Less than `startTimeoutMs`, so that the next command can wait for it. */
const finishMs = 15_000

export interface CommandOptions extends Omit<AppOptions, 'watch' | 'base'> {
  /** True if the command may run twice, because the answering process can end before its answer arrives. */
  readonly isRepeatable: boolean
}

/**
 * Runs a command on the primary instance, or becomes the primary instance until the command ends.
 * @throws AppError `owner_gone` if the primary instance ended and the command may not run twice, `owner_silent`,
 * `owner_version`, as `openBase`, and as `run`
 */
export async function withPrimary<T>(options: CommandOptions, run: (primary: PrimaryClient) => Promise<T>): Promise<T> {
  const base = await openBase(options)
  try {
    const lockPaths = lockPathsOf(base.folders.home, base.singleFolder?.folder)
    const deadline = performance.now() + startTimeoutMs
    while (performance.now() < deadline) {
      const outcome = await callPrimary(lockPaths, base, run)
      if (outcome && 'value' in outcome) return outcome.value
      const claim = outcome ? undefined : await acquirePrimary(lockPaths)
      if (claim?.lockFailure !== undefined)
        base.log.warn({ reason: claim.lockFailure }, 'other processes are not locked out')
      if (claim) return await runInOwnApp(options, base, claim.primaryInstance, run)
      if (outcome && !options.isRepeatable)
        throw new AppError('owner_gone', 'the process that had this memory open ended before it answered', {})
      await sleep(retryIntervalMs * (0.5 + Math.random()))
    }
    throw new AppError('owner_silent', 'another process has this memory open and cannot be reached', { pid: 0 })
  } finally {
    base.close()
  }
}

/**
 * Runs `run` on the primary instance of another process.
 * @returns `isLost` if that process ended before it answered; undefined if there is none to connect to
 * @throws AppError `owner_silent`, `owner_version`, and as `run`
 */
export async function callPrimary<T>(
  lockPaths: LockPaths,
  base: AppBase,
  run: (primary: PrimaryClient) => Promise<T>,
): Promise<{ readonly value: T } | { readonly isLost: true } | undefined> {
  const connection = await connectToPrimary(lockPaths, 'command')
  if (!connection) return undefined
  const { socket } = connection
  try {
    return { value: await run({ client: clientOf(connection), base, isOwnApp: false }) }
  } catch (error) {
    if (socket.readyState !== socket.OPEN) return { isLost: true }
    throw fromOrpcError(error)
  } finally {
    socket.close()
  }
}

async function runInOwnApp<T>(
  options: AppOptions,
  base: AppBase,
  primaryInstance: PrimaryInstance | undefined,
  run: (primary: PrimaryClient) => Promise<T>,
): Promise<T> {
  try {
    const app = await createApp({ ...options, base, watch: false })
    try {
      const router = createRouter(app)
      const listenFailure = await primaryInstance?.listen(answerRequests(new RPCHandler(router), base.log))
      if (listenFailure !== undefined)
        base.log.warn({ reason: listenFailure }, 'other processes cannot connect to this one')
      return await run({ client: createRouterClient(router), base, isOwnApp: true })
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      await primaryInstance?.drain()
      await app.close(finishMs)
    }
  } finally {
    await primaryInstance?.release()
  }
}
