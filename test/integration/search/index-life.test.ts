import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Memory } from '../../../src/main/search/service/memory.ts'
import { threadEntries } from '../../../src/main/search/service/index-workers.ts'
import { openIndexFile } from '../../../src/main/search/indexing/index-file.ts'
import { openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import { openAppOn, openTestApp } from '../../support/app.ts'
import { folderWith, temporaryFolder, until, writeFiles } from '../../support/folder.ts'
import { outdateIndex } from '../../support/outdated-index.ts'

const memoryFile = { 'MEMORY.md': '# M\n\n- The mascot is a walrus\n' }

async function openMemory(options: Parameters<typeof openTestApp>[0] = {}) {
  const test = await openTestApp({ files: memoryFile, watch: true, ...options })
  const agent = await test.app.agents.get('main')
  await agent.memory.settle(10_000)
  return { ...test, agent, memory: agent.memory }
}

describe('transcripts in search', () => {
  it('finds a message from another session, with its line', async () => {
    const { agent, memory } = await openMemory()
    const first = await agent.chat.send({ text: 'The zeppelin lands on Tuesday.' })
    await first.ended
    await until(async () =>
      (await memory.search('zeppelin Tuesday')).results.some(({ source }) => source === 'sessions'),
    )
    const hit = (await memory.search('zeppelin Tuesday')).results.find(({ source }) => source === 'sessions')
    expect(hit).toMatchObject({ path: `sessions/${first.session}.jsonl` })
    expect(hit?.snippet).toContain('The zeppelin lands on Tuesday.')
    expect((await memory.search('zeppelin Tuesday', { excludeSession: first.session })).results).toEqual([])
  })

  it('can be turned off while the app runs', async () => {
    const { agent, memory, home, workspace } = await openMemory()
    const { ended } = await agent.chat.send({ text: 'The zeppelin lands on Tuesday.' })
    await ended
    await until(async () => (await memory.search('zeppelin')).results.length > 0)
    await writeFile(
      join(home, 'config.yaml'),
      `agents:\n  defaults: { memory: { sessions: false } }\n  list: [{ id: main, workspace: "${workspace}" }]\n`,
    )
    await until(async () => (await memory.search('zeppelin')).results.length === 0)
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
  })
})

describe('extra folders', () => {
  it('are searched and watched, but not listed as workspace files', async () => {
    const extra = await folderWith({ 'notes/vault.md': '# Vault\n\nThe obsidian quokka sleeps.\n' })
    const { memory, agent } = await openMemory({
      config: `agents:\n  defaults: { memory: { extraPaths: ["${extra}"] } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`,
    })
    expect((await memory.search('obsidian quokka')).results).toMatchObject([
      { path: `${extra}/notes/vault.md`, source: 'extra' },
    ])
    await writeFiles(extra, { 'more.md': 'The pangolin is awake.' })
    await until(async () => (await memory.search('pangolin awake')).results.length === 1)
    expect((await agent.workspace.list()).files.map(({ path }) => path)).toEqual(['MEMORY.md'])
  })
})

describe('index problems', () => {
  it('recreates a database that was deleted while in use', async () => {
    const { memory, home, workspace } = await openMemory()
    for (const suffix of ['', '-wal', '-shm']) await rm(join(home, 'memory', `main.sqlite${suffix}`), { force: true })
    await memory.settle(10_000)
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    await writeFile(join(workspace, 'memory.md'), 'x')
    await writeFiles(workspace, { 'memory/2026-01-01.md': 'A quokka was seen.' })
    await until(async () => (await memory.search('quokka seen')).results.length === 1, 10_000)
    await memory.settle(10_000)
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    expect((await readFile(join(home, 'memory', 'main.sqlite'))).length).toBeGreaterThan(0)
  })

  it('leaves the shared memory of a foreign database that is still open', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'main.sqlite')
    const theirs = openForWriting(file)
    theirs.exec('CREATE TABLE theirs (text)')
    onTestFinished(() => void theirs.close())
    const { ino } = await stat(`${file}-shm`)
    const { store, movedAsideTo } = await openIndexFile({ file, embedding: { provider: 'none' } as never, notes: [] })
    onTestFinished(() => store.close())
    expect(movedAsideTo).toBeDefined()
    expect((await stat(`${file}-shm`)).ino).not.toBe(ino)
    expect(theirs.prepare('SELECT count(*) FROM theirs').pluck().get()).toBe(0)
  })

  it('searches a database that another program has locked, and writes once it is unlocked', async () => {
    const { memory, home, workspace } = await openMemory()
    const other = openForWriting(join(home, 'memory', 'main.sqlite'))
    other.exec('BEGIN IMMEDIATE')
    await writeFiles(workspace, { 'memory/2026-01-01.md': 'A quokka was seen.' })
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    // Gives the indexer time to notice the file and wait for the lock.
    await sleep(800)
    other.exec('COMMIT')
    await until(async () => (await memory.search('quokka seen')).results.length === 1, 10_000)
    other.close()
  })

  it('opens the app without an index, and searches report why they fail', async () => {
    const test = await openTestApp({ files: memoryFile })
    await writeFile(join(test.home, 'memory'), 'in the way')
    const { memory, workspace } = await test.app.agents.get('main')
    expect((await memory.status()).state).toBe('failed')
    await expect(memory.search('walrus')).rejects.toMatchObject({ code: 'index_unavailable' })
    expect((await workspace.read('MEMORY.md')).text).toContain('walrus')
  })

  it('serves searches from the old index during a rebuild', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `memory/n${index}.md`,
        `# Note ${index}\n\n${`topic${index} and more words of text\n`.repeat(30)}`,
      ]),
    )
    const { app, home } = await openMemory({ files: { ...files, ...memoryFile } })
    await app.close()
    outdateIndex(join(home, 'memory', 'main.sqlite'))
    const again = await openAppOn(home)
    const { memory } = await again.app.agents.get('main')
    const states = new Set<string>()
    while ((await memory.status()).state !== 'ready') {
      states.add((await memory.status()).state)
      expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    }
    expect(states).toContain('rebuilding')
    expect((await memory.search('topic77')).results[0]?.path).toBe('memory/n77.md')
  })
})

