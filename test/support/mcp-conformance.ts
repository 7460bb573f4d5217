/**
 * Runs the official conformance suite for both revisions against a running app: `node test/support/mcp-conformance.ts`.
 * The suite cannot send a token, so a proxy adds one.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder } from './built.ts'
import { connect } from './client.ts'

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

const checksSchema = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }))

const revisions = ['2025-11-25', '2026-07-28'] as const

export interface Verdict {
  readonly revision: string
  /** True if all results are as expected. */
  readonly ok: boolean
  /** Output of the suite with the failed checks. */
  readonly output: string
}

/** Runs the suites of the given revisions concurrently against one app. */
export async function runConformance(wanted: readonly string[] = revisions): Promise<Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-mcp-'))
  const home = join(folder, 'state')
  const workspace = join(folder, 'workspace')
  await mkdir(workspace, { recursive: true })
  await writeFile(join(workspace, 'MEMORY.md'), '# Long-term memory\n')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'config.yaml'), `agents:\n  list:\n    - { id: main, workspace: "${workspace}" }\n`)
  const server = await startServer({ mainFolder, env: {}, home })
  const app = await connect(server.url)
  const { token } = await app.clients.issueToken({ client: 'conformance', name: 'Conformance', agent: 'main' })
  const door = await openDoor(new URL(server.url).port, token)
  try {
    return await Promise.all(wanted.map((revision) => runSuite(door.url, revision, folder)))
  } finally {
    await door.close()
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function runSuite(url: string, revision: string, folder: string): Promise<Verdict> {
  const results = join(folder, revision)
  const baseline = fileURLToPath(new URL(`mcp-expected-failures/${revision}.yaml`, import.meta.url))
  const args = ['server', '--url', url, '--requirements', revision, '--expected-failures', baseline, '-o', results]
  const child = spawn(process.execPath, [suite, ...args], { cwd: folder })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { revision, ok: code === 0, output: `${output}\n${await failedChecks(results)}` }
}

/** Returns the failed checks of each scenario. */
async function failedChecks(folder: string): Promise<string> {
  const lines: string[] = []
  for (const scenario of await readdir(folder)) {
    const checks = checksSchema.parse(JSON.parse(await readFile(join(folder, scenario, 'checks.json'), 'utf8')))
    for (const { id, status, errorMessage = '' } of checks)
      if (status === 'FAILURE') lines.push(`${scenario}: ${id}: ${errorMessage.slice(0, 300)}`)
  }
  return lines.join('\n')
}

async function openDoor(port: string, token: string): Promise<{ url: string; close: () => Promise<void> }> {
  const door = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const onward = request(
      { host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const { port: own } = door.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    close: () =>
      new Promise((resolve) => {
        door.close(() => resolve())
        door.closeAllConnections()
      }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { output } of await runConformance()) process.stdout.write(output)
