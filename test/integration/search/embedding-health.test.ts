import Database from 'better-sqlite3'
import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import type { Memory } from '../../../src/main/search/service/memory.ts'
import { mainFolder, openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { startTroubledEmbeddings, type Trouble } from '../../support/troubled-embeddings.ts'

const notesOf = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `memory/note-${index}.md`,
      `# Note ${index}\n\nThe walrus number ${index} lives in bath ${index * 7}.\n`,
    ]),
  )
const notes = notesOf(12)
/** Texts in one request, and requests that are under way together. */
const [perBatch, atOnce] = [64, 3]
const manyNotes = notesOf(7 * perBatch)

function configOf(embedding: string): string {
  return `agents:\n  defaults: { memory: { embedding: { ${embedding} } } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`
}

function ofServer(url: string, more = ''): string {
  return `provider: openai-compatible, model: hashed, baseUrl: "${url}"${more}`
}

async function openMemory(config: string, files: Readonly<Record<string, string>> = notes) {
  const test = await openTestApp({
    files: { 'MEMORY.md': '# M\n\n- The mascot is a walrus\n', ...files },
    config,
    watch: true,
  })
  const { memory } = await test.app.agents.get('main')
  await memory.settle(10_000)
  const configure = (text: string) =>
    writeFile(join(test.home, 'config.yaml'), text.replaceAll('{{workspace}}', test.workspace))
  return { ...test, memory, configure }
}

const problemOf = async (memory: Memory) =>
  (await memory.status()).problems.find(({ code }) => code.startsWith('provider_'))
const isEmbedded = async (memory: Memory) => {
  const { units, embedded, state } = await memory.status()
  return state === 'ready' && units > 0 && embedded === units
}

