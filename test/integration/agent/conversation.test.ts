import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ChatEvent } from '../../../src/shared/contract/index.ts'
import { messageText, splitAttachments } from '../../../src/shared/chat/messages.ts'
import { openAgent } from '../../support/agent.ts'
import { openAppOn, prepareFolders, type TestAppOptions } from '../../support/app.ts'
import { cli } from '../../support/built.ts'
import { until, writeFiles } from '../../support/folder.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

const now = () => new Date(2026, 0, 20, 10, 30)

async function openChat(script: ScriptedAnswer[], settings = '', toolLimits: TestAppOptions['toolLimits'] = {}) {
  const server = await startModelServer(...script)
  const test = await openAgent(server, { model: 'anthropic/claude-sonnet-4-5', settings, toolLimits })
  const { chat, sessions } = test.agent
  const said = async (session: string) => (await test.messagesOf(session)).map((message) => messageText(message))
  const ids = async (session: string) => (await sessions.get(session)).messages().map(({ id }) => id)
  return { ...test, server, chat, sessions, said, ids, ask: test.send }
}

describe('branches', () => {
  it('keeps all versions after an edit, a retry and a switch', async () => {
    const { chat, sessions, said, ids, ask, retry } = await openChat([
      { text: 'A1' },
      { text: 'A2' },
      { text: 'A1b' },
      { text: 'A1c' },
    ])
    const session = await ask('one')
    await ask('two', session)
    expect(await said(session)).toEqual(['one', 'A1', 'two', 'A2'])
    const [first = '', answer = ''] = await ids(session)
    await ask('one, edited', session, { replaces: first })
    expect(await said(session)).toEqual(['one, edited', 'A1b'])
    const edited = (await sessions.get(session)).messageVersions()
    expect([...edited.values()]).toEqual([{ ids: [first, expect.any(String)], index: 1 }])
    await retry(session, (await ids(session))[1])
    expect(await said(session)).toEqual(['one, edited', 'A1c'])
    expect((await sessions.get(session)).messageVersions().size).toBe(2)
    await (await chat.idleTranscript(session)).switchTo(answer)
    expect(await said(session)).toEqual(['one', 'A1', 'two', 'A2'])
  })

  it('sends the model only the current branch', async () => {
    const { ids, ask, server } = await openChat([{ text: 'A1' }, { text: 'A2' }, { text: 'A3' }])
    const session = await ask('the first secret')
    const [first = ''] = await ids(session)
    await ask('something else', session, { replaces: first })
    await ask('and now?', session)
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages'])
    expect(sent).toContain('something else')
    expect(sent).not.toContain('the first secret')
  })

  it('removes deleted messages from search too, and restores them on undo', async () => {
    const { chat, said, ids, ask, agent, sessions } = await openChat([
      { text: 'the zeppelin is grey' },
      { text: 'fine' },
    ])
    const session = await ask('one')
    await ask('two', session)
    const [, , second = ''] = await ids(session)
    await chat.deleteFrom(session, second)
    expect(await said(session)).toEqual(['one', 'the zeppelin is grey'])
    const [first = ''] = await ids(session)
    await chat.deleteFrom(session, first)
    expect(await said(session)).toEqual([])
    await agent.memory.settle(5000)
    expect((await agent.memory.search('zeppelin')).results).toEqual([])
    await chat.undelete(session, first)
    expect(await said(session)).toEqual(['one', 'the zeppelin is grey'])
    await agent.memory.settle(5000)
    expect((await agent.memory.search('zeppelin')).results).toHaveLength(1)
    await ask('three', session)
    expect([...(await sessions.get(session)).messageVersions().values()]).toEqual([])
  })

  it('forks a conversation up to a message without changing the original', async () => {
    const { sessions, said, ids, ask } = await openChat([{ text: 'A1' }, { text: 'A2' }, { text: 'A3' }])
    const session = await ask('one')
    await ask('two', session)
    const forked = await sessions.fork(session, (await ids(session))[1] ?? '', now())
    await ask('another way', forked)
    expect(await said(forked)).toEqual(['one', 'A1', 'another way', 'A3'])
    expect(await said(session)).toEqual(['one', 'A1', 'two', 'A2'])
  })
})

