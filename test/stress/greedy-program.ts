/**
 * One program calls without pause while the owner searches:
 * `node test/stress/greedy-program.ts [--searches 300] [--notes 60] [--characters 9900] [--stdio]`.
 * Prints the memory of the app (MB, peak above rest) and the longest wait of the owner (ms). Linux only.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect, serve, stop } from '../bench/app.ts'
import { writeCorpus } from '../bench/corpus.ts'
import { cli } from '../support/built.ts'

const { values } = parseArgs({
  options: {
    searches: { type: 'string', default: '300' },
    notes: { type: 'string', default: '60' },
    characters: { type: 'string', default: '9900' },
    stdio: { type: 'boolean', default: false },
  },
})
const root = mkdtempSync(join(tmpdir(), 'commonplace-greedy-'))
const home = join(root, 'home')
const corpus = writeCorpus(join(root, 'workspace'), 200)
mkdirSync(home)
writeFileSync(join(home, 'config.yaml'), `agents: { list: [{ id: main, workspace: "${corpus.folder}" }] }\n`)
const app = await serve(home)
const owner = await connect(app.url)
for (;;) {
  const status = await owner.client.search.status({ agent: 'main' })
  if (status.units > 0 && status.embedded === status.units) break
  await sleep(200)
}
const program = new Client({ name: 'greedy', version: '1' })
if (values.stdio) {
  const args = [cli, 'mcp', '--home', home]
  await program.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }))
} else {
  const { token } = await owner.client.clients.issueToken({ client: 'greedy', name: 'Greedy', agent: 'main' })
  const headers = { Authorization: `Bearer ${token}` }
  await program.connect(new StreamableHTTPClientTransport(new URL('/mcp', app.url), { requestInit: { headers } }))
}

function memory(name: 'VmRSS' | 'VmHWM'): number {
  return (
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${app.child.pid}/status`, 'utf8'))?.[1]) / 1024
  )
}

/** Calls all at once, while the owner searches every 50 ms. */
async function flood(label: string, calls: readonly (() => ReturnType<Client['callTool']>)[]): Promise<void> {
  const rest = memory('VmRSS')
  // Resets the peak.
  writeFileSync(`/proc/${app.child.pid}/clear_refs`, '5')
  const waits: number[] = []
  const ended = new AbortController()
  const owning = (async () => {
    do {
      const started = performance.now()
      await owner.client.search.query({ agent: 'main', query: corpus.queries[waits.length % 200] ?? '' })
      waits.push(performance.now() - started)
      await sleep(50)
    } while (!ended.signal.aborted)
  })()
  const started = performance.now()
  const outcomes = await Promise.allSettled(calls.map((call) => call()))
  const seconds = (performance.now() - started) / 1000
  ended.abort()
  await owning
  const texts = outcomes.map((outcome) =>
    outcome.status === 'rejected'
      ? String(outcome.reason)
      : outcome.value.isError === true
        ? JSON.stringify(outcome.value.content)
        : '',
  )
  const sorted = waits.toSorted((one, other) => one - other)
  console.log(
    `${label}: ${texts.filter((text) => text === '').length} answered in ${seconds.toFixed(1)} s, rest ${rest.toFixed(0)} MB, growth ${(memory('VmHWM') - rest).toFixed(0)} MB; owner: ${waits.length} searches, median ${sorted[sorted.length >> 1]?.toFixed(0)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms`,
  )
  for (const text of new Set(texts)) if (text !== '') console.log(`  ${text.slice(0, 200)}`)
}

const search = (at: number) => () =>
  program.callTool({ name: 'memory_search', arguments: { query: corpus.queries[at % 200] ?? '' } })
const searches = Array.from({ length: Number(values.searches) }, (_, at) => search(at))
await flood('one search', [search(0)])
await flood(`${searches.length} searches`, searches)
const text = 'what the greedy program has to say about it. '.repeat(10_000).slice(0, Number(values.characters))
await flood(
  `${values.notes} notes`,
  Array.from(
    { length: Number(values.notes) },
    (_, at) => () => program.callTool({ name: 'remember', arguments: { text: `${at} ${text}` } }),
  ),
)
await sleep(2000)
await flood(`${searches.length} searches again`, searches)
await program.close()
owner.close()
await stop(app.child)
rmSync(root, { recursive: true, force: true })
