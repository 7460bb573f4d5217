/**
 * `npm run bench [-- --chunks 1000,10000,100000] [--out file.json]`: what the budgets of the design bound. Figures are
 * medians and quantiles of this machine at this moment: compare ratios, and runs of one machine.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { WebSocket } from 'ws'
import type { ContractClient, SearchOptions } from '../../src/shared/contract/index.ts'
import { assemble, budgetOf, keepingState } from '../../src/main/context/index.ts'
import { Transcript } from '../../src/main/sessions/transcript.ts'
import { Memory, threadEntries, type MemorySource } from '../../src/main/memory/index.ts'
import { measureAccounts } from './accounts.ts'
import { writeCorpus, type Corpus } from './corpus.ts'
import { median, type Figure } from './figures.ts'
import { measureHistory } from './history.ts'
import { measureInterface } from './interface.ts'

/** A file of the corpus makes about this many chunks. */
const chunksPerFile = 10
const dimensions = 1536
/** Until the app has come to rest, ms. */
const restMs = 20_000
const cli = fileURLToPath(new URL('../../out/main/cli/index.js', import.meta.url))

const { values: flags } = parseArgs({
  options: { chunks: { type: 'string', default: '1000,10000' }, out: { type: 'string' } },
})
const figures: Figure[] = []
const root = mkdtempSync(join(tmpdir(), 'commonplace-bench-'))

try {
  for (const size of flags.chunks.split(',').map(Number)) await measureMemory(size)
  await measureTranscript()
  await measureStart()
  figures.push(...(await measureHistory(root)))
  figures.push(...(await measureInterface(root)))
  figures.push(...(await measureAccounts(root)))
  measureBundle()
} finally {
  rmSync(root, { recursive: true, force: true })
}
for (const { name, value, unit, budget } of figures) {
  const verdict = budget === undefined ? '' : value <= budget ? `  within ${budget}` : `  OVER the budget of ${budget}`
  process.stdout.write(`${name.padEnd(54)} ${value.toFixed(1).padStart(9)} ${unit}${verdict}\n`)
}
if (flags.out) writeFileSync(flags.out, `${JSON.stringify(figures, null, 2)}\n`)
const over = figures.filter(({ value, budget }) => budget !== undefined && value > budget)
process.stdout.write(
  over.length === 0
    ? 'all within budget\n'
    : `${over.length} over budget: ${over.map(({ name }) => name).join(', ')}\n`,
)

async function measureMemory(size: number): Promise<void> {
  process.stderr.write(`${size} chunks …\n`)
  const corpus = writeCorpus(join(root, `corpus-${size}`), Math.ceil(size / chunksPerFile))
  const label = `${size >= 1000 ? `${size / 1000}k` : size} chunks`
  const isTenThousand = size === 10_000
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const keyword = await openMemory(corpus, 'none', undefined)
  delay.enable()
  const started = performance.now()
  await keyword.settle(600_000)
  const coldMs = performance.now() - started
  delay.disable()
  const { chunks } = await keyword.status()
  figures.push(
    {
      name: `${label}: cold index without embeddings (${chunks})`,
      value: coldMs,
      unit: 'ms',
      ...(isTenThousand ? { budget: 5000 } : {}),
    },
    {
      name: `${label}: event-loop delay p99 while indexing`,
      value: delay.percentile(99) / 1e6,
      unit: 'ms',
      ...(isTenThousand ? { budget: 20 } : {}),
    },
  )
  await measureSearch(keyword, corpus, `${label}: keyword search`, isTenThousand ? 3 : undefined)
  await measureSearch(keyword, corpus, `${label}: 50 results by MMR`, isTenThousand ? 100 : undefined, {
    maxResults: 50,
    mmrLambda: 0.7,
  })
  await measureSaved(keyword, corpus, label)
  if (isTenThousand) await measureDuringRebuild(keyword, corpus, label)
  await keyword.close()

  const server = await startEmbeddings()
  const hybrid = await openMemory(corpus, 'openai-compatible', server.url)
  await hybrid.settle(600_000)
  for (let status = await hybrid.status(); status.embedded < status.chunks; status = await hybrid.status())
    await sleep(200)
  await measureSearch(hybrid, corpus, `${label}: hybrid search`, isTenThousand ? 15 : size === 100_000 ? 50 : undefined)
  await hybrid.close()
  server.close()
  if (isTenThousand) await measureResidentMemory(corpus, label)
  rmSync(corpus.folder, { recursive: true, force: true })
}

