/** A loopback server that replays recorded bytes piece by piece and records the requests. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { asRecord, type Wire } from './recording.ts'
import { parseJson } from '../../src/shared/util/json.ts'

export interface Reply {
  readonly status?: number
  readonly pieces: readonly Uint8Array[]
  /** True to drop the connection after the last piece instead of ending the response. */
  readonly isLost?: boolean
}

export interface Asked {
  readonly wire: Wire
  readonly body: Record<string, unknown>
}

export interface Loopback {
  readonly url: string
  /** Requests so far, oldest first. */
  readonly asked: Asked[]
  /** Chooses the reply to a request. */
  reply: (asked: Asked) => Reply
  readonly close: () => Promise<void>
}

export async function startLoopback(): Promise<Loopback> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    )
  })
  const loopback: Loopback = {
    url: '',
    asked,
    reply: () => ({ status: 500, pieces: [] }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = request.url ?? ''
    const wire: Wire = path.endsWith('/messages') ? 'anthropic' : path.endsWith('/responses') ? 'responses' : 'chat'
    const one: Asked = { wire, body: asRecord(parseJson(Buffer.concat(chunks).toString('utf8'))) }
    if (request.method === 'POST') asked.push(one)
    const { status = 200, pieces, isLost = false } = request.method === 'POST' ? loopback.reply(one) : listOfOne
    response.writeHead(status, { 'Content-Type': status === 200 ? 'text/event-stream' : 'application/json' })
    response.flushHeaders()
    for (const piece of pieces) {
      if (response.destroyed) return
      response.write(piece)
      await nextTurn()
    }
    if (isLost) response.destroy()
    else response.end()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  return Object.assign(loopback, { url: `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}` })
}

const listOfOne: Reply = {
  pieces: [new TextEncoder().encode('{"object":"list","data":[{"id":"m"}],"has_more":false}')],
}
