/**
 * Malformed, huge, slow, truncated and excessive requests and frames for the browser host, with and without a session.
 * Deterministic for a given random generator.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Admission } from './client.ts'

export type Random = () => number

export interface Target {
  readonly port: number
  readonly admission: Admission
}

/** @returns the number of requests or frames sent */
export type Attack = (target: Target, random: Random) => Promise<number>

const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0]

const targets = [
  '/',
  '//',
  '///x',
  '//evil.example/',
  'http://evil.example/',
  'http://[::1',
  '*',
  '/%',
  '/%E0%A4%A',
  '/%00',
  '/..%2f..%2fetc/passwd',
  '/../../etc/passwd',
  '/assets/../../package.json',
  '/assets/%2e%2e/x',
  '/?token=',
  '/?token=wrong',
  '//?token=x',
  '/?token[]=1',
  '/rpc',
  '/rpc?x',
  '/#x',
  '/\\evil',
  '/a b',
  `/${'x'.repeat(3000)}`,
  `/${'/'.repeat(3000)}`,
  '/file/MEMORY.md',
  ':80',
  'x',
  '',
  '/\u00e4',
  '/;',
  '/?',
  '/?%',
  '/assets/',
] as const
const methods = [
  'GET',
  'GET',
  'GET',
  'POST',
  'HEAD',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'DELETE',
  'PUT',
  'get',
  'G\u0000T',
  'PRI',
  '',
  'XXXXXXXXXXXX',
] as const
const versions = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/9.9',
  'HTTP',
  '',
  'HTTP/1.1 x',
] as const

function requestOf({ port, admission }: Target, random: Random): string {
  const host = pick(random, [
    `127.0.0.1:${port}`,
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    'evil.example',
    '',
    '[::',
    'x'.repeat(2000),
  ])
  const strange: string[] = [
    `Cookie: ${admission.cookie}`,
    `Cookie: ${admission.cookie}; ${'a=b; '.repeat(300)}`,
    'Cookie: =;;;=',
    `Origin: http://127.0.0.1:${port}`,
    'Origin: null',
    'Origin: http://evil.example',
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 99999999999999999999',
    'Content-Length: 3\r\nContent-Length: 4',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 6',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding : chunked',
    'Expect: 100-continue',
    'Expect: nothing',
    'Range: bytes=5-1',
    'Range: bytes=-1',
    'Range: bytes=0-0,1-1',
    'If-None-Match: *',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: x',
    `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: commonplace, ${admission.key}`,
    `Commonplace-Key: ${admission.key}`,
    'Commonplace-Key: \u00ff',
    `X: ${'y'.repeat(Math.floor(random() * 20_000))}`,
    'X\u0000: 1',
    ': 1',
    ' folded',
    'Connection: close',
    'Connection: keep-alive',
    'Host: other',
    ...Array.from({ length: 3 }, (_, at) => `X-${at}: ${Math.floor(random() * 1e9)}`),
  ]
  const lines = [`${pick(random, methods)} ${pick(random, targets)} ${pick(random, versions)}`]
  if (random() < 0.9) lines.push(`Host: ${host}`)
  if (random() < 0.5) lines.push(`Cookie: ${admission.cookie}`)
  for (let count = Math.floor(random() * 5); count > 0; count -= 1)
    lines.push(strange[Math.floor(random() * strange.length)] ?? '')
  const body =
    random() < 0.2 ? pick(random, ['5\r\nhello\r\n0\r\n\r\n', 'ffffffffffffffff\r\n', 'hello', '\u0000\u0000']) : ''
  return `${lines.join(random() < 0.05 ? '\n' : '\r\n')}\r\n\r\n${body}`
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    // The host is expected to close the connection.
    socket.on('error', () => socket.destroy())
    socket.on('data', () => undefined)
    socket.once('connect', () => resolve(socket))
    socket.once('close', () => resolve(socket))
  })
}

async function leave(socket: Socket, random: Random): Promise<void> {
  if (socket.destroyed) return
  const way = random()
  if (way < 0.5) socket.resetAndDestroy()
  else if (way < 0.75) socket.destroy()
  else {
    socket.end()
    await Promise.race([new Promise((resolve) => socket.once('close', resolve)), sleep(100)])
    socket.destroy()
  }
}