function sourceOf(
  corpus: Corpus,
  provider: 'none' | 'openai-compatible',
  baseUrl: string | undefined,
  tokens = 400,
): MemorySource {
  return {
    file: join(root, `${provider}-${corpus.files}.sqlite`),
    folders: [{ source: 'memory', folder: corpus.folder, prefix: '', forbidden: [] }],
    chunk: { tokens, overlap: 80 },
    debounceMs: 1500,
    embedding: {
      provider,
      model: 'bench',
      baseUrl,
      dimensions: undefined,
      batchSize: 256,
      apiKey: undefined,
      allowDownload: false,
      modelsFolder: root,
    },
  }
}

async function openMemory(
  corpus: Corpus,
  provider: 'none' | 'openai-compatible',
  baseUrl: string | undefined,
): Promise<Memory> {
  const search = {
    weights: { vector: 0.7, text: 0.3 },
    minScore: 0,
    maxResults: 6,
    recencyHalfLifeDays: null,
    mmrLambda: null,
  }
  const memory = new Memory({
    source: sourceOf(corpus, provider, baseUrl),
    search: () => search,
    threads: threadEntries(new URL('../../src/main/', import.meta.url)),
    watch: true,
  })
  memory.changes.subscribe((change) => {
    if (change.type === 'crashed') process.stderr.write(`${change.error.stack}\n`)
  })
  return memory.opened()
}

/** Search time as the searcher takes it, without the provider's time for the query's vector. */
async function measureSearch(
  memory: Memory,
  corpus: Corpus,
  name: string,
  budget: number | undefined,
  options: SearchOptions = {},
): Promise<void> {
  for (const query of corpus.queries.slice(0, 20)) await memory.search(query, options)
  const times: number[] = []
  for (const query of corpus.queries) {
    const { timings } = await memory.search(query, options)
    times.push(timings.totalMs - timings.embedMs)
  }
  times.sort((one, other) => one - other)
  figures.push(
    { name: `${name} p50`, value: times[Math.floor(times.length * 0.5)] ?? 0, unit: 'ms' },
    {
      name: `${name} p95`,
      value: times[Math.floor(times.length * 0.95)] ?? 0,
      unit: 'ms',
      ...(budget === undefined ? {} : { budget }),
    },
  )
}

/** Whole search calls, catch-up included, while the index is rebuilt with other chunks, against the same when idle. */
async function measureDuringRebuild(memory: Memory, corpus: Corpus, label: string): Promise<void> {
  const p95 = async (isOver: (round: number) => Promise<boolean>) => {
    const times: number[] = []
    for (let round = 0; !(await isOver(round)); round += 1) {
      const started = performance.now()
      await memory.search(corpus.queries[round % corpus.queries.length] ?? '')
      times.push(performance.now() - started)
    }
    times.sort((one, other) => one - other)
    return times[Math.floor(times.length * 0.95)] ?? 0
  }
  const idle = await p95(async (round) => round >= 300)
  await memory.use(sourceOf(corpus, 'none', undefined, 390))
  const busy = await p95(async () => (await memory.status()).state === 'ready')
  figures.push({
    name: `${label}: search p95 during a rebuild, times the idle one`,
    value: busy / idle,
    unit: '×',
    budget: 2,
  })
}

/** From a saved file to a status that counts it: the debounce and what comes on top. */
async function measureSaved(memory: Memory, corpus: Corpus, label: string): Promise<void> {
  await sleep(3000)
  const { files } = await memory.status()
  const started = performance.now()
  writeFileSync(join(corpus.folder, 'memory', '2031-01-01.md'), '# 2031-01-01\n\nA note that was not there before.\n')
  while ((await memory.status()).files === files) await sleep(5)
  figures.push({
    name: `${label}: saved file to searchable, beyond the debounce`,
    value: performance.now() - started - 1500,
    unit: 'ms',
    budget: 150,
  })
}

