import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { startTroubledEmbeddings } from '../../support/troubled-embeddings.ts'

const line = 'The walrus of the harbour bathes at noon and sleeps until the tide comes back.'
const topics = ['harbour', 'garden', 'budget', 'violin', 'bicycle', 'kitchen', 'mountain', 'library']

const notes = Object.fromEntries(
  topics.map((topic, index) => [
    `memory/${topic}.md`,
    [
      `# The ${topic}`,
      '',
      `Our ${topic} has number ${index * 7 + 3}, which was painted by the neighbour's uncle in the spring.`,
      '',
      `What the ${topic} still lacks is a better lamp, two chairs and somebody who looks after them at night.`,
      '',
    ].join('\n'),
  ]),
)

function configOf(url?: string): string {
  const embedding =
    url === undefined ? 'provider: none' : `provider: openai-compatible, model: hashed, baseUrl: "${url}"`
  return `agents:\n  defaults: { memory: { embedding: { ${embedding} } } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`
}

async function openMemory(files: Record<string, string>, url?: string) {
  const { app } = await openTestApp({ files, config: configOf(url), watch: true })
  const { memory } = await app.agents.get('main')
  await memory.settle(10_000)
  return memory
}

describe('texts that a provider would be sent', () => {
  it('counts distinct units and their tokens in a memory without vectors', async () => {
    const memory = await openMemory({
      'MEMORY.md': `${line}\n`,
      'memory/a.md': `${line}\n\nAnother line of its own.\n`,
    })
    const { all, unsent } = await memory.embeddingCost({ provider: 'openai', model: 'text-embedding-3-small' })
    expect(all.texts).toBe(2)
    expect(all.tokens).toBeGreaterThan(15)
    expect(all.tokens).toBeLessThan(40)
    expect(unsent).toEqual(all)
  })

  it('does not count private units for a remote model', async () => {
    const memory = await openMemory({ 'MEMORY.md': `- ${line}\n- A secret of its own. ^[local]\n` })
    const textsFor = async (baseUrl: string) =>
      (await memory.embeddingCost({ provider: 'openai-compatible', model: 'm', baseUrl })).all.texts
    expect([await textsFor('https://example.com/v1'), await textsFor('http://127.0.0.1:9/v1')]).toEqual([1, 2])
  })

  it('does not count texts that the model was already sent', async () => {
    const server = await startModelServer()
    const memory = await openMemory(notes, server.openAiUrl)
    await memory.waitForVectors()
    const { all, unsent } = await memory.embeddingCost()
    expect(unsent).toEqual({ texts: 0, tokens: 0 })
    const other = await memory.embeddingCost({ provider: 'openai-compatible', model: 'other' })
    expect(other.unsent).toEqual(all)
    // Every text that was sent had been counted.
    const sent = server.requests.flatMap(({ body }) => (body['input'] ?? []) as string[])
    expect(new Set(sent).size).toBe(other.unsent.texts)
  })
})

describe('use of vectors', () => {
  it('begins with the first units, without a notice', async () => {
    const server = await startModelServer()
    const memory = await openMemory({ 'MEMORY.md': `${line}\n\nAnother line of its own.\n` }, server.openAiUrl)
    await memory.waitForVectors()
    const { notice, results } = await memory.search('walrus of the harbour')
    expect(notice).toBeNull()
    expect(results[0]).toMatchObject({ path: 'MEMORY.md', vectorScore: expect.any(Number) })
  })

  it('has a notice while units have no vectors, and finds them by their words', async () => {
    const server = await startTroubledEmbeddings()
    Object.assign(server, { trouble: 'slow', delayMs: 3000 })
    const memory = await openMemory(notes, server.url)
    const early = await memory.search('what does the violin lack?')
    expect(early.notice?.code).toBe('vectors_incomplete')
    expect(early.results[0]).toMatchObject({ path: 'memory/violin.md', vectorScore: null })
    server.trouble = 'none'
    await until(async () => (await memory.search('what does the violin lack?')).notice === null, 15_000)
  }, 40_000)
})

describe('index for another model', () => {
  it('is used once it is complete, even if there were calls during the rebuild', async () => {
    const server = await startModelServer()
    const { app, home, workspace } = await openTestApp({ files: notes, config: configOf(), watch: true })
    const { memory } = await app.agents.get('main')
    await memory.settle(10_000)
    await writeFile(join(home, 'config.yaml'), configOf(server.openAiUrl).replaceAll('{{workspace}}', workspace))
    await until(async () => {
      await memory.indexedFiles()
      const { provider, state } = await memory.status()
      return provider === 'openai-compatible' && state === 'ready'
    }, 20_000)
    await memory.waitForVectors()
    await memory.indexedFiles()
    expect((await memory.embeddingCost()).unsent.texts).toBe(0)
  }, 60_000)
})
