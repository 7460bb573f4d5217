import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
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
})

describe('use of vectors', () => {
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