/** Vectors of hashed noise around a hashed topic: cheap to make, and not all alike. */
async function startEmbeddings(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] }
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: noise(text) })) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/v1`,
    close: () => server.close(),
  }
}

function noise(text: string): number[] {
  const values: number[] = []
  for (let block = 0; values.length < dimensions; block += 1) {
    for (const byte of createHash('sha512').update(`${block}${text}`).digest()) values.push((byte - 127.5) / 128)
  }
  return values.slice(0, dimensions)
}

/** Memory of the whole app on a workspace whose index is there, after a hundred searches. Linux tells it in /proc. */
async function measureResidentMemory(corpus: Corpus, label: string): Promise<void> {
  if (process.platform !== 'linux') return
  const home = join(root, 'resident')
  mkdirSync(home)
  writeFileSync(join(home, 'config.yaml'), `agents: { list: [{ id: main, workspace: "${corpus.folder}" }] }\n`)
  for (const isCold of [true, false]) {
    const child = spawn(process.execPath, [cli, 'serve', '--no-open', '--home', home])
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))))
    const { client, close } = await connect((JSON.parse(line) as { url: string }).url)
    while ((await client.search.status({ agent: 'main' })).state !== 'ready') await sleep(100)
    for (const query of corpus.queries.slice(0, 100)) await client.search.query({ agent: 'main', query })
    // The history's thread gives its memory back when nobody needs it.
    if (!isCold) await sleep(restMs)
    const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
    if (isCold)
      figures.push({ name: `${label}: memory of the app right after the first index`, value: resident, unit: 'MB' })
    else figures.push({ name: `${label}: memory of the app at rest`, value: resident, unit: 'MB', budget: 200 })
    close()
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
}

async function connect(url: string): Promise<{ client: ContractClient; close(): void }> {
  const { host } = new URL(url)
  const entered = await fetch(url, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  const key = entered.headers.get('location')?.split('#key=')[1] ?? ''
  const headers = { Origin: `http://${host}`, Cookie: cookie }
  const socket = new WebSocket(`ws://${host}/rpc`, ['commonplace', key], { headers })
  await new Promise((resolve) => socket.once('open', resolve))
  return { client: createORPCClient(new RPCLink({ websocket: socket as never })), close: () => socket.terminate() }
}

/** A conversation of 10,000 messages: from the file to its entries, and from those to a request. */
async function measureTranscript(): Promise<void> {
  const file = join(root, 'long.jsonl')
  const lines = [JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00Z' })]
  for (let index = 0; index < 10_000; index += 1) {
    const text = `Message ${index} says something of usual length about the matter at hand. `.repeat(4)
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }
    const message =
      index % 2 === 0
        ? { role: 'user', content: text, timestamp: index }
        : {
            role: 'assistant',
            content: [{ type: 'text', text }],
            provider: 'p',
            model: 'm',
            usage,
            stopReason: 'stop',
            timestamp: index,
          }
    lines.push(
      JSON.stringify({
        type: 'message',
        id: `m${index}`,
        parentId: index === 0 ? null : `m${index - 1}`,
        timestamp: 't',
        message,
      }),
    )
  }
  writeFileSync(file, lines.join('\n'))
  const opens: number[] = []
  const assemblies: number[] = []
  for (let round = 0; round < 7; round += 1) {
    const started = performance.now()
    const transcript = await Transcript.open(file)
    opens.push(performance.now() - started)
    const begun = performance.now()
    const state = keepingState(transcript.branch())
    assemble({
      modelId: 'm',
      budget: budgetOf(
        { contextWindow: 1_000_000, maxOutput: 8000 },
        { reserveTokensFloor: 20_000, softThresholdTokens: 4000 },
      ),
      maxOutput: 8000,
      systemPrompt: 'You are main.',
      files: [],
      tools: [],
      summary: state.summary,
      pruned: state.pruned,
      pruning: {
        mode: 'off',
        ttl: 0,
        keepLastAssistants: 3,
        softTrim: { maxChars: 4000, headChars: 1500, tailChars: 1500 },
        hardClear: { enabled: false, placeholder: '' },
      },
      messages: state.live.map(({ message }) => message),
      now: 0,
    })
    assemblies.push(performance.now() - begun)
  }
  figures.push(
    { name: 'transcript of 10,000 messages: open, median', value: median(opens), unit: 'ms', budget: 300 },
    { name: 'transcript of 10,000 messages: assemble, median', value: median(assemblies), unit: 'ms', budget: 50 },
  )
}

/** From `serve` to its address, on an empty state folder; the first run of a build is not counted. */
async function measureStart(): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const started = performance.now()
    const child = spawn(process.execPath, [cli, 'serve', '--no-open', '--home', join(root, `home-${round}`)])
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    if (round > 0) times.push(performance.now() - started)
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  times.sort((one, other) => one - other)
  figures.push({ name: 'start: serve to its address, median', value: times[2] ?? 0, unit: 'ms', budget: 1500 })
}

/** The script that the first page loads, gzipped; the editor comes later. */
function measureBundle(): void {
  const assets = fileURLToPath(new URL('../../out/renderer/assets/', import.meta.url))
  const page = readFileSync(fileURLToPath(new URL('../../out/renderer/index.html', import.meta.url)), 'utf8')
  const first = readdirSync(assets).filter((name) => name.endsWith('.js') && page.includes(name))
  const bytes = first.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).length, 0)
  const editor = readdirSync(assets).filter((name) => /^editor-.*\.js$/.test(name))
  figures.push(
    { name: 'interface: script of the first load, gzipped', value: bytes / 1024, unit: 'kB', budget: 1024 },
    {
      name: 'interface: the editor, loaded when a file opens',
      value: editor.reduce((sum, name) => sum + statSync(join(assets, name)).size, 0) / 1024,
      unit: 'kB',
    },
  )
}
