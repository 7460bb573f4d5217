import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Indexer, type IndexerEvent } from '../../../src/main/search/indexing/indexer.ts'
import { Memory } from '../../../src/main/search/service/memory.ts'
import { threadEntries } from '../../../src/main/search/service/memory-threads.ts'
import { openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import { transcriptText } from '../../../src/main/search/indexing/transcript-text.ts'
import { openTestApp } from '../../support/app.ts'
import { folderWith, temporaryFolder, until, writeFiles } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

const memoryFile = { 'MEMORY.md': '# M\n\n- The mascot is a walrus\n' }

async function openMemory(options: Parameters<typeof openTestApp>[0] = {}) {
  const test = await openTestApp({ files: memoryFile, watch: true, ...options })
  const agent = await test.app.agents.get('main')
  await agent.memory.settle(10_000)
  return { ...test, agent, memory: agent.memory }
}

describe('M14 conversations as memory', () => {
  it('M14: what was said can be found in another conversation, with the line of its file', async () => {
    const { agent, memory } = await openMemory()
    const first = await agent.chat.send({ text: 'Remember that the zeppelin lands on Tuesday' })
    await first.ended
    await until(async () =>
      (await memory.search('zeppelin Tuesday')).results.some(({ source }) => source === 'sessions'),
    )
    const hit = (await memory.search('zeppelin Tuesday')).results.find(({ source }) => source === 'sessions')
    expect(hit).toMatchObject({ path: `sessions/${first.session}.jsonl` })
    expect(hit?.snippet).toContain('User: Remember that the zeppelin lands on Tuesday')
    const excluded = await memory.search('zeppelin Tuesday', { excludeSession: first.session })
    expect(new Set(excluded.results.map(({ source }) => source))).toEqual(new Set(['memory']))
  })

  it('M14: keeps line numbers and leaves out tools and torn lines', () => {
    const line = (message: object) => JSON.stringify({ type: 'message', id: 'a', message })
    const text = transcriptText(
      [
        JSON.stringify({ type: 'session', id: 's' }),
        line({ role: 'user', content: 'two\nlines' }),
        line({
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'yes' },
          ],
        }),
        line({ role: 'toolResult', content: [{ type: 'text', text: 'secret' }] }),
        '{"type":"message","mess',
      ].join('\n'),
    )
    expect(text).toBe('\n- User: two lines\n- Assistant: yes\n\n')
  })

  it('M14: can be turned off, while the app runs', async () => {
    const { agent, memory, home, workspace } = await openMemory()
    await (
      await agent.chat.send({ text: 'The zeppelin lands where?' })
    ).ended
    await until(async () => (await memory.search('zeppelin')).results.length > 0)
    await writeFile(
      join(home, 'config.yaml'),
      `agents:\n  defaults: { memory: { sessions: false } }\n  list: [{ id: main, workspace: "${workspace}" }]\n`,
    )
    await until(async () => (await memory.search('zeppelin')).results.length === 0)
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
  })
})