/** Several requests on one connection: complete, in pieces, or truncated. */
const requests: Attack = async (target, random) => {
  const socket = await open(target.port)
  const count = 1 + Math.floor(random() * 8)
  for (let at = 0; at < count && !socket.destroyed; at += 1) {
    const bytes = Buffer.from(requestOf(target, random), 'latin1')
    const end = random() < 0.15 ? Math.floor(random() * bytes.length) : bytes.length
    if (random() < 0.1) {
      const middle = Math.floor(random() * end)
      socket.write(bytes.subarray(0, middle))
      await sleep(2)
      socket.write(bytes.subarray(middle, end))
    } else socket.write(bytes.subarray(0, end))
    if (random() < 0.05) socket.write(randomBytes(200))
    if (random() < 0.3) await sleep(1)
  }
  if (random() < 0.6) await sleep(Math.floor(random() * 8))
  await leave(socket, random)
  return count
}

/** Connections that send nothing, or very slowly. */
const slow: Attack = async ({ port }, random) => {
  const sockets = await Promise.all(Array.from({ length: 4 }, () => open(port)))
  for (const letter of 'GET / HT') {
    for (const socket of sockets) if (!socket.destroyed) socket.write(letter)
    await sleep(20 + random() * 60)
  }
  for (const socket of sockets) await leave(socket, random)
  return sockets.length
}

