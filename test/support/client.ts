/** Client of the browser host for tests without a browser. */
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { WebSocket } from 'ws'
import type { ContractClient } from '../../src/shared/contract/index.ts'

export interface Admission {
  /** Complete `Cookie` header. */
  readonly cookie: string
  /** Key that a page sends with its requests. */
  readonly key: string
}

/** Exchanges the token in the URL for a session. */
export async function enter(url: string): Promise<Admission> {
  const response = await fetch(url, { redirect: 'manual' })
  return {
    cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    key: /#key=([\w-]+)$/.exec(response.headers.get('location') ?? '')?.[1] ?? '',
  }
}

export function socketOf(url: string, { cookie, key }: Admission, origin?: string): Promise<WebSocket> {
  const { host } = new URL(url)
  const headers = { Origin: origin ?? `http://${host}`, Cookie: cookie }
  const socket = new WebSocket(`ws://${host}/rpc`, ['commonplace', key || 'none'], { headers })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

export async function connect(url: string): Promise<ContractClient> {
  const socket = await socketOf(url, await enter(url))
  return createORPCClient(new RPCLink({ websocket: socket as never }))
}
