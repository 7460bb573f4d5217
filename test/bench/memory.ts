/** Benchmarks of the memory on real text: complete calls on newly started workers, without extra warm-up. */
import { createHash } from 'node:crypto'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtinModelName } from '../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { Memory } from '../../src/main/search/service/memory.ts'
import { threadEntries } from '../../src/main/search/service/index-workers.ts'
import type { MemorySource } from '../../src/main/search/indexing/indexer.ts'
import { builtinFile, defaults } from '../recall/judged-set.ts'
import { outdateIndex } from '../support/outdated-index.ts'
import { measureResidentMemory } from './app.ts'
import { median, quantile, type Figure } from './figures.ts'
import { writeRealCorpus, type Corpus } from './real-text.ts'

const dimensions = 1536
const debounceMs = 1500
/** Shortest time between the start of the app and a user's first search, ms. */
const pauseMs = 1000
const firstQueries = 20
const savedRounds = 5

const keywordBudgets: Readonly<Record<number, number>> = { 4000: 1, 20_000: 2 }
const hybridBudgets: Readonly<Record<number, number>> = { 4000: 4, 20_000: 10, 200_000: 30 }

/** @param parts which of `keywords`, `builtin`, `vectors` and `resident` to measure */
export async function measureMemory(root: string, size: number, parts: ReadonlySet<string>): Promise<Figure[]> {
  const corpus = writeRealCorpus(join(root, `corpus-${size}`), size)
  const label = `${size / 1000}k units`
  const figures: Figure[] = []
  if (parts.has('keywords')) figures.push(...(await measureKeywords(root, corpus, size, label)))
  if (parts.has('builtin')) figures.push(...(await measureBuiltin(root, corpus, size, label)))
  if (parts.has('vectors')) figures.push(...(await measureHybrid(root, corpus, label)))
  if (parts.has('resident') && size === 20_000) figures.push(...(await measureResidentMemory(root, corpus, label)))
  rmSync(corpus.folder, { recursive: true, force: true })
  return figures
}

async function measureKeywords(root: string, corpus: Corpus, size: number, label: string): Promise<Figure[]> {
  const isUsual = size === 20_000
  const source = sourceOf(root, corpus, 'none', undefined)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const started = performance.now()
  const first = await openMemory(source)
  await first.settle(600_000)
  const coldMs = performance.now() - started
  delay.disable()
  const { units } = await first.status()
  await first.close()
  const figures: Figure[] = [
    {
      name: `${label}: cold index without embeddings (${units})`,
      value: coldMs,
      unit: 'ms',
      ...(isUsual ? { budget: 3000 } : {}),
    },
    {
      name: `${label}: event-loop delay p99 while indexing`,
      value: delay.percentile(99) / 1e6,
      unit: 'ms',
      ...(isUsual ? { budget: 20 } : {}),
    },
    { name: `${label}: index on disk`, value: statSync(source.file).size / 1024 / 1024, unit: 'MB' },
  ]
  const memory = await openMemory(source)
  figures.push(
    ...(await measureSearch(memory, corpus, `${label}: keyword search`, keywordBudgets[size])),
    await measureSaved(memory, corpus, label),
  )
  if (isUsual) figures.push(await measureDuringRebuild(root, memory, corpus, label))
  await memory.close()
  return figures
}

/** Measures the built-in model, from an empty index to the last vector, then searches. */
async function measureBuiltin(root: string, corpus: Corpus, size: number, label: string): Promise<Figure[]> {
  const source = sourceOf(root, corpus, 'builtin', undefined)
  const started = performance.now()
  const embedding = await openMemory(source)
  await embedding.settle(600_000)
  for (let status = await embedding.status(); status.embedded < status.units; status = await embedding.status())
    await sleep(50)
  const coldMs = performance.now() - started
  await embedding.close()
  const memory = await openMemory(source)
  const figures = await measureSearch(memory, corpus, `${label}: hybrid search, built in`, hybridBudgets[size])
  await memory.close()
  const budget = size === 20_000 ? { budget: 5000 } : {}
  return [{ name: `${label}: cold index, vectors built in`, value: coldMs, unit: 'ms', ...budget }, ...figures]
}

async function measureHybrid(root: string, corpus: Corpus, label: string): Promise<Figure[]> {
  const server = await startEmbeddings()
  const source = sourceOf(root, corpus, 'openai-compatible', server.url)
  const embedding = await openMemory(source)
  await embedding.settle(600_000)
  for (let status = await embedding.status(); status.embedded < status.units; status = await embedding.status())
    await sleep(200)
  await embedding.close()
  const memory = await openMemory(source)
  const figures = await measureSearch(memory, corpus, `${label}: hybrid search, 1536 dimensions`, undefined)
  await memory.close()
  server.close()
  return figures
}

