/**
 * Compares search times with a failing embedding provider to those without a provider. The ratio should be about 1.
 * Prints milliseconds, those without a provider in parentheses. Takes about a minute.
 */
import { createServer } from 'node:http'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import type { Memory } from '../../src/main/search/service/memory.ts'

const searches = 300
const warmUp = 50
const notes = 500

const answers: Record<string, (respond: (status: number, body: string) => void) => void> = {
  'answers 401': (respond) => respond(401, '{"error":{"message":"no such key"}}'),
  'answers 429': (respond) => respond(429, '{"error":{"message":"slow down"}}'),
  'answers 500': (respond) => respond(500, '{"error":{"message":"out of memory"}}'),
  'answers nonsense': (respond) => respond(200, '<html>'),
  hangs: () => undefined,
}

const root = await mkdtemp(join(tmpdir(), 'commonplace-bench-'))
try {
  const workspace = join(root, 'workspace')
  await mkdir(join(workspace, 'memory'), { recursive: true })
  for (let index = 0; index < notes; index += 1)
    await writeFile(
      join(workspace, 'memory', `note-${index}.md`),
      `# Note ${index}\n\nThe walrus of bath ${index} sings.\n`,
    )
  await withMemory('none', 'provider: none', async (none) => {
    for (let index = 0; index < warmUp; index += 1) await timed(none, index)
    const measure = (name: string, settings: string) =>
      withMemory(name, settings, async (failing) => {
        await known(failing)
        for (let index = 0; index < warmUp; index += 1) await timed(failing, index)
        const [base, times] = [[] as number[], [] as number[]]
        // Alternates both, so that other work on the machine affects both equally.
        for (let index = 0; index < searches; index += 1) {
          if (index % 2 === 0) base.push(await timed(none, index))
          times.push(await timed(failing, index))
          if (index % 2 === 1) base.push(await timed(none, index))
        }
        const figures = [0.5, 0.95].map((share) => [quantile(times, share), quantile(base, share)] as const)
        const [median, p95] = figures.map(([one, other]) => `${one.toFixed(2)} (${other.toFixed(2)})`)
        const ratio = quantile(times, 0.5) / quantile(base, 0.5)
        process.stdout.write(`${name.padEnd(20)} p50 ${median}  p95 ${p95}  ratio of p50 ${ratio.toFixed(2)}\n`)
      })
    // Baseline: the difference between two equal measurements.
    await measure('no provider either', 'provider: none')
    await measure('refuses connections', embedding('http://127.0.0.1:9/v1'))
    for (const [name, answer] of Object.entries(answers))
      await withServer(answer, (url) => measure(name, embedding(url)))
  })
  async function withMemory(name: string, settings: string, work: (memory: Memory) => Promise<void>): Promise<void> {
    const home = join(root, name.replaceAll(' ', '-'))
    await mkdir(home)
    await writeFile(
      join(home, 'config.yaml'),
      `agents:\n  defaults: { memory: { embedding: { ${settings} } } }\n  list: [{ id: main, workspace: "${workspace}" }]\n`,
    )
    const app = await createApp({ mainFolder: new URL('../../src/main/', import.meta.url), env: {}, home })
    try {
      const { memory } = await app.agents.get('main')
      await memory.settle(60_000)
      await work(memory)
    } finally {
      await app.close()
    }
  }
} finally {
  await rm(root, { recursive: true, force: true })
}

async function timed(memory: Memory, index: number): Promise<number> {
  const begun = performance.now()
  await memory.search(`walrus bath ${index}`, { minScore: 0 })
  return performance.now() - begun
}

/**
 * Waits until the failure is detected. A hanging provider is detected after two minutes, so it is measured before that.
 */
async function known(memory: Memory): Promise<void> {
  const end = Date.now() + 10_000
  while ((await memory.status()).problems.length === 0 && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? 0
}

function embedding(url: string): string {
  return `provider: openai-compatible, model: none, baseUrl: "${url}"`
}

async function withServer(
  answer: (respond: (status: number, body: string) => void) => void,
  work: (url: string) => Promise<unknown>,
): Promise<void> {
  const server = createServer((_request, response) =>
    answer((status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(body)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  try {
    await work(`http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/v1`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
