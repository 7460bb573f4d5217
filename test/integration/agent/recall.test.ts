import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openAgent } from '../../support/agent.ts'
import { openAppOn } from '../../support/app.ts'
import { startModelServer } from '../../support/model-server.ts'

const files = {
  'MEMORY.md': '# Long-term memory\n\n- The cat is called Miso.\n- The dentist is Dr. Weber.\n',
  'notes/home.md': [
    '# Home',
    '',
    '- The boiler was serviced by Karl Winter in May 2025.',
    '- Lena recommended Karl Winter for the boiler.',
    '- The bicycle lock opens with 4711.',
    '- ~~The landlord is Mr. Okafor.~~ (until 2025-06-30, now: [notes/home.md:7])',
    '- The landlord is Mrs. Brandt since July 2025.',
    '- The wifi password is on the fridge ^[web: router.example, 2026-01-02]',
    '- ~~The dentist is Dr. Ahmed.~~ (until 2025-02-01, now: [MEMORY.md:4])',
    '',
  ].join('\n'),
  'notes/safe.md': '---\nvisibility: private\n---\n\n# Safe\n\n- The safe in the cellar opens with 9-1-7.\n',
  'notes/bike.zh.md': '# 自行车\n\n- 我的自行车是2024年3月在苏州买的。\n- 自行车的牌子是永久。\n',
}

async function openChats(extra = '') {
  const server = await startModelServer({ text: 'Aye.' })
  const test = await openAgent(server, {
    files,
    defaults: `memory: { sessions: true }${extra}`,
  })
  await test.agent.memory.settle(10_000)
  await test.agent.privacy.update()
  return { ...test, server, say: test.send }
}

type Server = Awaited<ReturnType<typeof startModelServer>>

/** Returns the text of the last user message of a request. */
function lastUserText(server: Server, at = -1): string {
  const messages = messagesOf(server, at) as { role: string; content: unknown }[]
  const { content } = messages.findLast(({ role }) => role === 'user') ?? { content: '' }
  return typeof content === 'string'
    ? content
    : (content as { text?: string }[]).map(({ text = '' }) => text).join('\n')
}

const boiler = 'Who serviced the boiler?'

