import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import type { ContractClient } from '#shared/contract/index.ts'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { appVersion } from '#platform'
import { guestHeader, readNote, type GuestKind, type OwnerNote, type OwnerPlace } from './lock-info.ts'

/** An owner that lives answers at once; one that does not answer for so long hangs, ms. */
const answerMs = 5000

export interface OwnerConnection {
  readonly note: OwnerNote
  readonly socket: WebSocket
}

/**
 * @returns undefined when nobody is there to be spoken to: no owner, one that is about to come, or to go
 * @throws AppError `owner_silent`, `owner_version`
 */
export async function connectToOwner(place: OwnerPlace, kind: GuestKind): Promise<OwnerConnection | undefined> {
  const note = await readNote(place.note)
  if (!note) return undefined
  const socket = new WebSocket('ws://owner/rpc', {
    // The time-out of the handshake is the socket's.
    createConnection: () => connect({ path: note.address, timeout: answerMs }),
    headers: { Authorization: `Bearer ${note.key}`, [guestHeader]: kind },
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handshakeTimeout: answerMs,
  })
  // After it is open, an error is followed by a close.
  socket.on('error', () => undefined)
  const failure = await new Promise<Error | undefined>((resolve) => {
    socket.once('open', () => resolve(undefined))
    socket.once('error', resolve)
  })
  if (!failure) {
    if (note.version === appVersion) return { note, socket }
    socket.terminate()
    throw new AppError(
      'owner_version',
      `version ${note.version} of Commonplace (process ${note.pid}) has this memory open; end it first`,
      { pid: note.pid, version: note.version },
    )
  }
  if (failure.message.includes('timed out')) {
    throw new AppError('owner_silent', `process ${note.pid} has this memory open and does not answer`, {
      pid: note.pid,
    })
  }
  // It died with its note left behind, or went while we came.
  if (isSystemError(failure) || failure.message.includes('Unexpected server response')) return undefined
  throw failure
}

export function clientOf({ socket }: OwnerConnection): ContractClient {
  return createORPCClient(new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }))
}
