/** A normal client during an attack: sends a request every 250 ms and records the response times. */
import { parentPort, workerData } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, enter } from '../support/client.ts'

export interface ClientFigures {
  readonly asked: number
  readonly failed: readonly string[]
  readonly slowestMs: number
}

const everyMs = 250
const { url } = workerData as { url: string }
const client = await connect(url)
const { cookie } = await enter(url)
const failed: string[] = []
let asked = 0
let slowestMs = 0
const over = new AbortController()
parentPort?.once('message', () => over.abort())
// The first request opens the agent and its workers. Start-up time is not measured.
while ((await client.search.status({ agent: 'main' })).state !== 'ready') await sleep(everyMs)
await client.workspace.list({ agent: 'main' })
await client.search.query({ agent: 'main', query: 'walrus' })
parentPort?.postMessage('ready')

while (!over.signal.aborted) {
  const started = performance.now()
  try {
    const answers = Promise.all([
      client.workspace.list({ agent: 'main' }),
      client.search.query({ agent: 'main', query: 'walrus' }),
      fetch(new URL('/', url), { headers: { Cookie: cookie } }).then((page) => page.text()),
    ])
    await Promise.race([answers, sleep(10_000).then(() => Promise.reject(new Error('no answer in 10 s')))])
  } catch (error) {
    failed.push(String(error))
  }
  asked += 1
  slowestMs = Math.max(slowestMs, performance.now() - started)
  await sleep(Math.max(0, everyMs - (performance.now() - started)))
}
parentPort?.postMessage({ asked, failed, slowestMs } satisfies ClientFigures)
process.exit()
