/** Benchmarks of the built app: start-up time, memory, and size of the first page. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { WebSocket } from 'ws'
import type { ContractClient } from '../../src/shared/contract/index.ts'
import type { Corpus } from './real-text.ts'
import { median, type Figure } from './figures.ts'

/** Time until the app is idle, ms. */
const restMs = 20_000
const cli = fileURLToPath(new URL('../../out/main/cli/index.js', import.meta.url))

/** Measures resident memory after a hundred searches, on a new and on an existing index. Linux only. */
export async function measureResidentMemory(root: string, corpus: Corpus, label: string): Promise<Figure[]> {
  if (process.platform !== 'linux') return []
  const home = join(root, 'resident')
  mkdirSync(home)
  writeFileSync(join(home, 'config.yaml'), `agents: { list: [{ id: main, workspace: "${corpus.folder}" }] }\n`)
  const residentAfter = async (ms: number) => {
    const { child, url } = await serve(home)
    const { client, close } = await connect(url)
    while ((await client.search.status({ agent: 'main' })).state !== 'ready') await sleep(100)
    for (const query of corpus.queries.slice(0, 100)) await client.search.query({ agent: 'main', query })
    await sleep(ms)
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    close()
    await stop(child)
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }
  return [
    {
      name: `${label}: memory of the app right after the first index`,
      value: await residentAfter(0),
      unit: 'MB',
      budget: 250,
    },
    // The history worker stops when it is idle, which frees its memory.
    { name: `${label}: memory of the app at rest`, value: await residentAfter(restMs), unit: 'MB', budget: 150 },
  ]
}

/** Measures the time until `serve` prints its URL, with an empty state folder. Skips the first run, which may build. */
export async function measureStart(root: string): Promise<Figure[]> {
  const times: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const started = performance.now()
    const { child } = await serve(join(root, `home-${round}`))
    if (round > 0) times.push(performance.now() - started)
    await stop(child)
  }
  return [{ name: 'start: serve to its address, median', value: median(times), unit: 'ms', budget: 1000 }]
}

/** Measures the scripts of the first page, gzipped. The editor is loaded later. */
export function measureBundle(): Figure[] {
  const assets = fileURLToPath(new URL('../../out/renderer/assets/', import.meta.url))
  const page = readFileSync(fileURLToPath(new URL('../../out/renderer/index.html', import.meta.url)), 'utf8')
  const first = readdirSync(assets).filter((name) => name.endsWith('.js') && page.includes(name))
  const bytes = first.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).length, 0)
  const editor = readdirSync(assets).filter((name) => /^editor-.*\.js$/.test(name))
  return [
    { name: 'interface: script of the first load, gzipped', value: bytes / 1024, unit: 'kB', budget: 400 },
    {
      name: 'interface: the editor, loaded when a file opens',
      value: editor.reduce((sum, name) => sum + statSync(join(assets, name)).size, 0) / 1024,
      unit: 'kB',
    },
  ]
}

export async function serve(home: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--max-semi-space-size=4', cli, 'serve', '--no-open', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // src/main/launch.mjs sets both, too.
    env: { MALLOC_ARENA_MAX: '2', ...process.env },
  })
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))))
  return { child, url: (JSON.parse(line) as { url: string }).url }
}

export async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
}

export async function connect(url: string): Promise<{ client: ContractClient; close(): void }> {
  const { host } = new URL(url)
  const entered = await fetch(url, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  const key = entered.headers.get('location')?.split('#key=')[1] ?? ''
  const headers = { Origin: `http://${host}`, Cookie: cookie }
  const socket = new WebSocket(`ws://${host}/rpc`, ['commonplace', key], { headers })
  await new Promise((resolve) => socket.once('open', resolve))
  return { client: createORPCClient(new RPCLink({ websocket: socket as never })), close: () => socket.terminate() }
}