describe('failing embedding provider', () => {
  it.each<[Trouble, string, string]>([
    ['auth', 'provider_auth', 'Incorrect API key provided: [redacted]'],
    ['rate', 'provider_rate_limited', 'Slow down, please'],
    ['broken', 'provider_unavailable', 'The model ran out of memory'],
    ['dimensions', 'provider_error', '16 dimensions'],
    ['garbled', 'provider_error', 'invalid JSON'],
    ['page', 'provider_error', 'Sign in to the hotel network'],
    ['dropped', 'provider_cut', 'closed the connection'],
    ['unknownModel', 'provider_error', 'model "hashed" not found, try pulling it first'],
  ])(
    '%s: reports its message in the status and with every result, and stops calling it',
    async (trouble, code, words) => {
      const server = await startTroubledEmbeddings()
      const { memory, workspace, app } = await openMemory(configOf(ofServer(server.url)))
      await until(() => isEmbedded(memory))
      Object.assign(server, { trouble, delayMs: 60_000 })
      await writeFile(join(workspace, 'memory/new.md'), 'A quokka was seen.\n')
      await until(async () => (await memory.search('quokka')).results.length > 0, 10_000)
      await until(async () => (await problemOf(memory)) !== undefined, 15_000)
      expect(await problemOf(memory)).toMatchObject({
        code,
        message: expect.stringContaining(words),
        since: expect.any(Number),
      })
      expect(app.health.problems('main')).toMatchObject([{ part: 'embeddings', code, remedy: expect.anything() }])
      const before = server.inputs.length
      for (const query of ['walrus one', 'walrus two', 'walrus three']) {
        const { results, notice } = await memory.search(query, { minScore: 0 })
        expect(results.length).toBeGreaterThan(0)
        expect(notice).toMatchObject({ code: 'provider_failed', message: expect.stringContaining(words.slice(0, 12)) })
      }
      // A probe may have been due meanwhile, but queries must not be sent.
      expect(server.inputs.slice(before).flat()).not.toContain('walrus one')
      server.trouble = 'none'
      await memory.tryProvider()
      await until(() => isEmbedded(memory))
      expect(app.health.problems('main')).toEqual([])
      expect((await memory.search('walrus one')).notice).toBeNull()
    },
    60_000,
  )

  it('reports an unreachable address and offers a retry', async () => {
    const { memory, app } = await openMemory(configOf(ofServer('http://127.0.0.1:9/v1')))
    await until(async () => (await problemOf(memory)) !== undefined, 15_000)
    expect(await problemOf(memory)).toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringMatching(/ECONNREFUSED|bad port/),
    })
    expect(app.health.problems('main')).toMatchObject([{ part: 'embeddings', remedy: { kind: 'tryAgain' } }])
    expect((await memory.search('walrus')).notice?.code).toBe('provider_failed')
  }, 30_000)

  it('pauses after two failures, and a probe detects the recovery', async () => {
    const server = await startTroubledEmbeddings()
    server.trouble = 'broken'
    const { memory } = await openMemory(configOf(ofServer(server.url)), manyNotes)
    await until(async () => (await problemOf(memory)) !== undefined, 15_000)
    // Two runs of the queue with at most three batches each, then one probe after a second.
    await until(() => server.inputs.some((input) => input[0] === 'memory'), 10_000)
    expect(server.texts().length).toBeLessThanOrEqual(2 * atOnce * perBatch)
    server.trouble = 'none'
    await until(() => isEmbedded(memory), 20_000)
    expect(await problemOf(memory)).toBeUndefined()
  }, 60_000)

  it('retries at once after a change of the settings', async () => {
    const server = await startTroubledEmbeddings()
    const { memory, configure } = await openMemory(configOf(ofServer('http://127.0.0.1:9/v1')))
    await until(async () => (await problemOf(memory)) !== undefined, 15_000)
    await configure(configOf(ofServer(server.url)))
    await until(() => isEmbedded(memory), 20_000)
    expect(await problemOf(memory)).toBeUndefined()
  }, 60_000)

  it.each(['all files are reindexed', 'the user retries the provider'] as const)(
    'sends rejected texts again when %s',
    async (how) => {
      const server = await startModelServer()
      server.embeddings = { dimensions: 64, refuse: 'walrus number 3 ' }
      const { memory } = await openMemory(configOf(ofServer(server.openAiUrl)))
      const refusal = async () => (await memory.status()).problems.find(({ code }) => code === 'texts_refused')
      await until(async () => (await refusal()) !== undefined, 15_000)
      await memory.waitForVectors()
      server.embeddings = { dimensions: 64 }
      if (how === 'all files are reindexed') await memory.reindex()
      else await memory.tryProvider()
      await until(() => isEmbedded(memory), 15_000)
      expect(await refusal()).toBeUndefined()
    },
    60_000,
  )

  it('serves up-to-date keyword search while a new model is slow', async () => {
    const server = await startTroubledEmbeddings()
    const { memory, workspace, configure } = await openMemory(configOf(ofServer(server.url)))
    await until(() => isEmbedded(memory), 15_000)
    Object.assign(server, { trouble: 'slow', delayMs: 4000 })
    await configure(configOf(ofServer(server.url).replace('hashed', 'another')))
    await until(() => memory.status().then(({ model }) => model === 'another'), 15_000)
    await writeFile(join(workspace, 'memory/new.md'), 'A quokka was seen.\n')
    await writeFile(join(workspace, 'memory/note-4.md'), 'The narwhal came instead.\n')
    await rm(join(workspace, 'memory/note-3.md'))
    const found = async (query: string) => (await memory.search(query)).results.map(({ path }) => path)
    await until(async () => (await found('quokka')).includes('memory/new.md'), 4000)
    await until(async () => (await found('narwhal')).includes('memory/note-4.md'), 4000)
    await until(async () => !(await found('walrus number 3')).includes('memory/note-3.md'), 4000)
    const { embedded, units } = await memory.status()
    expect(embedded).toBeLessThan(units)
    expect((await memory.search('quokka')).notice).not.toBeNull()
    server.trouble = 'none'
    await until(() => isEmbedded(memory), 30_000)
    expect(await found('quokka')).toEqual(['memory/new.md'])
  }, 60_000)

  it('reindexing embeds everything again if the model returns another length', async () => {
    const server = await startModelServer()
    const { memory } = await openMemory(configOf(ofServer(server.openAiUrl)))
    await until(() => isEmbedded(memory), 15_000)
    server.embeddings = { dimensions: 32 }
    expect((await memory.search('which walrus lives in the bath')).notice?.message).toContain('32 dimensions')
    await memory.reindex()
    await until(async () => (await memory.search('which walrus lives in the bath')).notice === null, 15_000)
    // A search finds the last vectors before the indexer reports them.
    await until(() => isEmbedded(memory))
  }, 60_000)

  it('settleVectors tries the provider again instead of reporting its last state', async () => {
    const server = await startTroubledEmbeddings()
    server.trouble = 'broken'
    const { memory } = await openMemory(configOf(ofServer(server.url)))
    await until(async () => (await problemOf(memory)) !== undefined, 15_000)
    expect((await memory.waitForVectors()).problems).not.toEqual([])
    server.trouble = 'none'
    const { problems, embedded, units } = await memory.waitForVectors()
    expect({ problems, embedded }).toEqual({ problems: [], embedded: units })
  }, 60_000)

  it('waits less for a hanging provider with every search, and finally not at all', async () => {
    const server = await startTroubledEmbeddings()
    const { memory } = await openMemory(configOf(ofServer(server.url)))
    await until(() => isEmbedded(memory))
    server.trouble = 'hang'
    const notices: (string | undefined)[] = []
    for (const query of ['one', 'two', 'three', 'four', 'five'])
      notices.push((await memory.search(`walrus ${query}`)).notice?.message)
    expect(notices.map((notice) => notice?.replace('openai-compatible ', ''))).toEqual([
      'took longer than 3 s',
      'took longer than 1 s',
      'took longer than 0.3 s',
      'is too slow: searching without it',
      'is too slow: searching without it',
    ])
    expect(server.inputs.filter((input) => input[0]?.startsWith('walrus ')).length).toBeLessThanOrEqual(4)
  }, 60_000)

  it('uses a late answer when the query is repeated', async () => {
    const server = await startTroubledEmbeddings()
    const { memory } = await openMemory(configOf(ofServer(server.url)))
    await memory.waitForVectors()
    Object.assign(server, { trouble: 'slow', delayMs: 700 })
    expect((await memory.search('walrus bath', { vectorWaitMs: 100 })).notice?.code).toBe('provider_late')
    await until(async () => (await memory.search('walrus bath', { vectorWaitMs: 1000 })).notice === null, 10_000)
    expect(server.texts().filter((text) => text === 'walrus bath')).toHaveLength(1)
    expect(await problemOf(memory)).toBeUndefined()
  }, 60_000)

  it('reports a missing key with every result', async () => {
    const { memory, app } = await openMemory(configOf('provider: openai, model: text-embedding-3-small'))
    expect((await memory.search('walrus')).notice).toMatchObject({
      code: 'vectors_off',
      message: expect.stringContaining('no key'),
    })
    expect(app.health.problems('main')).toMatchObject([
      { part: 'embeddings', code: 'no_key', remedy: { kind: 'settings', section: 'models' } },
    ])
  })
})