describe('M15 extra folders', () => {
  it('M15: are searched, and followed, but are not the workspace', async () => {
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

describe('M50 settings that change while the app runs', () => {
  it('M50: a new threshold counts at once, a new chunk size rebuilds', async () => {
    const { memory, home, workspace } = await openMemory({
      files: { 'MEMORY.md': `# M\n\n${'- The mascot is a walrus named Bob\n'.repeat(40)}` },
    })
    const before = (await memory.status()).chunks
    const configure = (text: string) =>
      writeFile(
        join(home, 'config.yaml'),
        `agents:\n  defaults: { memory: ${text} }\n  list: [{ id: main, workspace: "${workspace}" }]\n`,
      )
    await configure('{ search: { minScore: 0.99 } }')
    await until(async () => (await memory.search('mascot walrus zebra')).results.length === 0)
    await configure('{ chunk: { tokens: 40, overlap: 0 } }')
    await until(async () => (await memory.status()).chunks > before * 3)
    await until(async () => (await memory.search('mascot walrus')).results.length > 0)
  })
})

describe('M12 trouble with the index', () => {
  it('M12: a database deleted while it is used is made anew with the next change', async () => {
    const { memory, home, workspace } = await openMemory()
    for (const suffix of ['', '-wal', '-shm']) await rm(join(home, 'memory', `main.sqlite${suffix}`), { force: true })
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    await writeFile(join(workspace, 'memory.md'), 'x')
    await writeFiles(workspace, { 'memory/2026-01-01.md': 'A quokka was seen.' })
    await until(async () => (await memory.search('quokka seen')).results.length === 1, 10_000)
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    expect((await readFile(join(home, 'memory', 'main.sqlite'))).length).toBeGreaterThan(0)
  })

  it('M12: a database that another program locks is waited for, and searched meanwhile', async () => {
    const { memory, home, workspace } = await openMemory()
    const other = openForWriting(join(home, 'memory', 'main.sqlite'))
    other.exec('BEGIN IMMEDIATE')
    await writeFiles(workspace, { 'memory/2026-01-01.md': 'A quokka was seen.' })
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    // Nothing may happen meanwhile: the indexer notices the file, and waits.
    await sleep(800)
    other.exec('COMMIT')
    await until(async () => (await memory.search('quokka seen')).results.length === 1, 10_000)
    other.close()
  })

  it('M12: an index that cannot be opened is said, chat and files go on, and it comes by itself', async () => {
    const workspace = await folderWith(memoryFile)
    const state = await temporaryFolder()
    await writeFile(join(state, 'memory'), 'a file where the folder should be')
    const events: IndexerEvent[] = []
    const indexer = new Indexer(
      {
        file: join(state, 'memory', 'main.sqlite'),
        folders: [{ source: 'memory', folder: workspace, prefix: '', forbidden: [] }],
        chunk: { tokens: 400, overlap: 80 },
        notes: [],
        embedding: {
          provider: 'none',
          model: '',
          baseUrl: undefined,
          batchSize: 1,
          apiKey: undefined,
          isLocal: true,
          allowDownload: false,
          modelsFolder: state,
          builtinFile: '',
        },
        debounceMs: 50,
        watch: true,
        retryMs: 100,
      },
      (event) => events.push(event),
    )
    await indexer.open()
    expect(indexer.status()).toMatchObject({ state: 'failed', problems: [{ code: 'index_failed' }] })
    await rm(join(state, 'memory'))
    await mkdir(join(state, 'memory'))
    await until(() => indexer.status().state === 'ready' && indexer.status().chunks === 1)
    expect(indexer.status().problems).toEqual([])
    await indexer.close()
  })

  it('M12: an app whose index cannot be opened still opens, and says why search is off', async () => {
    const test = await openTestApp({ files: memoryFile })
    await writeFile(join(test.home, 'memory'), 'in the way')
    const { memory, workspace } = await test.app.agents.get('main')
    expect((await memory.status()).state).toBe('failed')
    await expect(memory.search('walrus')).rejects.toMatchObject({ code: 'index_unavailable' })
    expect((await workspace.read('MEMORY.md')).text).toContain('walrus')
  })

  it('M12: searches are answered from the old index while a new one is built', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `memory/n${index}.md`,
        `# Note ${index}\n\n${`topic${index} and more words of text\n`.repeat(30)}`,
      ]),
    )
    const { app, home, workspace } = await openMemory({ files: { ...files, ...memoryFile } })
    await app.close()
    const { createApp } = await import('../../../src/main/app/composition/create-app.ts')
    const { mainFolder } = await import('../../support/app.ts')
    await writeFile(
      join(home, 'config.yaml'),
      `agents:\n  defaults: { memory: { chunk: { tokens: 64, overlap: 8 } } }\n  list: [{ id: main, workspace: "${workspace}" }]\n`,
    )
    const again = await createApp({ mainFolder, env: {}, home })
    const { memory } = await again.agents.get('main')
    const states = new Set<string>()
    for (let round = 0; round < 200 && (await memory.status()).state !== 'ready'; round += 1) {
      states.add((await memory.status()).state)
      expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    }
    expect(states).toContain('rebuilding')
    expect((await memory.search('topic77')).results[0]?.path).toBe('memory/n77.md')
    await again.close()
  })

  it('M9: a rebuild can be cancelled; search goes on, and the rest is looked at later', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `memory/n${index}.md`,
        `# Note ${index}\n\n${'words of text\n'.repeat(50)}`,
      ]),
    )
    const { memory } = await openMemory({ files: { ...files, ...memoryFile } })
    const stop = new AbortController()
    const running = memory.reindex(stop.signal).catch((error: unknown) => error)
    stop.abort()
    await running
    expect((await memory.search('mascot walrus')).results).toHaveLength(1)
    await until(async () => (await memory.status()).state === 'ready')
  })
})

