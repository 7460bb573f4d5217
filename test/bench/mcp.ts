/**
 * Benchmarks of the built MCP server on some 20,000 units: the first search over stdio from a cold process without a
 * running app, and later ones through a running app.
 */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ContractClient, IndexStatus } from '../../src/shared/contract/index.ts'
import { connect, serve, stop } from './app.ts'
import { writeCorpus } from './corpus.ts'
import { median, quantile, type Figure } from './figures.ts'

const cli = fileURLToPath(new URL('../../out/main/cli/index.js', import.meta.url))
/** Ten entries each. */
const files = 1000
const coldRounds = 8
/** Calls until a new process and its app have compiled their code. */
const settledAfter = 60

export async function measureMcp(root: string): Promise<Figure[]> {
  const corpus = writeCorpus(join(root, 'mcp-workspace'), files)
  const home = join(root, 'mcp-home')
  mkdirSync(home)
  writeFileSync(join(home, 'config.yaml'), `agents: { list: [{ id: main, workspace: "${corpus.folder}" }] }\n`)
  const app = await serve(home)
  const { client, close } = await connect(app.url)
  await client.search.settle({ agent: 'main' })
  const status = await atRest(client)
  const { limits } = await client.clients.meet({ client: 'bench', name: 'bench' })
  await client.clients.update({ client: 'bench', limits: { ...limits, callsPerMinute: 10_000 } })
  const warm = await openProgram(home)
  const times: number[] = []
  for (let at = 0; at < settledAfter * 2; at += 1)
    times.push(await search(warm, corpus.queries[at % corpus.queries.length] ?? ''))
  await warm.close()
  close()
  await stop(app.child)

  const cold: number[] = []
  for (const query of corpus.queries.slice(0, coldRounds)) {
    const started = performance.now()
    const program = await openProgram(home)
    await search(program, query)
    cold.push(performance.now() - started)
    await program.close()
  }
  const label = `mcp, ${status.units} units`
  const later = times.slice(10, settledAfter)
  const settled = times.slice(settledAfter)
  return [
    { name: `${label}: first answer over stdio, cold, median`, value: median(cold), unit: 'ms', budget: 400 },
    {
      name: `${label}: calls 11 to ${settledAfter} through the app, median`,
      value: median(later),
      unit: 'ms',
      budget: 15,
    },
    { name: `${label}: calls 11 to ${settledAfter} through the app, p95`, value: quantile(later, 0.95), unit: 'ms' },
    { name: `${label}: the next ${settledAfter}, median`, value: median(settled), unit: 'ms', budget: 15 },
    { name: `${label}: the next ${settledAfter}, p95`, value: quantile(settled, 0.95), unit: 'ms' },
  ]
}

/** Waits until all units are embedded, so that indexing does not disturb the measurement. */
async function atRest(client: ContractClient): Promise<IndexStatus> {
  for (;;) {
    const status = await client.search.status({ agent: 'main' })
    if (status.units > 0 && status.embedded === status.units) return status
    await sleep(200)
  }
}

async function openProgram(home: string): Promise<Client> {
  const program = new Client({ name: 'bench', version: '1' })
  await program.connect(
    new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', '--home', home], stderr: 'inherit' }),
  )
  return program
}

/** @returns ms */
async function search(program: Client, query: string): Promise<number> {
  const started = performance.now()
  const { isError } = await program.callTool({ name: 'memory_search', arguments: { query } })
  if (isError === true) throw new Error(`the search for ${query} failed`)
  return performance.now() - started
}
