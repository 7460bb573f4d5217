import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import type { ContractClient } from '#shared/contract/index.ts'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { appVersion } from '#platform'
import { clientKindHeader, readLockInfo, type ClientKind, type LockInfo, type LockPaths } from './lock-info.ts'

const answerTimeoutMs = 5000

export interface PrimaryConnection {
  readonly lockInfo: LockInfo
  readonly socket: WebSocket
}

/**
 * Connects to the process that holds the instance lock.
 * @returns undefined if there is none, or if it is starting or ending
 * @throws AppError `owner_silent`, `owner_version`; other connection errors unchanged
 */
export async function connectToPrimary(lockPaths: LockPaths, kind: ClientKind): Promise<PrimaryConnection | undefined> {
  const lockInfo = await readLockInfo(lockPaths.infoFile)
  if (!lockInfo) return undefined
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
    if (lockInfo.version === appVersion) return { lockInfo, socket }
    socket.terminate()
    throw new AppError(
      'owner_version',
      `version ${lockInfo.version} of Commonplace (process ${lockInfo.pid}) has this memory open; quit it first`,
      { pid: lockInfo.pid, version: lockInfo.version },
    )
  }
  if (failure.message.includes('timed out')) {
    throw new AppError('owner_silent', `process ${lockInfo.pid} has this memory open but does not answer`, {
      pid: lockInfo.pid,
    })
  }
  // The process crashed and left its lock info, or it has just ended.
  if (isSystemError(failure) || failure.message.includes('Unexpected server response')) return undefined
  throw failure
}

export function clientOf({ socket }: PrimaryConnection): ContractClient {
  return createORPCClient(new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }))
}