describe('messages while the agent works', () => {
  const slow: ScriptedAnswer = { text: 'word '.repeat(30), delayMs: 10 }

  it('sends a steering message with the next request of the same turn', async () => {
    const { chat, said, server } = await openChat([
      slow,
      { calls: [{ name: 'list', arguments: {} }] },
      { text: 'as you say' },
    ])
    const { session, ended } = await chat.send({ text: 'one' })
    const queued = await chat.send({ text: 'rather two', session })
    expect(queued.queued).toBe(true)
    await ended
    expect((await said(session)).filter((text) => text !== '')).toEqual([
      'one',
      'word '.repeat(30),
      'rather two',
      expect.stringContaining('MEMORY.md'),
      'as you say',
    ])
    expect(server.requests).toHaveLength(3)
  })

  it('sends a follow-up message after the turn, and can remove it before', async () => {
    const { chat, said } = await openChat([{ calls: [{ name: 'list', arguments: {} }] }, slow, { text: 'second' }])
    const { session, ended } = await chat.send({ text: 'one' })
    await chat.send({ text: 'later', session, delivery: 'after' })
    await chat.send({ text: 'never', session, delivery: 'after' })
    const events: ChatEvent[] = []
    void (async () => {
      for await (const event of chat.turns.watch(session, undefined)) events.push(event)
    })()
    await until(() => events.length > 0)
    const [first] = events
    const queue = first?.type === 'partial' ? first.queue : []
    expect(queue.map(({ text }) => text)).toEqual(['later', 'never'])
    chat.unqueue(session, queue[1]?.id ?? '')
    await ended
    await until(async () => (await said(session)).includes('second'))
    expect((await said(session)).filter((text) => text !== '')).toEqual([
      'one',
      expect.stringContaining('MEMORY.md'),
      'word '.repeat(30),
      'later',
      'second',
    ])
  })

  it('keeps queued messages when an answer is stopped, and sends them on request', async () => {
    const { chat, said, server } = await openChat([slow, { text: 'second' }])
    const { session, ended } = await chat.send({ text: 'one' })
    await chat.send({ text: 'later', session, delivery: 'after' })
    await until(() => server.requests.length === 1)
    void chat.turns.stop(session)
    await ended
    await chat.sendQueued(session)
    await until(async () => (await said(session)).includes('second'))
    expect(await said(session)).toContain('later')
  })
})

describe('attachments', () => {
  it('sends files and images with the message, and returns them as attachments', async () => {
    const { chat, server, sessions } = await openChat([{ text: 'I see' }])
    const { session, ended } = await chat.send({
      text: 'look',
      attachments: [
        { type: 'file', name: '笔记 "1".txt', text: 'inside </file> the file' },
        { type: 'image', name: 'a.png', data: 'QUJD', mimeType: 'image/png' },
      ],
    })
    await ended
    const sent = JSON.stringify(server.requests[0]?.body['messages'])
    expect(sent).toContain('inside')
    expect(sent).toContain('"media_type":"image/png"')
    const [first] = (await sessions.get(session)).messages()
    expect(first?.message.role === 'user' && splitAttachments(first.message)).toEqual({
      text: 'look',
      files: [{ name: '笔记 _1_.txt', text: 'inside </file> the file' }],
      images: [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }],
    })
  })
})