function sourceOf(
  root: string,
  corpus: Corpus,
  provider: 'none' | 'builtin' | 'openai-compatible',
  baseUrl: string | undefined,
): MemorySource {
  return {
    file: join(root, `${provider}-${corpus.files}.sqlite`),
    folders: [{ source: 'memory', folder: corpus.folder, prefix: '', forbidden: [] }],
    debounceMs,
    notes: [],
    embedding: {
      provider,
      model: provider === 'builtin' ? builtinModelName : 'bench',
      baseUrl,
      batchSize: 256,
      apiKey: undefined,
      isLocal: true,
      allowDownload: false,
      modelsFolder: root,
      outboundFile: '/nowhere/outbound.jsonl',
      builtinFile,
    },
  }
}

async function openMemory(source: MemorySource): Promise<Memory> {
  const memory = new Memory({
    now: () => new Date(),
    source,
    search: () => defaults,
    threads: threadEntries(new URL('../../src/main/', import.meta.url)),
    watch: true,
  })
  memory.changes.subscribe((change) => {
    if (change.type === 'crashed') process.stderr.write(`${change.error.stack}\n`)
  })
  return memory.opened()
}

/** Measures complete calls without the provider's time for the query vector. The first calls count too. */
async function measureSearch(
  memory: Memory,
  corpus: Corpus,
  name: string,
  budget: number | undefined,
): Promise<Figure[]> {
  await memory.settle(60_000)
  await sleep(pauseMs)
  const askAll = async () => {
    const times: number[] = []
    for (const query of corpus.queries) {
      const started = performance.now()
      const { timings } = await memory.search(query)
      times.push(performance.now() - started - timings.embedMs)
    }
    return times
  }
  const times = await askAll()
  const again = await askAll()
  return [
    { name: `${name}, the first`, value: times[0] ?? 0, unit: 'ms' },
    { name: `${name}, first ${firstQueries}, p95`, value: quantile(times.slice(0, firstQueries), 0.95), unit: 'ms' },
    { name: `${name} p50`, value: quantile(times, 0.5), unit: 'ms' },
    {
      name: `${name} p95`,
      value: quantile(times, 0.95),
      unit: 'ms',
      ...(budget === undefined ? {} : { budget }),
    },
    { name: `${name} p50, all asked again`, value: quantile(again, 0.5), unit: 'ms' },
    { name: `${name} p95, all asked again`, value: quantile(again, 0.95), unit: 'ms' },
  ]
}

/**
 * Compares complete search calls, updates of the index included, during a rebuild and when idle.
 */
async function measureDuringRebuild(root: string, memory: Memory, corpus: Corpus, label: string): Promise<Figure> {
  const p95 = async (isOver: (round: number) => Promise<boolean>) => {
    const times: number[] = []
    for (let round = 0; !(await isOver(round)); round += 1) {
      const started = performance.now()
      await memory.search(corpus.queries[round % corpus.queries.length] ?? '')
      times.push(performance.now() - started)
    }
    return quantile(times, 0.95)
  }
  const idle = await p95(async (round) => round >= 300)
  const source = sourceOf(root, corpus, 'none', undefined)
  outdateIndex(source.file)
  // Another source restarts the workers, which then find the outdated index.
  await memory.setSource({ ...source, debounceMs: debounceMs + 1 })
  const busy = await p95(async () => (await memory.status()).state === 'ready')
  return { name: `${label}: search p95 during a rebuild, times the idle one`, value: busy / idle, unit: '×', budget: 2 }
}

/** Measures from a saved file to a search that finds it, without the debounce time. */
async function measureSaved(memory: Memory, corpus: Corpus, label: string): Promise<Figure> {
  const times: number[] = []
  for (let round = 0; round < savedRounds; round += 1) {
    await sleep(2 * debounceMs)
    const { files } = await memory.status()
    const started = performance.now()
    writeFileSync(join(corpus.folder, 'memory', `2031-01-0${round + 1}.md`), '# New\n\nA note that was not there.\n')
    while ((await memory.status()).files === files) await sleep(2)
    const { results } = await memory.search(`2031-01-0${round + 1}`, { minScore: 0 })
    if (results.length === 0) throw new Error('the saved note is not found')
    times.push(performance.now() - started - debounceMs)
  }
  return {
    name: `${label}: saved file to searchable, beyond the debounce`,
    value: median(times),
    unit: 'ms',
    budget: 50,
  }
}

/** Starts a server whose vectors are hashed noise around a hashed topic: cheap, but not all alike. */
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
