import { connect as connectTcp } from 'node:net'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { maxMessageBytes } from '../../../src/shared/util/limits.ts'
import { openTestServer } from '../../support/app.ts'
import { connect, enter, socketOf } from '../../support/client.ts'

/**
 * Sends raw bytes.
 * @returns the answer until the connection closes
 */
function say(url: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connectTcp(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(answer))
  })
}

const closing = (socket: WebSocket) =>
  new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('error', () => undefined)
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })

describe('attacks on the browser host', () => {
  it('odd requests get an answer and have no other effect', async () => {
    const requests: [text: string, status: string][] = [
      ['GET // HTTP/1.1\r\nHost: evil.example\r\n\r\n', '403'],
      ['GET // HTTP/1.1\r\nHost: {{host}}\r\n\r\n', '401'],
      ['GET http://[ HTTP/1.1\r\nHost: {{host}}\r\n\r\n', '400'],
      ['OPTIONS * HTTP/1.1\r\nHost: {{host}}\r\n\r\n', '400'],
      ['CONNECT evil.example:443 HTTP/1.1\r\nHost: {{host}}\r\n\r\n', '405'],
      ['GET /%E0%A4%A HTTP/1.1\r\nHost: {{host}}\r\nCookie: {{cookie}}\r\nConnection: close\r\n\r\n', '200'],
      [
        'GET / HTTP/1.1\r\nHost: {{host}}\r\nCookie: {{cookie}}\r\nRange: bytes=5-1\r\nConnection: close\r\n\r\n',
        '200',
      ],
      ['GET / HTTP/1.0\r\n\r\n', '403'],
      ['GET / HTTP/1.1\r\nHost: {{host}}\r\nHost: evil.example\r\n\r\n', '40'],
      ['\u0000\u0001\r\n\r\n', '400'],
      [`GET / HTTP/1.1\r\nHost: {{host}}\r\nCookie: ${'x'.repeat(20_000)}\r\nConnection: close\r\n\r\n`, '401'],
      [`GET / HTTP/1.1\r\nHost: {{host}}\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, '431'],
    ]
    const { url } = await openTestServer()
    const { cookie } = await enter(url)
    for (const [text, status] of requests) {
      const answer = await say(url, text.replace('{{host}}', new URL(url).host).replace('{{cookie}}', cookie))
      expect(answer, text.slice(0, 80)).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
      expect((await fetch(new URL('/', url), { headers: { Cookie: cookie } })).status).toBe(200)
    }
  })

  it('a too large message, an invalid request or binary data closes only that socket', async () => {
    const { url } = await openTestServer()
    const admission = await enter(url)
    const client = await connect(url)
    const lost = async (send: (socket: WebSocket) => void) => {
      const socket = await socketOf(url, admission)
      const closed = closing(socket)
      send(socket)
      return (await closed).code
    }
    expect(await lost((socket) => socket.send(Buffer.alloc(maxMessageBytes + 1, 'x'), { binary: false }))).toBe(1009)
    expect(await lost((socket) => socket.send('['.repeat(100_000)))).toBe(1007)
    expect(await lost((socket) => socket.send('{"i":"1","p":{}}'))).toBe(1007)
    expect(await lost((socket) => socket.send(Buffer.from([1, 2, 3])))).toBe(1003)
    expect(await client.workspace.list({ agent: 'main' })).toHaveLength(1)
  })

  it('answers pages while 1,000 connections send no complete request', async () => {
    const { url } = await openTestServer()
    const { cookie } = await enter(url)
    const client = await connect(url)
    const get = () => fetch(new URL('/', url), { headers: { Cookie: cookie } })
    await get()
    const port = Number(new URL(url).port)
    const sockets = await Promise.all(
      Array.from({ length: 1000 }, async (_, at) => {
        const socket = connectTcp(port, '127.0.0.1').on('error', () => socket.destroy())
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
        if (at % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: ')
        return socket
      }),
    )
    for (let count = 0; count < 5; count += 1) {
      // Before they were limited, such connections delayed a page by six seconds.
      const signal = AbortSignal.timeout(5000)
      const response = await fetch(new URL('/', url), { headers: { Cookie: cookie, Connection: 'close' }, signal })
      expect(response.status).toBe(200)
      await response.text()
    }
    expect(await client.workspace.list({ agent: 'main' })).toHaveLength(1)
    for (const socket of sockets) socket.destroy()
  })
})
