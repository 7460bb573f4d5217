import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { RPCHandler } from '@orpc/server/websocket'
import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { ContractClient } from '#shared/contract/index.ts'
import { AppError, isSystemError, onSystemError, unlessSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { appVersion, fromOrpcError, readIfExists, type Log, FileLock } from '#platform'

export type LockPaths = ReturnType<typeof lockPathsOf>

/** Both folders are absolute and must exist. @param workspace folder that replaces an agent's workspace */
export function lockPathsOf(home: string, workspace: string | undefined) {
  const folder = join(home, 'owner')
  const name = workspace === undefined ? 'app' : `folder-${shortHash(realpathSync(workspace))}`
  return {
    folder,
    lockFile: join(folder, `${name}.lock`),
    infoFile: join(folder, `${name}.json`),
    address: addressOf(folder, shortHash(join(realpathSync(home), name))),
  }
}

/** Prefers a folder outside the state folder: a long path, and some file systems, cannot have a socket. */
function addressOf(folder: string, key: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\commonplace-${key}`
  try {
    return join(FileLock.folder(), `${key}.sock`)
  } catch {
    // Another user owns the folder for locks.
    return join(folder, `${key.slice(0, 8)}.sock`)
  }
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 32)
}

const lockInfoSchema = z.object({
  pid: z.number().int(),
  version: z.string(),
  since: z.number(),
  address: z.string(),
  key: z.string(),
  /** True for the process that only serves programs, see `owner-process.ts`. */
  isOwner: z.boolean().default(false),
})
export type LockInfo = z.infer<typeof lockInfoSchema>

/** A primary instance that ends waits for a `command`; a `resident` reconnects to the next one. */
export type ClientKind = 'command' | 'resident'

export const clientKindHeader = 'x-commonplace-guest'

/** @returns undefined if the file is missing, unreadable or incomplete */
export async function readLockInfo(file: string): Promise<LockInfo | undefined> {
  // If a folder has this name, the lock holder renames it.
  const text = await readIfExists(file).catch(onSystemError(undefined))
  return lockInfoSchema.safeParse(parseJson(text ?? '')).data
}

const answerTimeoutMs = 5000

/**
 * Connects to the process that holds the instance lock.
 * @returns undefined if there is none, or if it is starting or ending
 * @throws AppError `owner_silent`, `owner_version`; other connection errors unchanged
 */
export async function connectToPrimary(lockPaths: LockPaths, kind: ClientKind): Promise<WebSocket | undefined> {
  const lockInfo = await readLockInfo(lockPaths.infoFile)
  if (!lockInfo) return undefined
  const { pid, version } = lockInfo
  const socket = new WebSocket('ws://owner/rpc', {
    // `handshakeTimeout` takes effect only if the socket has a timeout too.
    createConnection: () => connect({ path: lockInfo.address, timeout: answerTimeoutMs }),
    headers: { Authorization: `Bearer ${lockInfo.key}`, [clientKindHeader]: kind },
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handshakeTimeout: answerTimeoutMs,
  })
  // Errors after opening need no handling: a close event follows each.
  socket.on('error', () => undefined)
  const failure = await new Promise<Error | undefined>((resolve) => {
    socket.once('open', () => resolve(undefined))
    socket.once('error', resolve)
  })
  if (!failure) {
    if (version === appVersion) return socket
    socket.terminate()
    if (lockInfo.isOwner) {
      // Programs reconnect to the process that starts here.
      unlessSystemError(() => process.kill(pid))
      return undefined
    }
    const message = `version ${version} of Commonplace (process ${pid}) has this memory open; quit it first`
    throw new AppError('owner_version', message, { pid, version })
  }
  if (failure.message.includes('timed out'))
    throw new AppError('owner_silent', `process ${pid} has this memory open but does not answer`, { pid })
  // The process crashed and left its lock info, or it has just ended.
  if (isSystemError(failure) || failure.message.includes('Unexpected server response')) return undefined
  throw failure
}

export function clientOf(socket: WebSocket): ContractClient {
  return createORPCClient(new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }))
}

/**
 * Runs `run` on the primary instance of another process.
 * @returns `isLost` if that process ended before it answered; undefined if there is none to connect to
 * @throws AppError `owner_silent`, `owner_version`, and as `run`
 */
export async function callPrimary<T>(
  lockPaths: LockPaths,
  run: (client: ContractClient) => Promise<T>,
): Promise<{ readonly value: T } | { readonly isLost: true } | undefined> {
  const socket = await connectToPrimary(lockPaths, 'command')
  if (!socket) return undefined
  try {
    return { value: await run(clientOf(socket)) }
  } catch (error) {
    if (socket.readyState !== socket.OPEN) return { isLost: true }
    throw fromOrpcError(error)
  } finally {
    socket.close()
  }
}

/** @returns a function that answers contract requests on a WebSocket; an invalid message closes the socket */
export function answerRequests(handler: Pick<RPCHandler<Record<never, never>>, 'message' | 'close'>, log: Log) {
  return (socket: WebSocket) => {
    const peer = {
      // Resolves once the message is sent, so that a stream produces no faster than its peer reads.
      send: (data: string | ArrayBufferLike | ArrayBufferView | Blob) =>
        new Promise<void>((resolve) => socket.send(data as string, () => resolve())),
      addEventListener: () => undefined,
    }
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return socket.close(1003, 'text only')
      handler.message(peer, data.toString('utf8')).catch((error: unknown) => {
        if (socket.readyState !== socket.OPEN) return
        log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'invalid message')
        socket.close(1007, 'invalid message')
      })
    })
    socket.on('close', () => handler.close(peer))
  }
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}
