import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createReadStream } from 'node:fs'
import { PassThrough, type Duplex, type Readable } from 'node:stream'
import type { MemoryAccess } from './caller.ts'
import { buildMemoryServer } from './mcp-server.ts'

/** Larger than the longest note, bytes. A longer message ends the connection. */
const maxMessageBytes = 4 * 1024 * 1024

/** Time to wait for open requests when the input ends, ms: longer than the timeout of a permission request. */
const drainTimeoutMs = 60_000

/** Returns stdin. On Windows, Electron's main process has an ended one (electron#4218); descriptor 0 has the input. */
function standardInput(): Readable {
  const isEnded = process.platform === 'win32' && process.versions['electron'] !== undefined
  return isEnded ? createReadStream('', { fd: 0 }) : process.stdin
}

/**
 * Serves a program over stdio, or over a socket with the same messages. Ends when the input has ended and all requests
 * are answered. @returns the reason if this side closed
 */
export async function serveOverStdio(access: MemoryAccess, socket?: Duplex): Promise<string | undefined> {
  const [stdin, output] = socket ? [socket, socket] : [standardInput(), process.stdout]
  // The SDK's transport drops open requests when its input ends; this stream stays open until they are answered.
  const input = stdin.pipe(new PassThrough(), { end: false })
  const transport = new StdioServerTransport(input, output, { maxBufferSize: maxMessageBytes })
  let problem: Error | undefined
  const handle = serveStdio(() => buildMemoryServer(access), { transport, onerror: (error) => (problem = error) })
  const requests = trackRequests(transport)
  const { promise: ended, resolve } = Promise.withResolvers<boolean>()
  const onClose = transport.onclose
  transport.onclose = () => {
    onClose?.()
    resolve(true)
  }
  // The line break ends a last message that lacks one. All input has been read when the callback runs.
  const onInputEnd = () =>
    input.write('\n', () => setImmediate(() => void requests.waitUntilAnswered().then(() => resolve(false))))
  stdin.once('end', onInputEnd).once('close', onInputEnd)
  socket?.once('close', () => resolve(true))
  const isConnectionLost = await ended
  stdin.unpipe(input)
  stdin.pause()
  await handle.close()
  return isConnectionLost ? `${problem?.message ?? 'the connection was lost'}; the connection is closed` : undefined
}

/** @param transport with `onmessage` already set */
function trackRequests(transport: Transport): { waitUntilAnswered(): Promise<void> } {
  const openRequests = new Set<unknown>()
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>()
  let hasInputEnded = false
  const markAnswered = (id: unknown) => {
    openRequests.delete(id)
    if (hasInputEnded && openRequests.size === 0) resolve()
  }
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    // A subscription ends only with the connection.
    if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen')
      openRequests.add(message.id)
    if ('method' in message && message.method === 'notifications/cancelled') markAnswered(message.params?.['requestId'])
    onmessage?.(message, extra)
  }
  const send = transport.send.bind(transport)
  transport.send = (message, options) =>
    send(message, options).finally(() => {
      if (!('method' in message)) markAnswered(message.id)
    })
  return {
    async waitUntilAnswered() {
      hasInputEnded = true
      markAnswered(undefined)
      const timer = setTimeout(resolve, drainTimeoutMs)
      await allAnswered
      clearTimeout(timer)
    },
  }
}
