/** Starts the MCP server in its own process group, like a client. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { cli } from './built.ts'
import type { Answer } from './mcp-clients.ts'

interface Reply {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** @param flags of Node */
export async function startStdio(args: readonly string[], flags: readonly string[] = []) {
  const child = spawn(process.execPath, [...flags, cli, ...args], { detached: true, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()))
  child.stdin.on('error', () => undefined)
  const waiting = new Map<number, (reply: Reply) => void>()
  createInterface(child.stdout).on('line', (line) => {
    const reply: Reply = JSON.parse(line)
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let last = 0
  /** Rejects if the process has ended. */
  const request = async <T>(method: string, params: object): Promise<T> => {
    const id = (last += 1)
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    waiting.set(id, resolve)
    child.once('exit', () => reject(new Error(`the server has ended: ${errors}`)))
    send({ id, method, params })
    const { result, error } = await promise
    if (error) throw new Error(error.message)
    return result as T
  }
  const clientInfo = { name: 'test-client', version: '1' }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    errors: () => errors,
    call: (name: string, values: object) => request<Answer>('tools/call', { name, arguments: values }),
    listTools: async () =>
      (await request<{ tools: { name: string }[] }>('tools/list', {})).tools.map(({ name }) => name),
    killGroup: () => void process.kill(-(child.pid ?? 0), 'SIGKILL'),
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
