import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { PassThrough } from 'node:stream'
import type { MemoryAccess } from './access.ts'
import { buildMemoryServer } from './mcp-server.ts'

/** The longest note, and room; a longer message ends the connection. */
const maxMessageBytes = 4 * 1024 * 1024

/** Longer than a question waits for the user. */
const patienceMs = 60_000

/**
 * Serves a memory over standard input and output, for the program that started this process. Resolves when that program
 * has closed the input and has been answered.
 * @returns why this side broke off the connection; undefined where it did not
 */
export async function serveOverStdio(access: MemoryAccess): Promise<string | undefined> {
  // The transport drops unanswered requests as soon as its input ends; this one stays open until they are answered.
  const input = process.stdin.pipe(new PassThrough(), { end: false })
  const transport = new StdioServerTransport(input, process.stdout, { maxBufferSize: maxMessageBytes })
  let problem: Error | undefined
  const handle = serveStdio(() => buildMemoryServer(access), { transport, onerror: (error) => (problem = error) })
  const requests = followRequests(transport)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const onClose = transport.onclose
  transport.onclose = () => {
    onClose?.()
    resolve(true)
  }
  // Ends the last message, which may lack its line break; whatever was written before has been read then.
  const end = () => input.write('\n', () => setImmediate(() => void requests.answered().then(() => resolve(false))))
  process.stdin.once('end', end).once('close', end)
  const isBroken = await promise
  process.stdin.unpipe(input).pause()
  await handle.close()
  return isBroken ? `${problem?.message ?? 'the connection broke off'}; the connection is closed` : undefined
}

/** @param transport whose `onmessage` is already set */
function followRequests(transport: Transport): { answered(): Promise<void> } {
  const waiting = new Set<unknown>()
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>()
  let hasEnded = false
  const settle = (id: unknown) => {
    waiting.delete(id)
    if (hasEnded && waiting.size === 0) resolve()
  }
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    // A subscription is answered only when the connection ends.
    if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen') waiting.add(message.id)
    if ('method' in message && message.method === 'notifications/cancelled') settle(message.params?.['requestId'])
    onmessage?.(message, extra)
  }
  const send = transport.send.bind(transport)
  transport.send = (message, options) =>
    send(message, options).finally(() => {
      if (!('method' in message)) settle(message.id)
    })
  return {
    async answered() {
      hasEnded = true
      settle(undefined)
      const timer = setTimeout(resolve, patienceMs)
      await allAnswered
      clearTimeout(timer)
    },
  }
}
