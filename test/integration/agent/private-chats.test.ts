import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { redactPrivate, visibilityOf } from '../../../src/shared/markdown/visibility.ts'
import { openAgent } from '../../support/agent.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

const secret = 'The narwhal code is walrus-9931.'

/** The configured model is remote; `openai-compatible/here` runs on this machine. */
async function openChats(chatDefault = 'open', now = () => new Date(2026, 0, 20, 10, 30)) {
  const remote = await startModelServer({ text: 'Aye, from afar.' })
  const here = await startModelServer({ text: 'Aye, from here.' })
  const test = await openAgent(remote, {
    files: { 'MEMORY.md': '# Long-term memory\n' },
    config: `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
  openai-compatible: { baseUrl: "${here.url}" }
agents:
  defaults: { chat: { default: ${chatDefault.replaceAll('{{remote}}', remote.openAiUrl)} } }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]
`,
    now,
  })
  const say = async (text: string, options: Partial<Parameters<typeof test.agent.chat.send>[0]> = {}) => {
    const session = await test.send(text, options.session, options)
    const last = (await test.messagesOf(session)).at(-1)
    return { session, text: last ? messageText(last) : '' }
  }
  return { ...test, remote, here, say }
}

const local = 'openai-compatible/here'

describe('a private chat', () => {
  it('sends nothing to another machine, with titles, summaries and flushes', async () => {
    const { agent, remote, say } = await openChats()
    const { session } = await say(secret, { isPrivate: true })
    await say('/compact', { session })
    await say(`Read this: ${'kelp '.repeat(2000)}`, { session })
    await say('/new', { session })
    await agent.chat.close()
    expect(remote.requests).toEqual([])
    expect((await agent.sessions.list()).find(({ id }) => id === session)).toMatchObject({ isPrivate: true })
  })

  it('answers with a model of this machine, and refuses others by name', async () => {
    const { agent, remote, here, say } = await openChats()
    const { session, text } = await say(secret, { isPrivate: true, model: local })
    expect(text).toBe('Aye, from here.')
    expect(here.requests.length).toBeGreaterThan(0)
    const model = 'anthropic/test-model'
    await expect(say('And now?', { session, model })).rejects.toMatchObject({ code: 'private_chat_remote_model' })
    const message = (await agent.sessions.get(session)).messages()[0]?.id ?? ''
    await expect(agent.chat.retry(session, message, model)).rejects.toMatchObject({ code: 'private_chat_remote_model' })
    expect(remote.requests).toEqual([])
  })

  it('leaves private notes only', async () => {
    const { agent, workspace, say } = await openChats()
    const { session } = await say(`Remember that ${secret}`, { isPrivate: true })
    await say('/remember the puffin knits a scarf for the lighthouse keeper who lives on the other side of the bay', {
      session,
    })
    await say('/new', { session })
    await agent.chat.close()
    const paths = (await readdir(join(workspace, 'memory'))).filter((name) => name.endsWith('.md'))
    const texts = await Promise.all(paths.map((path) => readFile(join(workspace, 'memory', path), 'utf8')))
    expect(texts.join('\n')).toContain('walrus-9931')
    for (const text of texts) expect(redactPrivate(text, visibilityOf(text))).not.toMatch(/walrus|puffin/)
    await agent.memory.settle(10_000)
    for (const query of ['narwhal code walrus-9931', 'the puffin knits a scarf']) {
      const { results } = await agent.memory.search(query, { hasPrivate: false, minScore: 0 })
      expect(results.map(({ snippet, path }) => path + snippet).join(), query).not.toMatch(/walrus|puffin/)
      expect((await agent.memory.search(query, { minScore: 0 })).results.length, query).toBeGreaterThan(0)
    }
  })

  it('leaves a private note when one of its messages is remembered', async () => {
    const { client, workspace, say } = await openChats()
    const { session } = await say(secret, { isPrivate: true })
    await client.workspace.remember({ agent: 'main', text: 'The puffin knits.\nIt is blue.', session })
    await client.workspace.remember({ agent: 'main', text: 'The walrus sings.\nIt is grey. ^[private]' })
    for (const text of ['# Diagnosis cobalt ^[private]\n\nIt is cobalt', 'cobalt\rIt is cobalt ^[private]'])
      await client.workspace.remember({ agent: 'main', text })
    await client.workspace.remember({ agent: 'main', text: 'The puffin sings.', section: 'Birds', session })
    const paths = ['memory/2026-01-20.md', 'MEMORY.md']
    const log = (await Promise.all(paths.map((path) => readFile(join(workspace, path), 'utf8')))).join('\n')
    expect(log).toMatch(/puffin knits[^]*puffin sings/)
    expect(redactPrivate(log, visibilityOf(log))).not.toMatch(/puffin|blue|walrus|grey|cobalt/)
  })

  it('is found in searches with private notes only, also after it became private', async () => {
    const { agent, say } = await openChats()
    const { session } = await say(secret)
    const isFound = async (hasPrivate: boolean) => {
      await agent.memory.settle(10_000)
      const { results } = await agent.memory.search('narwhal code', { minScore: 0, hasPrivate })
      return results.some(({ path }) => path === `sessions/${session}.jsonl`)
    }
    await until(() => isFound(false), 10_000)
    await agent.chat.makePrivate(session)
    await until(async () => !(await isFound(false)), 10_000)
    expect(await isFound(true)).toBe(true)
  })

  it('passes its privacy to forks and to the chat that follows it', async () => {
    const clock = { now: new Date(2026, 0, 20, 10, 30) }
    const { agent, say } = await openChats('open', () => clock.now)
    const { session } = await say(secret)
    const first = (await agent.sessions.get(session)).messages()[0]?.id ?? ''
    await agent.chat.makePrivate(session)
    const fork = await agent.sessions.fork(session, first, clock.now)
    expect((await agent.sessions.get(fork)).isPrivate).toBe(true)
    clock.now = new Date(2026, 0, 22, 10, 30)
    const next = await say('Good morning.', { session })
    expect(next.session).not.toBe(session)
    expect((await agent.sessions.get(next.session)).isPrivate).toBe(true)
  })

  it('searches without a remote embedding server', async () => {
    const { remote, say } = await openChats(
      `open }, memory: { embedding: { provider: openai-compatible, model: test, baseUrl: "{{remote}}", reach: remote }`,
    )
    const hasQuery = () => remote.requests.some(({ text }) => text.includes('narwhal'))
    const { session } = await say('/search the narwhal code', { isPrivate: true })
    await say('Where is the narwhal code?', { session })
    expect(hasQuery()).toBe(false)
    await say('/search the narwhal code', { isPrivate: false })
    expect(hasQuery()).toBe(true)
  })

  it('does not tell open chats the words and names of its notes', async () => {
    const { agent, remote, here, say, workspace } = await openChats(
      `open }, memory: { embedding: { provider: openai-compatible, model: test, baseUrl: "{{remote}}", reach: remote }`,
    )
    here.script = [{ text: `aye\n- ${secret} [1]` }]
    const { session } = await say(secret, { isPrivate: true, model: local })
    await say('/new', { session })
    const names = () => readdir(join(workspace, 'memory')).catch((): string[] => [])
    await until(async () => (await names()).includes('2026-01-20-aye.md'))
    await agent.memory.settle(10_000)
    expect((await agent.memory.search('narwhal', {})).notice?.code).toBe('query_private')
    expect((await agent.memory.search('narwhal', { hasPrivate: false })).notice?.code).not.toBe('query_private')
    await say('Good morning.', { isPrivate: false })
    expect(JSON.stringify(remote.requests)).toContain('Good morning.')
    expect(JSON.stringify(remote.requests)).not.toContain('2026-01-20-aye')
  })

  it.each(['from the start', 'later'])(
    'is private in another home too, from its JSONL export (private %s)',
    async (when) => {
      const { agent, say } = await openChats()
      const { session } = await say(secret, { isPrivate: when === 'from the start' })
      if (when === 'later') await agent.chat.makePrivate(session)
      const { name, text } = await agent.sessions.export(session, 'jsonl')
      const other = await openChats()
      const folder = dirname(other.agent.sessions.requestsFolder(session))
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, name), text)
      expect((await other.agent.sessions.get(session)).isPrivate).toBe(true)
      expect(await other.agent.sessions.list()).toMatchObject([{ id: session, isPrivate: true }])
      const answer = await other.say('What is the narwhal code?', { session })
      expect(answer.session).toBe(session)
      expect(other.remote.requests).toEqual([])
    },
  )

  it('does not exist for other programs', async () => {
    const { client, agent, say } = await openChats()
    const { session } = await say(secret, { isPrivate: true })
    const path = `sessions/${session}.jsonl`
    const read = (forProgram: boolean) => client.workspace.lines({ agent: 'main', path, count: 100, forProgram })
    expect((await read(false)).lines.join('\n')).toContain(secret)
    const isMissing = { code: 'file_not_found', message: `${path} does not exist` }
    await expect(read(true)).rejects.toMatchObject(isMissing)
    await agent.sessions.remove(session)
    await expect(read(true)).rejects.toMatchObject(isMissing)
  })

  it('is the kind of a new chat if the setting says so', async () => {
    const { agent, remote, say } = await openChats('private')
    const { session } = await say(secret)
    expect((await agent.sessions.get(session)).isPrivate).toBe(true)
    expect(remote.requests).toEqual([])
    const open = await say('Good morning.', { isPrivate: false })
    expect(open.text).toBe('Aye, from afar.')
  })

  it('is exported as a private note', async () => {
    const { agent, say } = await openChats()
    const { session } = await say(secret, { isPrivate: true })
    const { text } = await agent.sessions.export(session, 'markdown')
    expect(text).toContain(secret)
    expect(visibilityOf(text).isFullyPrivate).toBe(true)
  })
})