describe('worker crash', () => {
  it('restarts the worker, serves the next search, and emits events', async () => {
    const workspace = await folderWith(memoryFile)
    const state = await temporaryFolder()
    const sign = join(state, 'die')
    process.env['DIES_AT'] = sign
    const mainFolder = new URL('../../../src/main/', import.meta.url)
    const faults: string[] = []
    let recovered = 0
    const memory = new Memory({
      now: () => new Date(),
      source: {
        file: join(state, 'index.sqlite'),
        folders: [{ source: 'memory', folder: workspace, prefix: '', forbidden: [] }],
        debounceMs: 100,
        embedding: { provider: 'none', model: '', batchSize: 1, allowDownload: false, modelsFolder: state } as never,
        notes: [],
      },
      search: () => ({
        weights: { vector: 0.7, text: 0.3 },
        minScore: 0,
        maxResults: 6,
        maxCharacters: 1600,
        recencyHalfLifeDays: null,
      }),
      threads: { ...threadEntries(mainFolder), searcher: new URL('../../support/dying-searcher.ts', import.meta.url) },
      watch: false,
    })
    memory.changes.subscribe((change) => {
      if (change.type === 'crashed') faults.push(change.error.message)
      if (change.type === 'recovered') recovered += 1
    })
    try {
      await memory.opened()
      await memory.settle(10_000)
      expect((await memory.search('walrus')).results).toHaveLength(1)
      await writeFile(sign, '')
      await until(() => recovered === 1)
      expect(faults).toEqual(['a thread ended with code 3'])
      expect((await memory.search('walrus')).results).toHaveLength(1)
    } finally {
      delete process.env['DIES_AT']
      await memory.close()
    }
  })
})
