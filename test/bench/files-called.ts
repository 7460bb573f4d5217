/**
 * Counts the source files that run for one chat message and for one search in the browser host: `node
 * test/bench/files-called.ts [CHECKOUT]`. The host runs from its sources with NODE_V8_COVERAGE, once idle and once with
 * the work; a file counts when one of its functions ran more often with the work. The contract's schemas are left out.
 */
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContractClient } from '../../src/shared/contract/index.ts'
import { enter, socketOf } from '../support/client.ts'

const checkout = resolve(process.argv[2] ?? fileURLToPath(new URL('../../', import.meta.url)))
const entry = ['src/main/app/cli/entry.ts', 'src/main/cli/entry.ts']
  .map((path) => join(checkout, path))
  .find((path) => existsSync(path))
if (entry === undefined) throw new Error(`no terminal entry in ${checkout}`)
const settleMs = 3000

interface Profile {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

/** Starts a provider that answers every request with one word as an OpenAI chat completion. */
function startProvider(): Promise<{ url: string; close: () => void }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = { id: 'a', object: 'chat.completion.chunk', created: 0, model: 'm' }
    const choice = (delta: object, reason: string | null) => ({
      ...chunk,
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
    for (const part of [choice({ role: 'assistant', content: 'Hello' }, null), choice({}, 'stop')])
      response.write(`data: ${JSON.stringify(part)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () =>
      done({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() }),
    ),
  )
}

/** Runs the host with some work. @returns the number of calls of each function, by `file name` */
async function callsOf(work: (client: ContractClient) => Promise<unknown>): Promise<Map<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'files-called-'))
  const provider = await startProvider()
  await mkdir(join(folder, 'home'))
  await mkdir(join(folder, 'notes'))
  await writeFile(join(folder, 'notes/MEMORY.md'), '# Long-term memory\n\n- The walrus lives in the bath.\n')
  const config = `providers: { openai-compatible: { baseUrl: "${provider.url}" } }\nagents: { list: [{ id: main, workspace: "${folder}/notes", model: openai-compatible/m }] }\n`
  await writeFile(join(folder, 'home/config.yaml'), config)
  const host = spawn(
    process.execPath,
    [String(entry), 'serve', '--port', '0', '--no-open', '--home', join(folder, 'home')],
    {
      env: { ...process.env, NODE_V8_COVERAGE: join(folder, 'coverage') },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    const url = await new Promise<string>((done, fail) => {
      host.stdout.once('data', (text) => done((JSON.parse(String(text)) as { url: string }).url))
      host.once('exit', (code) => fail(new Error(`the host ended with code ${code}`)))
    })
    const socket = await socketOf(url, await enter(url))
    const client = createORPCClient<ContractClient>(new RPCLink({ websocket: socket as never }))
    await client.agents.list({})
    await new Promise((done) => setTimeout(done, settleMs))
    await work(client)
    await new Promise((done) => setTimeout(done, settleMs))
    socket.close()
    const ended = new Promise((done) => host.once('exit', done))
    host.kill('SIGTERM')
    await ended
    const calls = new Map<string, number>()
    for (const name of readdirSync(join(folder, 'coverage'))) {
      const { result } = JSON.parse(readFileSync(join(folder, 'coverage', name), 'utf8')) as Profile
      for (const { url: file, functions } of result) {
        const path = /\/(src\/(?:main|shared)\/.+)$/.exec(file)?.[1]
        if (path === undefined || path.startsWith('src/shared/contract/')) continue
        for (const [at, { functionName, ranges }] of functions.entries()) {
          const key = `${path} ${at} ${functionName}`
          // The first entry is the module itself, which runs when the file is loaded.
          if (at > 0) calls.set(key, (calls.get(key) ?? 0) + (ranges[0]?.count ?? 0))
        }
      }
    }
    return calls
  } finally {
    host.kill('SIGKILL')
    provider.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const works: Record<string, (client: ContractClient) => Promise<unknown>> = {
  'chat message': (client) => client.chat.send({ agent: 'main', text: 'hello' }),
  search: (client) => client.search.query({ agent: 'main', query: 'where does the walrus live' }),
}

const idle = await callsOf(async () => undefined)
for (const [name, work] of Object.entries(works)) {
  const calls = await callsOf(work)
  const files = new Set(
    [...calls].filter(([key, count]) => count > (idle.get(key) ?? 0)).map(([key]) => key.split(' ')[0]),
  )
  process.stdout.write(`${name}: ${files.size} files\n`)
  if (process.env['LIST']) for (const file of [...files].sort()) process.stdout.write(`  ${file}\n`)
}