/** Sockets that are abandoned after a refused upgrade. */
const refusals: Attack = async ({ port, admission }, random) => {
  const count = 4
  for (let at = 0; at < count; at += 1) {
    const socket = await open(port)
    const cookie = random() < 0.5 ? admission.cookie : 'x=y'
    socket.write(
      `GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nCookie: ${cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    )
    socket.write(randomBytes(20))
    socket.resetAndDestroy()
  }
  return count
}

/** Opens an accepted WebSocket as a raw socket. */
export async function enterSocket({ port, admission }: Target): Promise<Socket> {
  const socket = await open(port)
  socket.write(
    `GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nCookie: ${admission.cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: commonplace, ${admission.key}\r\n\r\n`,
  )
  await new Promise((resolve) => {
    socket.once('data', resolve)
    socket.once('close', resolve)
  })
  return socket
}

/** Returns a masked client frame (RFC 6455). */
export function frameOf(payload: Buffer, { opcode = 1, isLast = true, length = payload.length } = {}): Buffer {
  const head = Buffer.alloc(14)
  head[0] = (isLast ? 0x80 : 0) | opcode
  if (length < 126) {
    head[1] = 0x80 | length
    return Buffer.concat([head.subarray(0, 2), Buffer.alloc(4), payload])
  }
  if (length < 65_536) {
    head[1] = 0x80 | 126
    head.writeUInt16BE(length, 2)
    return Buffer.concat([head.subarray(0, 4), Buffer.alloc(4), payload])
  }
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head.subarray(0, 10), Buffer.alloc(4), payload])
}

const calls = [
  'files/list',
  'files/read',
  'search/query',
  'search/status',
  'events/subscribe',
  'settings/get',
  'settings/check',
  'chat/watch',
  'sessions/list',
  'x/y',
  '__proto__',
  'constructor/prototype',
  '%E0',
  '',
] as const

function messageOf(random: Random): string {
  const id = pick<unknown>(random, ['1', '2', 7, -1, null, 'x'.repeat(1000), {}, [], '__proto__', true])
  const inputs: readonly [unknown, ...unknown[]] = [
    { agent: 'main' },
    { agent: 'main', path: '../x' },
    { agent: 'main', query: 'x'.repeat(9000) },
    null,
    [],
    'text',
    { agent: ['main'] },
    { agent: 'main', path: { toString: 1 } },
    { text: '&a [*a]' },
    Array.from({ length: 200 }, (_, at) => at),
  ]
  const url = `/${pick(random, calls)}`
  const body = {
    json: pick(random, inputs),
    ...(random() < 0.2
      ? { meta: pick<unknown>(random, [[[0, '__proto__', 'x']], 7, [[1, 'agent']], [[5, 'agent']], ['x']]) }
      : {}),
  }
  const kinds: readonly [string, ...string[]] = [
    JSON.stringify({ i: id, p: { u: url, b: body } }),
    JSON.stringify({ i: id, p: { u: url, b: body } }),
    JSON.stringify({ i: id, p: { u: url, b: body, m: pick(random, ['GET', 'PATCH', '', 'x']) } }),
    JSON.stringify({ i: id, t: pick(random, [0, 2, 3, 4, 9, -1]), p: { e: 'message', d: body } }),
    JSON.stringify({ i: id, p: { u: url, h: { 'content-type': 'multipart/form-data; boundary=x' }, b: 'x' } }),
    JSON.stringify({ i: id, p: { u: url, h: { 'content-disposition': 'attachment; filename="x"' } } }),
    JSON.stringify({ i: id, p: { u: url, h: { 'content-type': 'text/event-stream' } } }),
    JSON.stringify({ i: id, p: { u: 'http://[', b: body } }),
    `{"__proto__":{"i":1},"i":"1","p":{"u":"/files/list","b":{"json":{"__proto__":{"agent":"main"}}}}}`,
    '['.repeat(Math.floor(random() * 100_000)),
    `{"i":"1","p":{"u":"/settings/set","b":{"json":${'[['.repeat(40)}1${']]'.repeat(40)}}}}`,
    'null',
    '7',
    '{',
    '',
    randomBytes(50).toString('latin1'),
  ]
  return pick(random, kinds)
}

function hostileFrame(random: Random): Buffer {
  const message = Buffer.from(messageOf(random))
  if (random() < 0.8) return frameOf(message)
  const kinds: readonly [() => Buffer, ...(() => Buffer)[]] = [
    () => frameOf(message, { opcode: Math.floor(random() * 16) }),
    () => frameOf(message, { isLast: false }),
    () => frameOf(message, { opcode: 0 }),
    () => frameOf(randomBytes(100), { opcode: 2 }),
    () => frameOf(randomBytes(100)),
    () => frameOf(message, { length: 2 ** 40 }),
    () => frameOf(message, { length: 65 * 1024 * 1024 + 1 }),
    () => frameOf(randomBytes(126), { opcode: 9 }),
    () => frameOf(Buffer.from([0x03, 0xe7, 0xff]), { opcode: 8 }),
    () => Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
    () => Buffer.from([0x81, 0x05, 1, 2, 3, 4, 5]),
    () => randomBytes(64),
    () => frameOf(message).subarray(0, 5),
  ]
  return pick(random, kinds)()
}

/** Malformed frames in an accepted connection. */
const frames: Attack = async (target, random) => {
  const socket = await enterSocket(target)
  const count = 1 + Math.floor(random() * 60)
  let sent = 0
  for (; sent < count && !socket.destroyed; sent += 1) {
    socket.write(hostileFrame(random))
    if (random() < 0.2) await sleep(1)
  }
  if (random() < 0.5) await sleep(5)
  await leave(socket, random)
  return sent
}

/** Opens thousands of streams and never reads them. */
const unread: Attack = async (target, random) => {
  const socket = await enterSocket(target)
  socket.pause()
  const count = 400
  for (let at = 0; at < count && !socket.destroyed; at += 1) {
    const call = random() < 0.5 ? '/events/subscribe' : '/settings/source'
    socket.write(frameOf(Buffer.from(JSON.stringify({ i: String(at), p: { u: call, b: { json: null } } }))))
  }
  await sleep(200)
  await leave(socket, random)
  return count
}

/** Messages of the maximum size, and some that never end. */
const huge: Attack = async (target, random) => {
  const socket = await enterSocket(target)
  const megabytes = pick(random, [1, 8, 30, 44])
  const piece = Buffer.alloc(1024 * 1024, pick(random, ['x', '[', ',', '"', ' ']))
  socket.write(frameOf(Buffer.from('{"i":"1","p":"'), { length: 14 + megabytes * piece.length }))
  const sent = random() < 0.5 ? megabytes : Math.floor(megabytes * random())
  for (let at = 0; at < sent && !socket.destroyed; at += 1) {
    if (!socket.write(piece)) {
      const written = new AbortController()
      await Promise.race([once(socket, 'drain', written), sleep(1000, undefined, written)]).catch(() => undefined)
      written.abort()
    }
  }
  await sleep(50)
  await leave(socket, random)
  return 1
}

/** Weights: cheap attacks are frequent, expensive ones rare. */
const attacks: readonly (readonly [weight: number, attack: Attack])[] = [
  [0.6, requests],
  [0.02, slow],
  [0.1, refusals],
  [0.265, frames],
  [0.01, unread],
  [0.005, huge],
]

/** @param only name of a single kind of attack; default: all */
export function attackOf(random: Random, only?: string): Attack {
  const named = attacks.find(([, attack]) => attack.name === only)
  if (named) return named[1]
  let left = random()
  for (const [weight, attack] of attacks) {
    left -= weight
    if (left < 0) return attack
  }
  return requests
}