describe('list of conversations', () => {
  it('takes the model’s title after the first answer, unless the user has set one', async () => {
    const { ask, sessions, server } = await openChat([{ text: 'Paris.' }])
    server.title = '“Capital of France”\n'
    const session = await ask('What is the capital of France?')
    await until(async () => (await sessions.summary(session))?.title === 'Capital of France')
    await sessions.rename(session, ' Geography ')
    await ask('And of Spain?', session)
    expect(await sessions.summary(session)).toMatchObject({ title: 'Geography', named: true })
  })

  it('lists pinned sessions first, finds any word, deletes and restores', async () => {
    const { ask, sessions, home } = await openChat([{ text: '我们决定用数据库' }, { text: 'fine' }], '')
    const first = await ask('which one?')
    const second = await ask('Something else')
    await sessions.pin(first, true)
    expect((await sessions.list()).map(({ id }) => id)).toEqual([first, second])
    expect(await sessions.find('数据库', undefined)).toMatchObject([
      { id: first, snippet: expect.stringContaining('数据库') },
    ])
    expect(await sessions.find('SOMETHING', undefined)).toMatchObject([{ id: second }])
    expect(await sessions.find('numbat', undefined)).toEqual([])
    await sessions.remove(first)
    expect((await sessions.list()).map(({ id }) => id)).toEqual([second])
    await expect(sessions.get(first)).rejects.toMatchObject({ code: 'unknown_session' })
    expect(await readdir(join(home, 'agents/main/sessions/deleted'))).toContain(`${first}.jsonl`)
    await sessions.restore(first)
    expect((await sessions.list()).map(({ id }) => id)).toEqual([first, second])
  })

  it('exports as Markdown and as JSONL', async () => {
    const { ask, sessions } = await openChat([{ text: 'Paris.' }])
    const session = await ask('What is the capital: of France?')
    const markdown = await sessions.export(session, 'markdown')
    expect(markdown.name).toMatch(/\.md$/)
    expect(markdown.name).not.toContain(':')
    expect(markdown.text).toContain('## User · 2026-01-20 10:30\n\nWhat is the capital: of France?')
    expect(markdown.text).toContain('Paris.')
    const jsonl = await sessions.export(session, 'jsonl')
    expect(jsonl.text.split('\n')[0]).toContain('"type":"session"')
  })

  it('continues an old conversation on request, else starts a new one', async () => {
    let at = now()
    const { agent, send } = await openAgent(await startModelServer({ text: 'ok' }), { now: () => at })
    const first = await send('one')
    at = new Date(2026, 0, 22, 10, 30)
    expect((await agent.conversation(first)).over).toBe(true)
    expect(await send('two', first, { reopen: true })).toBe(first)
    at = new Date(2026, 0, 24, 10, 30)
    expect((await agent.chat.send({ text: 'three', session: first })).session).not.toBe(first)
  })
})

describe('interrupted answers', () => {
  it('restores the partial answer after a crash, marks it, and can continue it', async () => {
    const server = await startModelServer({ text: 'word '.repeat(400), delayMs: 10 })
    const folders = await prepareFolders({
      config: `providers: { anthropic: { baseUrl: "${server.url}" } }\nagents: { list: [{ id: main, workspace: "{{workspace}}", model: anthropic/claude-sonnet-4-5 }] }\n`,
    })
    const child = spawn(process.execPath, [cli, 'ask', 'tell me everything', '--home', folders.home], {
      env: { ...process.env, ANTHROPIC_API_KEY: 'k' },
      stdio: 'ignore',
    })
    const folder = join(folders.home, 'agents/main/sessions')
    const partial = async () => (await readdir(folder).catch(() => [])).find((name) => name.endsWith('.partial'))
    await until(async () => {
      const name = await partial()
      return name !== undefined && (await readFile(join(folder, name), 'utf8')).split('word').length > 20
    }, 20_000)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await appendFile(join(folder, (await partial()) ?? ''), '{"text":"torn')

    const { app } = await openAppOn(folders.home, { env: { ANTHROPIC_API_KEY: 'k' } })
    const { chat, sessions } = await app.agents.get('main')
    const [summary] = await sessions.list()
    const session = summary?.id ?? ''
    const last = (await sessions.get(session)).messages().at(-1)?.message
    expect(last).toMatchObject({ role: 'assistant', stopReason: 'aborted', errorCode: 'interrupted' })
    expect(last && messageText(last).split('word').length).toBeGreaterThan(20)
    expect(await partial()).toBeUndefined()
    server.script = [{ text: 'and that was all' }]
    await (
      await chat.retry(session)
    ).ended
    const sent = server.requests.at(-1)?.body['messages'] as { role: string; content: unknown }[]
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(sent[2])).toContain('cut off')
    const messages = (await sessions.get(session)).messages().map(({ message }) => messageText(message))
    expect(messages.at(-1)).toBe('and that was all')
  })
})

