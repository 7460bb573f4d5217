/** The server of a memory over standard input and output, for a program that started this process. */
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { MemoryAccess } from './access.ts'
import { buildMemoryServer } from './server.ts'

/** One message: the longest note, and room; what is longer ends the connection, bytes. */
const maxMessageBytes = 4 * 1024 * 1024

/** How often it is looked whether the program that started this one is still there, ms. */
const parentMs = 2000

/** Resolves when the program has gone. */
export async function serveOverStdio(access: MemoryAccess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: maxMessageBytes })
  const handle = serveStdio(() => buildMemoryServer(access), {
    transport,
    // A client that writes nonsense is answered; that it did is no fault of ours.
    onerror: () => undefined,
  })
  process.stdin.once('close', resolve)
  process.stdin.once('end', resolve)
  // Where the connection broke off, nobody reads what would tell that the program has gone.
  const parent = process.ppid
  const watch = setInterval(() => process.ppid !== parent && resolve(), parentMs)
  await promise
  clearInterval(watch)
  await handle.close()
}
