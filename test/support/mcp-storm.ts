/** Many MCP clients write concurrently while the app is open and a window edits the same file. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '../../src/main/app/server/start-server.ts'
import { mainFolder } from './built.ts'
import type { ContractClient } from '../../src/shared/contract/index.ts'
import { connect } from './client.ts'
import { cli } from './built.ts'
import { logLines } from './log-lines.ts'

export interface StormFigures {
  readonly folder: string
  readonly written: number
  readonly failed: number
  readonly lost: number
  readonly doubled: number
  /** Lines of notes without an author in the history, or with a wrong one. */
  readonly missingInHistory: number
  /** Number of edits by the window; each must also be in the file. */
  readonly edits: number
}

/** @param viaStdio number of clients over stdio, the others use HTTP; default: half */
export async function storm(
  programs: number,
  notes: number,
  viaStdio: number = Math.ceil(programs / 2),
): Promise<StormFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-storm-'))
  const home = join(folder, 'state')
  const workspace = join(folder, 'workspace')
  await mkdir(workspace)
  await mkdir(home)
  await writeFile(join(home, 'config.yaml'), `agents:\n  list:\n    - { id: main, workspace: "${workspace}" }\n`)
  const server = await startServer({ mainFolder, env: {}, home })
  try {
    const app = await connect(server.url)
    const writers = await Promise.all(
      Array.from({ length: programs }, (_, index) => open(app, server.url, home, `p${index}`, index < viaStdio)),
    )
    const { path } = await app.workspace.remember({ agent: 'main', text: 'the first' })
    const editing = new AbortController()
    const edits = edit(app, path, editing.signal)
    const outcomes = await Promise.all(writers.map((client, index) => write(client, `p${index}`, notes)))
    editing.abort()
    const edited = await edits
    await Promise.all(writers.map((client) => client.close()))
    return { folder, ...(await count(app, workspace, path, outcomes.flat(), edited)) }
  } finally {
    await server.close()
  }
}

async function open(app: ContractClient, url: string, home: string, name: string, isStdio: boolean): Promise<Client> {
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const { limits: own } = await app.clients.meet({ client: name, name })
  const limits = { ...own, callsPerMinute: 10_000, notesPerDay: 100_000 }
  await app.clients.update({ client: name, limits })
  if (isStdio) {
    const args = [cli, 'mcp', '--home', home]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }))
    return client
  }
  const { token } = await app.clients.issueToken({ client: name, name, agent: 'main' })
  const headers = { Authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  return client
}

/** @returns the notes; undefined for each one that was not acknowledged */
async function write(client: Client, name: string, notes: number): Promise<(string | undefined)[]> {
  const outcomes: (string | undefined)[] = []
  for (let index = 0; index < notes; index += 1) {
    const text = `note-${name}-${index}.`
    const answer = await client.callTool({ name: 'remember', arguments: { text } })
    outcomes.push(answer.isError === true ? undefined : text)
  }
  return outcomes
}

/** Appends lines to the same file through a window, and merges concurrent changes. */
async function edit(app: ContractClient, path: string, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = []
  while (!signal.aborted) {
    const { text, hash } = await app.workspace.read({ agent: 'main', path })
    await sleep(20)
    const line = `edit-${lines.length}.`
    const changed = `${text.trimEnd()}\n\n${line}\n`
    await app.workspace.write({
      agent: 'main',
      path,
      text: changed,
      expectedHash: hash,
      baseText: text,
      onConflict: 'both',
    })
    lines.push(line)
    await sleep(100)
  }
  return lines
}

async function count(
  app: ContractClient,
  workspace: string,
  path: string,
  outcomes: readonly (string | undefined)[],
  edits: readonly string[],
): Promise<Omit<StormFigures, 'folder'>> {
  const notes = outcomes.filter((text) => text !== undefined)
  // Lines written through MCP end with the client's name.
  const text = (await readFile(join(workspace, path), 'utf8')).replaceAll(/ \^\[mcp: [^\]]*\]$/gm, '')
  const lines = logLines(text)
  const times = (text: string) => lines.filter((line) => line === text).length
  const counts = [...notes, ...edits].map(times)
  const owners = await blamed(app, path, notes)
  return {
    written: notes.length,
    failed: outcomes.length - notes.length,
    lost: counts.filter((number) => number === 0).length,
    doubled: counts.filter((number) => number > 1).length,
    missingInHistory: notes.filter((note) => {
      const line = lines.indexOf(note)
      return owners[line] !== `client ${/^note-(.+)-\d+\.$/.exec(note)?.[1]}`
    }).length,
    edits: edits.length,
  }
}

/** Returns the author of each line, after the history has recorded all changes. */
async function blamed(app: ContractClient, path: string, notes: readonly string[]): Promise<string[]> {
  const { text } = await app.workspace.read({ agent: 'main', path })
  const wanted = text.split('\n').length - 1
  for (const end = Date.now() + 60_000; ;) {
    const lines = await app.history.blame({ agent: 'main', path })
    const ofPrograms = lines.filter(({ cause }) => cause === 'client').length
    if ((lines.length >= wanted && ofPrograms >= notes.length) || Date.now() > end)
      return lines.map(({ cause, client }) => `${cause} ${client}`)
    await sleep(200)
  }
}