describe('tool limits', () => {
  it('shortens a long result and lets the model read the rest', async () => {
    const long = Array.from({ length: 900 }, (_, line) => `line ${line} of a long file`).join('\n')
    const { agent, home, server, ask } = await openChat(
      [
        { calls: [{ name: 'read', arguments: { path: 'memory/long.md' } }] },
        { calls: [{ name: 'read', arguments: { path: 'tool-output/toolu_0.txt', from: 500, lines: 2 } }] },
        { calls: [{ name: 'read', arguments: { path: 'tool-output/../beside.txt' } }] },
        { text: 'done' },
      ],
      '',
      { outputCharacters: 2000 },
    )
    await agent.workspace.write('memory/long.md', long, { cause: 'user' })
    await writeFiles(home, { 'agents/main/sessions/beside.txt': 'of another conversation' })
    await ask('x')
    const bodies = server.requests.map(({ body }) => JSON.stringify(body['messages']))
    expect(bodies[1]).toContain('characters left out; for the full text read tool-output/toolu_0.txt')
    expect(bodies[1]).not.toContain('line 600 of')
    expect(bodies[2]).toContain('line 499 of a long file\\nline 500 of a long file')
    expect(bodies[3]).toContain('file_not_found')
    expect(bodies[3]).not.toContain('of another conversation')
  })
})

describe('usage and spending limit', () => {
  it('counts requests by month and model, including titles and stopped ones', async () => {
    const { ask, app, chat } = await openChat([{ text: 'Paris.' }, { text: 'word '.repeat(200), delayMs: 5 }])
    const session = await ask('What is the capital of France?')
    await until(async () => (await app.ledger.months())[0]?.requests === 2)
    const { ended } = await chat.send({ text: 'more', session })
    let said = ''
    for await (const event of chat.turns.watch(session, undefined)) {
      if (event.type === 'partial') said = event.text
      else if (event.type === 'text') said += event.delta
      if (said.length > 200) break
    }
    void chat.turns.stop(session)
    await ended
    const [month] = await app.ledger.months()
    expect(month).toMatchObject({ month: '2026-01', model: 'anthropic/claude-sonnet-4-5', requests: 3 })
    // 3 requests of 100 + 40 read + 10 written tokens; the stopped one's output is estimated.
    expect(month?.usage).toMatchObject({ input: 300, cacheRead: 120, cacheWrite: 30 })
    expect(month?.usage.output).toBeGreaterThan(40)
    expect(month?.usage.cost?.total).toBeGreaterThan(0.001)
  })

  it('warns at the limit, then refuses requests until it is raised', async () => {
    const { ask, app, sessions, said } = await openChat([{ text: 'ok' }], 'spending: { monthlyLimit: 0.0019 }\n')
    const session = await ask('one')
    await until(async () => (await app.ledger.months())[0]?.requests === 2)
    expect(await app.ledger.spending()).toMatchObject({ limit: 0.0019, isNearLimit: false })
    await ask('two', session)
    expect((await app.ledger.spending()).isNearLimit).toBe(true)
    await ask('three', session)
    const last = (await sessions.get(session)).messages().at(-1)?.message
    expect(last).toMatchObject({ stopReason: 'error', errorCode: 'spending_limit', errorData: { limit: 0.0019 } })
    await app.settings.set([['spending', 'monthlyLimit'], null])
    await ask('four', session)
    expect((await said(session)).at(-1)).toBe('ok')
  })
})
