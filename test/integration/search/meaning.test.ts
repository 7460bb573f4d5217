import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { randomOf } from '../../support/random.ts'
import { startTroubledEmbeddings } from '../../support/troubled-embeddings.ts'

const line = 'The walrus of the harbour bathes at noon and sleeps until the tide comes back.'
const topics = ['harbour', 'garden', 'budget', 'violin', 'bicycle', 'kitchen', 'mountain', 'library']

/** Enough notes for calibrating a model. */
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

/** Returns a random vector for every text, like a model that understands nothing. */
async function startSenseless(): Promise<string> {
  const random = randomOf(7)
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { input: string[] }
      const data = input.map((_, index) => ({ index, embedding: Array.from({ length: 64 }, () => random() - 0.5) }))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const bound = server.address()
  return `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/v1`
}

describe('texts that a provider would be sent', () => {
  it('counts distinct passages and their tokens in a memory without vectors', async () => {
    const memory = await openMemory({
      'MEMORY.md': `${line}\n`,
      'memory/a.md': `${line}\n\nAnother line of its own.\n`,
    })
    const { all, unsent, scripts } = await memory.embeddingReport({
      provider: 'openai',
      model: 'text-embedding-3-small',
    })
    expect(all.texts).toBe(2)
    expect(all.tokens).toBeGreaterThan(15)
    expect(all.tokens).toBeLessThan(40)
    expect(unsent).toEqual(all)
    expect(scripts).toEqual([])
  })

  it('does not count texts that the model was already sent', async () => {
    const server = await startModelServer()
    const memory = await openMemory(notes, server.openAiUrl)
    await memory.waitForVectors(() => undefined)
    const nothing = { texts: 0, tokens: 0 }
    const { all, unsent, questions } = await memory.embeddingReport()
    expect({ unsent, questions }).toEqual({ unsent: nothing, questions: nothing })
    const other = await memory.embeddingReport({ provider: 'openai-compatible', model: 'other' })
    expect(other.unsent).toEqual(all)
    // Every text that was sent had been counted.
    const sent = server.requests.flatMap(({ body }) => (body['input'] ?? []) as string[])
    expect(new Set(sent).size).toBe(other.unsent.texts + other.questions.texts)
  })
})

describe('use of the vector ranking', () => {
  it('is off in a memory of two passages, with a notice', async () => {
    const server = await startModelServer()
    const memory = await openMemory({ 'MEMORY.md': `${line}\n\nAnother line of its own.\n` }, server.openAiUrl)
    await memory.waitForVectors(() => undefined)
    const { notice, results } = await memory.search('walrus of the harbour')
    expect(notice).toMatchObject({ code: 'vectors_few' })
    expect(results[0]).toMatchObject({ path: 'MEMORY.md', vectorScore: null })
  })

  it('is off until the model is calibrated, with a notice', async () => {
    const server = await startTroubledEmbeddings()
    Object.assign(server, { trouble: 'slow', delayMs: 1000 })
    const memory = await openMemory(notes, server.url)
    await until(
      async () => (await memory.search('what does the violin lack?')).notice?.code === 'vectors_measuring',
      15_000,
    )
    server.trouble = 'none'
    await until(async () => (await memory.search('what does the violin lack?')).notice === null, 15_000)
  }, 40_000)

  it('is off for a model with random vectors, with a notice', async () => {
    const memory = await openMemory(notes, await startSenseless())
    await memory.waitForVectors(() => undefined)
    await until(async () => (await memory.embeddingReport()).scripts.length > 0)
    expect((await memory.embeddingReport()).scripts).toMatchObject([{ script: 'latin', takesPart: false }])
    const { notice, results } = await memory.search('what does the violin lack?')
    expect(notice).toMatchObject({ code: 'vectors_weak', script: 'latin' })
    expect(results[0]).toMatchObject({ path: 'memory/violin.md', vectorScore: null })
  })

  it('is on for a useful model, without a notice', async () => {
    const server = await startModelServer()
    const memory = await openMemory(notes, server.openAiUrl)
    await memory.waitForVectors(() => undefined)
    const { scripts } = await memory.embeddingReport()
    expect(scripts).toMatchObject([{ script: 'latin', takesPart: true }])
    const { notice, results } = await memory.search('what does the violin lack?')
    expect(notice).toBeNull()
    expect(results[0]?.vectorScore).not.toBeNull()
  })
})

describe('index for another model', () => {
  it('is used once it is complete, even if there were calls during the rebuild', async () => {
    const server = await startModelServer()
    const { app, home, workspace } = await openTestApp({ files: notes, config: configOf(), watch: true })
    const { memory } = await app.agents.get('main')
    await memory.settle(10_000)
    await writeFile(join(home, 'config.yaml'), configOf(server.openAiUrl).replaceAll('{{workspace}}', workspace))
    await until(async () => {
      await memory.fileCounts()
      const { provider, state } = await memory.status()
      return provider === 'openai-compatible' && state === 'ready'
    }, 20_000)
    await memory.waitForVectors(() => undefined)
    await memory.fileCounts()
    expect((await memory.embeddingReport()).unsent.texts).toBe(0)
  }, 60_000)
})