describe('recall before the answer', () => {
  it('puts the line that answers into the first request, without a tool call', async () => {
    const { agent, server, say } = await openChats()
    const session = await say(boiler)
    const text = lastUserText(server, 0)
    expect(text).toMatch(
      /Who serviced the boiler\?\n\n<memory>\nnotes\/home\.md:3 · \d\.\d\d · .*Karl Winter in May 2025\./,
    )
    expect(text).toMatch(/\n<\/memory>$/)
    const { messages } = await agent.conversation(session)
    expect(messages.map(({ message }) => message.role)).toEqual(['user', 'assistant'])
    expect(messages[0]?.message).toMatchObject({
      content: boiler,
      recalled: { search: { query: boiler, provider: 'builtin' } },
    })
  })

  it('adds nothing to an ordinary message', async () => {
    const { server, say } = await openChats()
    const session = await say('Please write a short poem about spring rain.')
    await say('Thanks, that is lovely!', session)
    await say('-boiler path:notes "landlord"', session)
    expect(server.requests.slice(0, 2).map(({ text }) => text.includes('<memory>\\n'))).toEqual([false, false])
  })

  it('never sends a private line to the model of an open chat, only to that of a private one', async () => {
    const { server, say } = await openChats()
    await say('Which number opens the safe in the cellar?')
    expect(server.requests.map(({ text }) => text).join()).not.toContain('9-1-7')
    await say('Which number opens the safe in the cellar?', undefined, { isPrivate: true })
    expect(lastUserText(server)).toMatch(/<memory>\n.*9-1-7/)
  })

  it('leaves out lines that the request already has', async () => {
    const { server, say } = await openChats()
    await say('What is the cat called?')
    expect(lastUserText(server)).not.toContain('<memory>')
    const session = await say(boiler)
    await say('And once more: who serviced the boiler?', session)
    const sent = server.requests.at(-1)?.text ?? ''
    expect(sent.split('serviced by Karl Winter')).toHaveLength(2)
  })

  it('leaves out a struck entry, or shows it with its replacement', async () => {
    const { server, say } = await openChats()
    await say('Is Mr. Okafor still the landlord?')
    expect(lastUserText(server)).toMatch(/Mrs\. Brandt[^]*Okafor.*until 2025-06-30/)
    // The request has the replacement already, so that the old entry alone would mislead.
    await say('Is Dr. Ahmed still the dentist?')
    expect(lastUserText(server)).not.toContain('<memory>')
  })

  it('finds what a short follow-up refers to, in English and Chinese', async () => {
    const { server, say } = await openChats()
    const session = await say(boiler)
    server.script = [{ text: 'Karl Winter did.' }]
    await say('and who recommended him?', session)
    expect(server.requests.at(-1)?.text).toContain('Lena recommended Karl Winter')
    const chinese = await say('我的自行车是什么牌子？')
    expect(lastUserText(server)).toContain('永久')
    await say('它是什么时候买的？', chinese)
    expect(server.requests.at(-1)?.text).toContain('2024年3月在苏州买的')
  })

  it('is off by setting, in one chat, without memory and offline', async () => {
    const { agent, server, say } = await openChats(', chat: { context: { recall: false } }')
    await say(boiler)
    const on = await openChats()
    const session = await on.say('Hello!')
    await (await on.agent.sessions.get(session)).setWithoutRecall(true)
    await on.say(boiler, session)
    await on.say(boiler, undefined, { withoutMemory: true })
    await on.say(boiler, undefined, { model: 'offline' })
    expect([...server.requests, ...on.server.requests].filter(({ text }) => text.includes('<memory>\\n'))).toEqual([])
    expect((await agent.sessions.list())[0]).toMatchObject({ isWithoutRecall: false })
    expect((await on.agent.sessions.list()).find(({ id }) => id === session)).toMatchObject({ isWithoutRecall: true })
  })

  it('sends the same bytes again on a retry and after a restart; an edited message gets its own lines', async () => {
    const { app, home, agent, server, say, retry } = await openChats()
    const session = await say(boiler)
    const [question] = (await agent.conversation(session)).messages
    await retry(session, question?.id)
    expect(lastUserText(server)).toBe(lastUserText(server, 0))
    await say('Which number opens the bicycle lock?', session, { replaces: question?.id })
    expect(lastUserText(server)).toContain('4711')
    await app.close()
    const env = { ANTHROPIC_API_KEY: 'sk-test-key' }
    const again = await openAppOn(home, { env, watch: false, now: () => new Date(2026, 0, 20, 10, 31) })
    const restarted = await again.app.agents.get('main')
    const before = JSON.stringify(messagesOf(server)[0])
    const { ended } = await restarted.chat.send({ text: 'Fine.', session })
    await ended
    expect(JSON.stringify(messagesOf(server)[0]).replace(/,"cache_control":\{[^}]*\}/g, '')).toBe(
      before.replace(/,"cache_control":\{[^}]*\}/g, ''),
    )
  })

  it('also works for queued messages, and does not fail with the search', async () => {
    const { agent, server, say } = await openChats()
    server.script = [{ text: 'A long answer.', delayMs: 300 }, { text: 'Karl.' }]
    const sent = await agent.chat.send({ text: 'Hello!' })
    await agent.chat.send({ text: boiler, session: sent.session })
    await sent.ended
    expect(lastUserText(server)).toContain('Karl Winter in May 2025')
    for (const outcome of [() => Promise.reject(new Error('broken')), () => new Promise<never>(() => undefined)]) {
      const search = agent.memory.search.bind(agent.memory)
      vi.spyOn(agent.memory, 'search').mockImplementation((query, options, signal) =>
        options?.isRecall ? outcome() : search(query, options, signal),
      )
      const startedAt = performance.now()
      await say(boiler)
      expect(lastUserText(server)).toMatch(/boiler\?$/)
      expect(performance.now() - startedAt).toBeLessThan(3000)
      vi.restoreAllMocks()
    }
  })

  it('counts in the meter, names its sources, and is listed with its use', async () => {
    const { agent, server, say } = await openChats()
    server.script = [{ text: 'On the fridge [notes/home.md:8].' }]
    const session = await say('Where is the wifi password?')
    const report = await agent.chat.meter.report(session, undefined)
    const row = report.items.find(({ layer }) => layer === 'recalled')
    expect(row).toMatchObject({ name: 'recalled' })
    expect(await agent.chat.meter.text(session, 1, 'recalled', 'recalled')).toContain('wifi password')
    expect(await agent.chat.meter.text(session, 1, 'message', 'message')).not.toContain('<memory>')
    const [question] = (await agent.sessions.get(session)).messages()
    expect(question?.message).toMatchObject({ recalled: { sources: [{ kind: 'web', name: 'router.example' }] } })
    const [recall] = await agent.sessions.recalls(undefined)
    expect(recall).toMatchObject({ id: question?.id, message: question?.id, query: 'Where is the wifi password?' })
    expect(recall?.results.find(({ startLine }) => startLine === 8)?.use).toBe('cited')
  })

  it('is not in the index or the search of chats', async () => {
    const { agent, home, server, say } = await openChats()
    server.script = [{ text: 'The boiler was serviced by Karl Winter in May 2025.' }]
    const session = await say(boiler)
    await agent.memory.settle(10_000)
    const file = join(home, 'agents', 'main', 'sessions', `${session}.jsonl`)
    expect(await readFile(file, 'utf8')).toContain('"recalled"')
    expect((await agent.memory.search('source:chats Karl Winter', { minScore: 0 })).results).toEqual([])
    // A statement that repeats no note is indexed.
    server.script = [{ text: 'The cellar pump hums because its zeppelin valve is loose.' }]
    await say(boiler)
    await agent.memory.settle(10_000)
    expect((await agent.memory.search('zeppelin valve')).results[0]?.source).toBe('sessions')
    expect(await agent.sessions.find('notes/home.md', undefined)).toEqual([])
  })
})

function messagesOf(server: Server, at = -1): unknown[] {
  const messages = server.requests.at(at)?.body['messages']
  return Array.isArray(messages) ? messages : []
}
