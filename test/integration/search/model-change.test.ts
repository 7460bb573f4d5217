import { cp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { App } from '../../../src/main/app/composition/create-app.ts'
import { openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import { openAppOn, openTestApp } from '../../support/app.ts'
import { temporaryFolder, until, writeFiles } from '../../support/folder.ts'
import { startTroubledEmbeddings, type TroubledServer } from '../../support/troubled-embeddings.ts'

const notes = {
  'memory/cat.md': '# Pets\n\nThe cat sleeps.\n',
  'memory/roof.md': '# House\n\nThe roof leaks.\n',
  'memory/school.md': '# Family\n\nOur daughter starts kindergarten in September.\n',
}
const builtin = 'provider: builtin'

/** A server that knows synonyms which no note has. */
async function startServer(): Promise<TroubledServer> {
  const server = await startTroubledEmbeddings()
  server.synonyms = { feline: 'cat', shelter: 'roof', hound: 'dog' }
  return server
}

function modelOf({ url }: TroubledServer, model: string, reach = 'local'): string {
  return `provider: openai-compatible, model: ${model}, baseUrl: "${url}", reach: ${reach}`
}

const configOf = (embedding: string, workspace: string) =>
  `agents:\n  defaults: { memory: { embedding: { ${embedding} } } }\n  list: [{ id: main, workspace: "${workspace}" }]\n`

async function openMemory(embedding: string, files: Record<string, string> = {}) {
  const config = configOf(embedding, '{{workspace}}')
  const test = await openTestApp({ files: { ...notes, ...files }, config, watch: true })
  return { ...test, ...(await readerOf(test.app)), configure: configurerOf(test.home, test.workspace) }
}

function configurerOf(home: string, workspace: string) {
  return (embedding: string) => writeFile(join(home, 'config.yaml'), configOf(embedding, workspace))
}

async function readerOf(app: App) {
  const { memory } = await app.agents.get('main')
  await memory.settle(10_000)
  await memory.waitForVectors()
  /** Returns the model that was asked and the paths found. */
  const ask = async (query: string) => {
    const { model, results } = await memory.search(query, { minScore: 0.2 })
    return [model, ...results.map(({ path }) => path)]
  }
  const isChosen = (model: string) => until(async () => (await memory.status()).model === model, 10_000)
  return { memory, ask, isChosen }
}

/** Opens the app again. */
async function reopen(home: string) {
  const { app } = await openAppOn(home)
  return { app, ...(await readerOf(app)) }
}

/** Returns the models whose vectors the index has, and expects that each unit has a vector, and nothing else has. */
async function modelsIn(home: string): Promise<unknown[]> {
  const names = await readdir(join(home, 'memory'))
  expect(names.filter((name) => name.includes('.sqlite') && !/-(wal|shm)$/.test(name))).toEqual(['main.sqlite'])
  const db = openForWriting(join(home, 'memory', 'main.sqlite'))
  const all = (sql: string) => db.prepare(sql).pluck().all()
  try {
    expect(all('SELECT id FROM units WHERE vector IS NULL')).toEqual([])
    expect(all('SELECT unit_id FROM unit_codes ORDER BY 1')).toEqual(all('SELECT id FROM units ORDER BY 1'))
    expect(all('SELECT id FROM embedding_cache ORDER BY 1')).toEqual(
      all('SELECT DISTINCT vector FROM units WHERE vector > 0 ORDER BY 1'),
    )
    expect(all('SELECT DISTINCT length(code) FROM unit_codes')).toHaveLength(1)
    return all('SELECT DISTINCT model FROM embedding_cache')
  } finally {
    db.close()
  }
}

describe('another embedding model', () => {
  it('answers with the old vectors until the new ones are complete', async () => {
    const [one, other] = [await startServer(), await startServer()]
    const { memory, ask, isChosen, configure, home, workspace } = await openMemory(modelOf(one, 'one'))
    expect(await ask('feline')).toEqual(['one', 'memory/cat.md'])
    other.trouble = 'broken'
    await configure(modelOf(other, 'other'))
    await isChosen('other')
    const { all, unsent } = await memory.embeddingCost()
    expect(unsent).toEqual(all)
    const sent = one.texts().length
    expect((await ask('shelter')).slice(0, 2)).toEqual(['one', 'memory/roof.md'])
    expect(one.texts().slice(sent)).toEqual(['shelter'])
    await writeFiles(workspace, { 'memory/dog.md': '# Dogs\n\nThe dog barks.\n' })
    await rm(join(workspace, 'memory/roof.md'))
    await until(async () => (await ask('barks')).includes('memory/dog.md'), 10_000)
    await until(async () => !(await ask('shelter')).includes('memory/roof.md'), 10_000)
    expect((await ask('feline'))[1]).toBe('memory/cat.md')
    expect(await ask('hound')).not.toContain('memory/dog.md')
    expect(one.texts().filter((text) => text.includes('barks.'))).toEqual([])
    const { embedded, units } = await memory.status()
    expect(embedded).toBeLessThan(units)
    await expect.poll(async () => (await memory.status()).problems).toMatchObject([{ code: 'provider_unavailable' }])
    other.trouble = 'none'
    await memory.waitForVectors()
    await until(async () => (await ask('hound'))[0] === 'other', 10_000)
    expect((await ask('hound'))[1]).toBe('memory/dog.md')
    expect((await ask('feline'))[1]).toBe('memory/cat.md')
    expect(await modelsIn(home)).toEqual(['other'])
  }, 60_000)

  it('finds new notes by meaning with the built-in model meanwhile, also after a restart', async () => {
    const server = await startServer()
    server.trouble = 'broken'
    const { app, ask, isChosen, configure, home, workspace } = await openMemory(builtin)
    await configure(modelOf(server, 'new'))
    await isChosen('new')
    await writeFiles(workspace, { 'memory/doctor.md': '# Visits\n\nThe dentist pulled two teeth.\n' })
    await until(async () => (await ask('dental surgery'))[1] === 'memory/doctor.md', 10_000)
    expect((await ask('preschool'))[1]).toBe('memory/school.md')
    await app.close()
    await rm(join(workspace, 'memory/doctor.md'))
    const again = await reopen(home)
    expect(await again.ask('preschool')).toEqual(['commonplace-3', 'memory/school.md'])
    expect(await again.ask('dental surgery')).not.toContain('memory/doctor.md')
    server.trouble = 'none'
    await again.memory.waitForVectors()
    await until(async () => (await again.ask('feline'))[0] === 'new', 10_000)
    expect((await again.ask('feline'))[1]).toBe('memory/cat.md')
    expect(await modelsIn(home)).toEqual(['new'])
  }, 60_000)

  it('a second change keeps the complete vectors, and a change back sends only new texts', async () => {
    const [one, broken, last] = [await startServer(), await startServer(), await startServer()]
    broken.trouble = 'broken'
    const { memory, ask, isChosen, configure, home, workspace } = await openMemory(modelOf(one, 'one'))
    const sent = one.texts().length
    await configure(modelOf(broken, 'broken'))
    await isChosen('broken')
    await writeFiles(workspace, { 'memory/dog.md': '# Dogs\n\nThe dog barks.\n' })
    await until(async () => (await ask('barks')).includes('memory/dog.md'), 10_000)
    await configure(modelOf(one, 'one'))
    await isChosen('one')
    await until(async () => (await ask('hound'))[1] === 'memory/dog.md', 10_000)
    await memory.waitForVectors()
    const resent = one.texts().slice(sent)
    expect(resent.filter((text) => text.endsWith('.'))).toEqual(['The dog barks.'])
    expect(await modelsIn(home)).toEqual(['one'])

    await configure(modelOf(broken, 'broken'))
    await isChosen('broken')
    last.trouble = 'broken'
    await configure(modelOf(last, 'last'))
    await isChosen('last')
    expect((await ask('shelter')).slice(0, 2)).toEqual(['one', 'memory/roof.md'])
    last.trouble = 'none'
    await memory.waitForVectors()
    await until(async () => (await ask('shelter'))[0] === 'last', 10_000)
    expect(await modelsIn(home)).toEqual(['last'])
  }, 60_000)

  it.each(['a restart', 'a crash between the two files'])(
    'ends after %s',
    async (how) => {
      const [one, other] = [await startServer(), await startServer()]
      const { app, isChosen, configure, home, workspace } = await openMemory(modelOf(one, 'one'))
      other.trouble = 'broken'
      await configure(modelOf(other, 'other'))
      await isChosen('other')
      let state = home
      if (how === 'a restart') await app.close()
      else await cp(home, (state = join(await temporaryFolder(), 'state')), { recursive: true })
      if (how === 'a crash between the two files')
        for (const suffix of ['', '-wal', '-shm']) await rm(join(state, 'memory', `main.sqlite${suffix}`))
      await app.close()
      await rename(join(workspace, 'memory/roof.md'), join(workspace, 'memory/attic.md'))
      const asked = one.texts().length
      const { memory, ask } = await reopen(state)
      expect((await memory.search('cat', { minScore: 0 })).results.map(({ path }) => path)).toEqual(['memory/cat.md'])
      expect(one.texts()).toHaveLength(asked)
      other.trouble = 'none'
      await memory.waitForVectors()
      await until(async () => (await ask('shelter')).includes('memory/attic.md'), 10_000)
      expect((await ask('shelter')).slice(0, 2)).toEqual(['other', 'memory/attic.md'])
      expect(await modelsIn(state)).toEqual(['other'])
    },
    60_000,
  )

  it('permanent deletion during the change leaves no text and no vector', async () => {
    const [one, other] = [await startServer(), await startServer()]
    const { app, client, isChosen, configure, home } = await openMemory(modelOf(one, 'one'))
    other.trouble = 'broken'
    await configure(modelOf(other, 'other'))
    await isChosen('other')
    const steps = await client.permanentDeletion.run({ agent: 'main', texts: ['roof leaks'] })
    for await (const step of steps) if ('left' in step) expect(step.left).toEqual([])
    other.trouble = 'none'
    const { ask } = await readerOf(app)
    expect((await ask('feline')).slice(0, 2)).toEqual(['other', 'memory/cat.md'])
    expect(await ask('shelter')).not.toContain('memory/roof.md')
    expect(await modelsIn(home)).toEqual(['other'])
  }, 60_000)

  it('sends private notes and words to neither server', async () => {
    const [one, other] = [await startServer(), await startServer()]
    const files = { 'memory/own.md': '---\nvisibility: local\n---\nThe parrot talks.\n' }
    const { memory, isChosen, ask, configure } = await openMemory(modelOf(one, 'one', 'remote'), files)
    Object.assign(other, { trouble: 'slow', delayMs: 1500 })
    await configure(modelOf(other, 'other', 'remote'))
    await isChosen('other')
    const { model, notice } = await memory.search('parrot', { minScore: 0 })
    expect([model, notice?.code]).toEqual(['one', 'query_private'])
    expect((await ask('feline')).slice(0, 2)).toEqual(['one', 'memory/cat.md'])
    await until(async () => (await ask('feline'))[0] === 'other', 20_000)
    await memory.search('parrot', { minScore: 0 })
    for (const { inputs } of [one, other]) expect(inputs.flat().join(' ')).not.toMatch(/parrot/i)
    expect(other.texts()).toContain('The cat sleeps.')
  }, 60_000)

  it('sends nothing to another machine after a change to a server of this machine', async () => {
    const [one, other] = [await startServer(), await startServer()]
    const { ask, isChosen, configure } = await openMemory(modelOf(one, 'one', 'remote'))
    other.trouble = 'broken'
    await configure(modelOf(other, 'other'))
    await isChosen('other')
    const sent = one.inputs.length
    expect((await ask('the cat'))[1]).toBe('memory/cat.md')
    expect(one.inputs).toHaveLength(sent)
  }, 60_000)
})
