/** The server of a memory over standard input and output, for a program that started this process. */
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { PassThrough } from 'node:stream'
import type { MemoryAccess } from './access.ts'
import { Lines } from './line-reader.ts'
import { answerToMalformed, answerToTooLong, type MalformedAnswer } from './parse-errors.ts'
import { followRequests } from './pending-requests.ts'
import { buildMemoryServer } from './mcp-server.ts'

/** One message: the longest note, and room; what is longer is answered without being read, bytes. */
const maxMessageBytes = 4 * 1024 * 1024

/** How often it is looked whether the program that started this one is still there, ms. */
const parentMs = 2000

/** What was asked before the input ended is answered within this: longer than a question waits for the user, ms. */
const patienceMs = 60_000

/**
 * Resolves when the program has gone, and has been answered.
 * @returns why the connection was broken off from this side; undefined where it was not
 */
export async function serveOverStdio(access: MemoryAccess): Promise<string | undefined> {
  const input = process.stdin
  const { promise, resolve } = Promise.withResolvers<void>()
  // The connection would end with its input, and drop what it has not answered.
  const stream = new PassThrough()
  const refuse = (answer: MalformedAnswer) => process.stdout.write(`${JSON.stringify(answer)}\n`)
  const lines = new Lines(maxMessageBytes, {
    onLine(line) {
      const answer = answerToMalformed(line)
      if (answer) refuse(answer)
      else if (line.trim() !== '' && !stream.destroyed) stream.write(`${line}\n`)
    },
    onTooLong: (ends) => refuse(answerToTooLong(ends, maxMessageBytes)),
  })
  const look = (chunk: Buffer) => lines.add(chunk)
  input.on('data', look)
  // What comes through is one whole message at a time.
  const transport = new StdioServerTransport(stream, process.stdout, { maxBufferSize: Number.MAX_SAFE_INTEGER })
  let problem: unknown
  const handle = serveStdio(() => buildMemoryServer(access), {
    transport,
    // A client that writes nonsense is answered; that it did is no fault of ours.
    onerror: (error) => (problem = error),
  })
  const requests = followRequests(transport)
  let isBroken = false
  const closed = transport.onclose
  transport.onclose = () => {
    closed?.()
    isBroken = true
    resolve()
  }
  let isEnding = false
  const end = () => {
    if (isEnding) return
    isEnding = true
    // The last message may lack its line break.
    lines.end()
    // What was written before has been read when this has.
    if (!stream.destroyed)
      stream.write('\n', () => setImmediate(() => void requests.answered(patienceMs).then(resolve)))
  }
  input.once('close', end)
  input.once('end', end)
  // Where the connection broke off, nobody reads what would tell that the program has gone.
  const parent = process.ppid
  const watch = setInterval(() => process.ppid !== parent && resolve(), parentMs)
  await promise
  clearInterval(watch)
  const reason = isBroken && !isEnding ? reasonOf(problem) : undefined
  input.off('data', look)
  input.pause()
  await handle.close()
  return reason
}

function reasonOf(problem: unknown): string {
  return `${problem instanceof Error ? problem.message : 'the connection broke off'}; the connection is closed`
}
