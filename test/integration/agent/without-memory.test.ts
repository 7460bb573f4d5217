import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { commandEntry } from '../../../src/main/agent/sessions/session-events.ts'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

const files = {
  'MEMORY.md': '# Long-term memory\n\n- The safe opens with walrus-9931.\n',
  'SOUL.md': '# Soul\n\nSpeak like a lighthouse keeper.\n',
  'USER.md': '# User\n\nThe user is called Ottilie.\n',
  'memory/2026-01-20.md': '# 2026-01-20\n\n## 09:00\nThe cormorant has landed.\n',
}
const now = () => new Date(2026, 0, 20, 10, 30)

async function openChat(isOffline: boolean) {
  const server = await startModelServer({ text: 'Aye.' })
  const model = isOffline ? '' : ', model: anthropic/test-model'
  const test = await openTestApp({
    files,
    config: `providers: { anthropic: { baseUrl: "${server.url}" } }\nagents:\n  defaults: { memory: { sessions: true } }\n  list: [{ id: main, workspace: "{{workspace}}"${model} }]\n`,
    env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    now,
  })
  const agent = await test.app.agents.get('main')
  const say = async (text: string, session?: string, withoutMemory?: boolean) => {
    const sent = await agent.chat.send({ text, session, withoutMemory })
    await sent.ended
    const last = (await agent.sessions.get(sent.session)).messages().at(-1)
    return { session: sent.session, text: last ? messageText(last.message) : '' }
  }
  /** Returns every file of the workspace with its bytes. */
  const notes = async () => {
    const found = await readdir(test.workspace, { recursive: true, withFileTypes: true })
    const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    return Object.fromEntries(
      await Promise.all(paths.sort().map(async (path) => [path, await readFile(path, 'latin1')])),
    )
  }
  return { ...test, agent, server, say, notes }
}

describe('a chat without memory', () => {
  it('sends no memory and writes none, also on compaction and at the end', async () => {
    const { agent, server, say, notes } = await openChat(false)
    const before = await notes()
    const { session } = await say('The narwhal sings at midnight.', undefined, true)
    for (const text of [
      `Read this: ${'kelp '.repeat(24_000)}`,
      'Where is the safe?',
      'And who am I?',
      'What did I say of the narwhal?',
    ])
      await say(text, session)
    await say('/compact the songs', session)
    await say('Once more, please.', session)
    const sent = server.requests.map(({ text }) => text)
    expect(sent.length).toBeGreaterThanOrEqual(6)
    for (const secret of ['walrus-9931', 'Ottilie', 'cormorant', 'memory_search', 'memory_get'])
      expect(
        sent.filter((text) => text.includes(secret)),
        secret,
      ).toEqual([])
    expect(sent[0]).toContain('lighthouse keeper')
    expect(sent[0]).toContain('has no access to memory')
    const kinds = (await agent.sessions.get(session)).entries.map(({ type }) => type)
    expect(kinds).toContain('compaction')
    expect(kinds).not.toContain('flush')
    // A new chat ends it; other chats would leave a summary.
    const next = await say('/new', session)
    expect(next.session).not.toBe(session)
    await agent.chat.close()
    expect(await notes()).toEqual(before)
    expect((await agent.sessions.list()).find(({ id }) => id === session)).toMatchObject({ isWithoutMemory: true })
  })

  it('is excluded from search until the user keeps it', async () => {
    const { agent, server, say } = await openChat(false)
    const found = async (session: string) => {
      await agent.memory.settle(10_000)
      const { results } = await agent.memory.search('narwhal midnight', { minScore: 0 })
      return results.filter(({ path }) => path === `sessions/${session}.jsonl`)
    }
    const { session } = await say('The narwhal sings at midnight.', undefined, true)
    // A second chat proves that conversations are searched.
    await say('A puffin knits.')
    await until(async () =>
      (await agent.memory.search('puffin knits', { minScore: 0 })).results.some(({ source }) => source === 'sessions'),
    )
    expect(await found(session)).toEqual([])
    await (await agent.sessions.get(session)).setWithoutMemory(false)
    await until(async () => (await found(session)).length > 0)
    await say('Where is the safe?', session)
    expect(server.requests.at(-1)?.text).toContain('walrus-9931')
    await (await agent.sessions.get(session)).setWithoutMemory(true)
    await until(async () => (await found(session)).length === 0)
  })

  it('refuses /remember and says how to keep notes', async () => {
    const { agent, say, notes } = await openChat(false)
    const { session } = await say('The narwhal sings at midnight.', undefined, true)
    const before = await notes()
    const outcomeOf = async () => (await agent.sessions.get(session)).lastCustom(commandEntry)
    await say('/remember the narwhal sings', session)
    expect(await outcomeOf()).toMatchObject({ outcome: { kind: 'failed', code: 'chat_apart' } })
    expect(await notes()).toEqual(before)
    await (await agent.sessions.get(session)).setWithoutMemory(false)
    await say('/remember the narwhal sings', session)
    expect(await outcomeOf()).toMatchObject({ outcome: { kind: 'remembered' } })
  })
})
