import { describe, expect, it } from 'vitest'
import { commandEntry } from '../../../src/main/agent/sessions/session-events.ts'
import { openAgent } from '../../support/agent.ts'
import { textsIn, until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

const files = {
  'MEMORY.md': '# Long-term memory\n\n- The safe opens with walrus-9931.\n',
  'SOUL.md': '# Soul\n\nSpeak like a lighthouse keeper.\n',
  'USER.md': '# User\n\nThe user is called Ottilie.\n',
  'memory/2026-01-20.md': '# 2026-01-20\n\n## 09:00\nThe cormorant has landed.\n',
}

async function openChat() {
  const server = await startModelServer({ text: 'Aye.' })
  const test = await openAgent(server, { files, defaults: 'memory: { sessions: true }' })
  const say = (text: string, session?: string, withoutMemory?: boolean) => test.send(text, session, { withoutMemory })
  return { ...test, server, say, notes: () => textsIn(test.workspace) }
}

describe('a chat without memory', () => {
  it('sends no memory and writes none, also on compaction and at the end', async () => {
    const { agent, server, say, notes } = await openChat()
    const before = await notes()
    const session = await say('The narwhal sings at midnight.', undefined, true)
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
    expect(await say('/new', session)).not.toBe(session)
    await agent.chat.close()
    expect(await notes()).toEqual(before)
    expect((await agent.sessions.list()).find(({ id }) => id === session)).toMatchObject({ isWithoutMemory: true })
  })

  it('is excluded from search until the user keeps it', async () => {
    const { agent, server, say } = await openChat()
    const found = async (session: string) => {
      await agent.memory.settle(10_000)
      const { results } = await agent.memory.search('narwhal midnight', { minScore: 0 })
      return results.filter(({ path }) => path === `sessions/${session}.jsonl`)
    }
    const session = await say('The narwhal sings at midnight.', undefined, true)
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
    const { agent, say, notes } = await openChat()
    const session = await say('The narwhal sings at midnight.', undefined, true)
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
