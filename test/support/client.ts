/** A client of the browser host that is no browser. */
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { WebSocket } from 'ws'
import type { ContractClient } from '../../src/shared/contract/index.ts'

/** Shows the token of an address. @returns the cookie for it */
export async function enter(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

export function socketOf(url: string, headers: Record<string, string>): Promise<WebSocket> {
  const { host } = new URL(url)
  const socket = new WebSocket(`ws://${host}/rpc`, { headers: { Origin: `http://${host}`, ...headers } })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

export async function connect(url: string): Promise<ContractClient> {
  const socket = await socketOf(url, { Cookie: await enter(url) })
  return createORPCClient(new RPCLink({ websocket: socket as never }))
}