describe('M13 a provider in trouble while the app runs', () => {
  const config = (url: string) =>
    `agents:\n  defaults:\n    memory:\n      embedding: { provider: openai-compatible, model: hashed, baseUrl: "${url}" }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`

  it('M13: a slow one is not waited for: keywords answer, and the answer says so', async () => {
    const server = await startModelServer()
    const { memory } = await openMemory({ config: config(server.openAiUrl) })
    await until(async () => (await memory.status()).embedded === 1)
    server.embeddings = { dimensions: 64, delayMs: 20_000 }
    const { results, notice, timings } = await memory.search('mascot walrus', { vectorWaitMs: 200 })
    expect(results).toMatchObject([{ path: 'MEMORY.md', vectorScore: null }])
    expect(notice).toMatchObject({ code: 'provider_late', message: expect.stringContaining('longer than 0.2 s') })
    expect(timings.embedMs).toBeGreaterThan(150)
  })

  it('M13: one whose model has other dimensions now is told, and keywords answer', async () => {
    const server = await startModelServer()
    const { memory } = await openMemory({ config: config(server.openAiUrl) })
    await until(async () => (await memory.status()).embedded === 1)
    server.embeddings = { dimensions: 16 }
    const { results, notice } = await memory.search('mascot walrus')
    expect(results).toHaveLength(1)
    expect(notice).toMatchObject({ code: 'provider_failed' })
  })
})

describe('M50 an index that is exchanged', () => {
  it('M50: whoever asks while the threads give way to others is answered by those', async () => {
    const { app, memory } = await openMemory()
    const done = new AbortController()
    const ask = async () => {
      let answers = 0
      while (!done.signal.aborted) {
        const [{ results }, status] = await Promise.all([memory.search('walrus', { minScore: 0 }), memory.status()])
        expect(results.length).toBeLessThanOrEqual(1)
        expect(status.problems).toEqual([])
        answers += 1
      }
      return answers
    }
    const asking = [ask(), ask(), ask()]
    for (const tokens of [100, 150, 200, 250]) await app.agents.configOf('main').setChunk({ tokens, overlap: 10 })
    await memory.settle(10_000)
    done.abort()
    for (const answers of await Promise.all(asking)) expect(answers).toBeGreaterThan(0)
    expect((await memory.search('walrus', { minScore: 0 })).results).toHaveLength(1)
  })
})

describe('M9 a thread that dies', () => {
  it('M9: is started again, the next search answers, and somebody is told', async () => {
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
        chunk: { tokens: 400, overlap: 80 },
        debounceMs: 100,
        embedding: { provider: 'none', model: '', batchSize: 1, allowDownload: false, modelsFolder: state } as never,
        notes: [],
      },
      search: () => ({
        weights: { vector: 0.7, text: 0.3 },
        minScore: 0,
        maxResults: 6,
        recencyHalfLifeDays: null,
        mmrLambda: null,
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