describe('reuse of vectors', () => {
  const twiceSent = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) !== index)

  it('sends no text twice after a reindex or a change of provider', async () => {
    const server = await startTroubledEmbeddings()
    const { memory, configure } = await openMemory(configOf(ofServer(server.url)))
    await until(() => isEmbedded(memory))
    await memory.reindex()
    await until(() => isEmbedded(memory))
    await configure(configOf('provider: none'))
    await until(async () => (await memory.status()).provider === 'none', 20_000)
    await configure(configOf(ofServer(server.url)))
    await until(() => isEmbedded(memory), 20_000)
    expect(twiceSent(server.texts())).toEqual([])
  }, 90_000)

  it('sends all texts to another server, because its model can be a different one', async () => {
    const servers = [await startTroubledEmbeddings(), await startTroubledEmbeddings()] as const
    const [one, other] = servers
    const { memory, configure } = await openMemory(configOf(ofServer(one.url)))
    await until(() => isEmbedded(memory))
    const of = (url: string) =>
      memory
        .embeddingCost({ provider: 'openai-compatible', model: 'hashed', baseUrl: url })
        .then(({ unsent }) => unsent.texts)
    const { all } = await memory.embeddingCost()
    expect([await of(one.url), await of(`${one.url}/`), await of(other.url)]).toEqual([0, 0, all.texts])
    await configure(configOf(ofServer(other.url)))
    await until(async () => (await of(other.url)) === 0 && (await isEmbedded(memory)), 20_000)
    const asked = servers.map((server) => server.texts().length)
    expect(asked[1]).toBe(asked[0])
    // The vectors of the first server were deleted when those of the other one were complete.
    await configure(configOf(ofServer(`${one.url}/`)))
    await until(async () => (await of(one.url)) === 0 && (await isEmbedded(memory)), 20_000)
    expect((await memory.search('walrus number 3')).notice).toBeNull()
    const texts = servers.map((server) => server.texts().filter((text) => text !== 'walrus number 3').length)
    expect(texts).toEqual([2 * Number(asked[0]), asked[1]])
  }, 90_000)

  it('sends a text once if parallel batches contain it', async () => {
    const server = await startTroubledEmbeddings()
    Object.assign(server, { trouble: 'slow', delayMs: 100 })
    const same = Object.fromEntries(
      Array.from({ length: 4 * perBatch }, (_, index) => [`memory/s${index}.md`, 'All the same.\n']),
    )
    const { memory } = await openMemory(configOf(ofServer(server.url)), same)
    await until(() => isEmbedded(memory), 10_000)
    expect(twiceSent(server.texts())).toEqual([])
  }, 30_000)

  it('continues an interrupted rebuild with the vectors it has', async () => {
    const server = await startTroubledEmbeddings()
    const { app, home, configure, workspace } = await openMemory(configOf('provider: none'), manyNotes)
    Object.assign(server, { trouble: 'slow', delayMs: 150 })
    await configure(configOf(ofServer(server.url)))
    await until(() => server.texts().length > atOnce * perBatch, 10_000)
    await app.close()
    // Requests in progress at the end are repeated; answered ones are not.
    const answered = new Set(server.texts().slice(0, -atOnce * perBatch))
    const before = server.inputs.length
    server.trouble = 'none'
    const config = configOf(ofServer(server.url)).replaceAll('{{workspace}}', workspace)
    await writeFile(join(home, 'config.yaml'), config)
    const again = await createApp({ mainFolder, env: {}, home })
    try {
      const { memory: resumed } = await again.agents.get('main')
      await until(() => isEmbedded(resumed), 20_000)
      expect(
        server.inputs
          .slice(before)
          .flat()
          .filter((text) => answered.has(text)),
      ).toEqual([])
    } finally {
      await again.close()
    }
  }, 60_000)

  it('recovers readable vectors from a damaged index', async () => {
    const server = await startTroubledEmbeddings()
    const { memory, app, home } = await openMemory(configOf(ofServer(server.url)))
    await until(() => isEmbedded(memory))
    await app.close()
    const file = join(home, 'memory', 'main.sqlite')
    const db = new Database(file)
    const root = Number(db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'files'").pluck().get())
    const size = Number(db.pragma('page_size', { simple: true }))
    db.close()
    const handle = await open(file, 'r+')
    await handle.write(Buffer.alloc(size, 0xff), 0, size, (root - 1) * size)
    await handle.close()
    await rm(`${file}-wal`, { force: true })
    const before = server.texts().length
    const again = await createApp({ mainFolder, env: {}, home })
    try {
      const { memory: revived } = await again.agents.get('main')
      await until(() => isEmbedded(revived), 20_000)
      expect(server.texts().slice(before)).toEqual([])
      expect((await revived.search('walrus')).results.length).toBeGreaterThan(0)
      expect(again.health.problems('main').map(({ code }) => code)).toContain('index_damaged')
    } finally {
      await again.close()
    }
  }, 60_000)
})
