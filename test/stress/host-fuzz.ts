/**
 * Attacks a built `commonplace serve` while a normal client uses it:
 * `node test/stress/host-fuzz.ts [--count 50000] [--seconds 180] [--seed 7] [--only frames] [--source]`.
 * `--source` runs the sources, which take some 60 MB more for compilation. Prints figures; exits with 1 if the process
 * died, was slow for the normal client, or took too much memory.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { enter } from '../support/client.ts'
import { attackOf, type Target } from '../support/host-attacks.ts'
import { randomOf } from '../support/random.ts'
import type { ClientFigures } from './normal-client.ts'

const maxMegabytes = 400
const maxMs = 1000
/** Concurrent attackers. */
const attackers = 24
const sampleMs = 200

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '50000' },
    seconds: { type: 'string', default: '180' },
    only: { type: 'string' },
    source: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const wanted = Number(values.count)
const seed = Number(values.seed)
process.stdout.write(`seed ${seed}\n`)

const root = await mkdtemp(join(tmpdir(), 'commonplace-fuzz-'))
await mkdir(join(root, 'workspace'))
await mkdir(join(root, 'state'))
await writeFile(join(root, 'workspace/MEMORY.md'), '# Memory\n\nThe walrus is the mascot.\n')
await writeFile(
  join(root, 'state/config.yaml'),
  `agents: { list: [{ id: main, workspace: ${JSON.stringify(join(root, 'workspace'))} }] }\n`,
)
const cli = fileURLToPath(
  new URL(values.source ? '../../src/main/app/cli/cli.ts' : '../../out/main/cli/index.js', import.meta.url),
)
const child = spawn(process.execPath, [cli, 'serve', '--no-open', '--home', join(root, 'state')], {
  stdio: ['ignore', 'pipe', 'pipe'],
})
const errors: Buffer[] = []
child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
const { url } = JSON.parse(line) as { url: string }
const target: Target = { port: Number(new URL(url).port), admission: await enter(url) }

const client = new Worker(new URL('normal-client.ts', import.meta.url), { workerData: { url } })
await once(client, 'message')

let maxKilobytes = 0
let restKilobytes = 0
const sampling = setInterval(() => {
  void readFile(`/proc/${child.pid}/status`, 'utf8').then(
    (status) => {
      const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
      restKilobytes ||= kilobytes
      maxKilobytes = Math.max(maxKilobytes, kilobytes)
    },
    () => undefined,
  )
}, sampleMs)

const started = performance.now()
const end = started + Number(values.seconds) * 1000
const sent: Record<string, number> = {}
let total = 0
const attack = async (number: number) => {
  const random = randomOf(seed + number)
  while (total < wanted && performance.now() < end && child.exitCode === null) {
    const next = attackOf(random, values.only)
    const count = await next(target, random)
    sent[next.name] = (sent[next.name] ?? 0) + count
    total += count
  }
}
await Promise.all(Array.from({ length: attackers }, (_, number) => attack(number)))
const seconds = (performance.now() - started) / 1000

client.postMessage('over')
const [figures] = (await once(client, 'message')) as [ClientFigures]
clearInterval(sampling)
const isAlive = child.exitCode === null && child.signalCode === null
child.kill('SIGTERM')
await Promise.race([once(child, 'exit'), new Promise((resolve) => setTimeout(resolve, 10_000).unref())])
const log = await readFile(join(root, 'state/logs/commonplace.log'), 'utf8').catch(() => '')
const faults = log.split('\n').filter((text) => text.includes('"level":50'))
await rm(root, { recursive: true, force: true, maxRetries: 5 })

const megabytes = Math.round(maxKilobytes / 1024)
const isGood =
  isAlive && total >= wanted && figures.failed.length === 0 && figures.slowestMs < maxMs && megabytes < maxMegabytes
process.stdout.write(
  `${[
    `requests and frames  ${total} in ${seconds.toFixed(0)} s: ${JSON.stringify(sent)}`,
    `process              ${isAlive ? 'alive' : `ended (${child.exitCode ?? child.signalCode})`}`,
    `memory               ${megabytes} MB at most (limit ${maxMegabytes}), ${Math.round(restKilobytes / 1024)} MB before`,
    `a normal client      asked ${figures.asked} times, slowest ${figures.slowestMs.toFixed(0)} ms (limit ${maxMs}), failed ${figures.failed.length} ${figures.failed[0] ?? ''}`,
    `faults in the log    ${faults.length} ${faults[0]?.slice(0, 600) ?? ''}`,
    `on stderr            ${Buffer.concat(errors).length} bytes ${Buffer.concat(errors).toString().slice(0, 600)}`,
    isGood ? 'good' : 'NOT GOOD',
  ].join('\n')}\n`,
)
process.exit(isGood ? 0 : 1)
