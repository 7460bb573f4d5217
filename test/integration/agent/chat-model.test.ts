/** Titles, topics, notes and summaries of a chat come from the model that the user chose for it, and from no other. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../../src/main/app/server/start-server.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

const localModel = 'openai-compatible/here'
const secret = 'Remember that the vault opens with kumquat and durian.'

async function open() {
  const [remote, local] = [await startModelServer({ text: 'Noted.' }), await startModelServer({ text: 'Noted.' })]
  const { home, workspace } = await prepareFolders({
    config: `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
  openai-compatible: { baseUrl: "${local.openAiUrl}" }
models: { offline: { contextWindow: 6000 }, ${localModel}: { contextWindow: 6000, maxOutput: 500 } }
agents:
  defaults: { memory: { embedding: { provider: none } } }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]
`,
  })
  const start = async (env: NodeJS.ProcessEnv) => {
    const server = await startServer({ mainFolder, env, home })
    onTestFinished(() => server.close())
    const client = await connect(server.url)
    const send = async (text: string, options: { session?: string; model?: string } = {}) => {
      const { session } = await client.chat.send({ agent: 'main', text, reopen: true, ...options })
      for await (const event of await client.chat.watch({ agent: 'main', session }))
        if ((event.type === 'partial' && !event.running) || event.type === 'turnEnd') break
      return session
    }
    return { client, server, send }
  }
  const notes = async () => {
    const names = await readdir(join(workspace, 'memory')).catch(() => [])
    const texts = names
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFile(join(workspace, 'memory', name), 'utf8'))
    return (await Promise.all(texts)).join('\n')
  }
  return { remote, local, notes, start, home }
}

type Model = Awaited<ReturnType<typeof open>>['remote']
const received = ({ requests, titleRequests }: Model) =>
  [...requests.map(({ text }) => text), ...titleRequests].join('\n')

it('a chat with the offline model sends nothing to the default model: no title, notes or summary', async () => {
  const { remote, notes, start } = await open()
  const { send, client } = await start({ ANTHROPIC_API_KEY: 'k' })
  const session = await send(secret, { model: 'offline' })
  for (let count = 0; count < 6; count += 1)
    await send(`Remember part ${count}: ${'the ferry of the harbour is green. '.repeat(60)}`, {
      session,
      model: 'offline',
    })
  await send('The harbour master is called Imre Halvorsen.', { session, model: 'offline' })
  await send('/compact', { session })
  const { events } = await client.chats.get({ agent: 'main', session })
  expect(events.map(({ event }) => event.type)).toContain('compaction')
  await send('/new', { session })
  await until(async () => (await notes()).includes(`sessions/${session}.jsonl`))
  await sleep(200)
  expect(received(remote)).toBe('')
  // The default model is used without a choice, for the title too.
  await send('Hello')
  await until(() => remote.titleRequests.length > 0)
})

it('a chat with a local model uses it for title, notes, topic and summary', async () => {
  const { remote, local, notes, start } = await open()
  const { send } = await start({ ANTHROPIC_API_KEY: 'k' })
  local.script = [{ text: 'vault\n- The lid of the vault is kumquat orange [1].' }]
  const session = await send('The lid of the vault is kumquat orange.', { model: localModel })
  await until(() => local.titleRequests.length > 0)
  await send('/new', { session })
  await until(async () => (await notes()).includes(`sessions/${session}.jsonl`))
  expect(received(local)).toContain('kumquat')
  expect(received(remote)).toBe('')
})

it('a message that waits for the running answer keeps the model that was chosen for it', async () => {
  const { remote, local, start } = await open()
  const { send, client } = await start({ ANTHROPIC_API_KEY: 'k' })
  remote.script = [{ text: 'This takes its time to be said.', delayMs: 100 }]
  const { session } = await client.chat.send({ agent: 'main', text: 'Hello' })
  const waiting = await client.chat.send({ agent: 'main', text: secret, session, model: localModel })
  expect(waiting.queued).toBe(true)
  await until(() => received(local).includes('kumquat'))
  await send('/status', { session })
  expect(received(remote)).not.toContain('kumquat')
})

it('notes of a chat with a local model that failed wait for a local model', async () => {
  const { remote, local, notes, start } = await open()
  const { send, client } = await start({ ANTHROPIC_API_KEY: 'k' })
  // A request to remember would leave a note, and no summary.
  const session = await send('Our vault opens with kumquat and durian.', { model: localModel })
  local.script = [{ status: 400, message: 'no' }]
  await send('/new', { session })
  await until(async () => (await notes()).includes(`sessions/${session}.jsonl`))
  const summaryOf = async () => (await client.chats.list({ agent: 'main' })).find(({ id }) => id === session)
  await until(async () => (await summaryOf())?.areNotesMissing === true)
  await send('Hello')
  await until(() => remote.titleRequests.length > 0)
  local.script = [{ text: '{"notes": ["The vault opens with kumquat"]}' }]
  expect(await client.chats.takeNotes({ agent: 'main', session })).toEqual({ isComplete: true })
  expect(await summaryOf()).toMatchObject({ areNotesMissing: false })
  expect(await notes()).toMatch(/- \d\d:\d\d The vault opens with kumquat/)
  expect(received(remote)).not.toContain('Memory flush')
})

it('says in the chat that the offline model replaced a missing one', async () => {
  const { remote, start } = await open()
  const first = await start({ ANTHROPIC_API_KEY: 'k' })
  const session = await first.send('Remember that the ferry is green.')
  await first.server.close()
  const asked = remote.requests.length
  const { send, client } = await start({})
  await send('/new', { session })
  await until(async () => {
    const { events } = await client.chats.get({ agent: 'main', session })
    return events.some(({ event }) => event.type === 'notice' && event.kind === 'modelReplaced')
  })
  expect(remote.requests).toHaveLength(asked)
})
