import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../../src/main/search/service/memory.ts'
import { openTestApp } from '../../support/app.ts'
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
})
