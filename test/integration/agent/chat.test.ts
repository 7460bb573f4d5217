import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ChatEvent } from '../../../src/shared/contract/index.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openAgent } from '../../support/agent.ts'
import { until, writeFiles } from '../../support/folder.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

async function openChat(...script: ScriptedAnswer[]) {
  const server = await startModelServer(...script)
  const test = await openAgent(server, { model: script.length > 0 ? 'anthropic/test-model' : 'offline' })
  const ask = async (text: string, chat?: string) => {
    const session = await test.send(text, chat)
    const messages = await test.messagesOf(session)
    const last = messages.findLast(({ role }) => role === 'assistant')
    return { session, messages, text: last ? messageText(last) : '', last }
  }
  return { ...test, server, ask }
}

describe('the offline agent', () => {
  it('remembers, then answers from memory with path and line', async () => {
    const { ask, workspace } = await openChat()
    const first = await ask('Remember that we chose PostgreSQL for the database')
    expect(first.text).toContain('[memory/2026-01-20.md]')
    expect(await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')).toBe(
      '# 2026-01-20\n\n- 10:30 we chose PostgreSQL for the database\n',
    )
    const second = await ask('Which database did we choose?', first.session)
    expect(second.text).toContain('> we chose PostgreSQL for the database')
    expect(second.text).toContain('[memory/2026-01-20.md:3]')
    const names = second.messages.flatMap((message) => (message.role === 'toolResult' ? [message.toolName] : []))
    expect(names).toEqual(['write', 'memory_search'])
  })

  it('stores a long note once, confirms it, and finds it', async () => {
    const long = Array.from({ length: 9000 }, (_, index) => `word${index}`).join(' ')
    const { agent, ask, workspace } = await openChat()
    const { session } = await ask('Remember that I like tea')
    await ask('Remember that Bob is tall', session)
    const noted = await ask(`Remember that the key is ${long} endmark`, session)
    expect(noted.text).toContain('[memory/2026-01-20.md]')
    const branch = (await agent.sessions.get(session)).branch()
    expect(branch.filter(({ type }) => type === 'compaction').length).toBeLessThanOrEqual(2)
    const log = await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')
    expect(log.split(`the key is ${long} endmark`)).toHaveLength(2)
    expect(log.split('I like tea')).toHaveLength(2)
    const answer = await ask('Where is the endmark?', session)
    expect(answer.last).toMatchObject({ stopReason: 'stop' })
    expect(answer.text).not.toContain('{"path"')
  })

  it('answers all queued messages, not only the last one', async () => {
    const { agent } = await openChat()
    const { session } = await agent.chat.send({ text: 'Remember that the boiler code is 7781' })
    for (const text of ['What is the boiler code?', 'Remember that the plumber is called Otto', 'thanks'])
      await agent.chat.send({ text, session })
    const said = async () =>
      (await agent.sessions.get(session))
        .messages()
        .flatMap(({ message }) => (message.role === 'assistant' ? [messageText(message)] : []))
        .join('\n')
    await until(async () => (await said()).includes('You are welcome'))
    expect(await said()).toContain('> the boiler code is 7781')
  })
})

describe('tools, called by a model', () => {
  const call = (name: string, args: object): ScriptedAnswer => ({ calls: [{ name, arguments: args }] })

  it('memory_search returns one line for each entry, and records the search', async () => {
    const { ask } = await openChat(call('memory_search', { query: 'long-term memory' }), { text: 'done' })
    const { messages } = await ask('x')
    const result = messages.find(({ role }) => role === 'toolResult')
    expect(result && messageText(result)).toMatch(
      /^MEMORY\.md:1 · \d\.\d\d · Long-term memory\nEmbeddings: builtin \S+$/,
    )
    const results = [{ path: 'MEMORY.md', startLine: 1, endLine: 1, source: 'memory' }]
    expect(result).toMatchObject({ details: { kind: 'recall', recall: { results, provider: 'builtin' } } })
  })

  it('fail with results that the model can read, and the turn continues', async () => {
    const calls = [
      { name: 'read', arguments: { path: '../../etc/passwd' } },
      { name: 'write', arguments: { path: '/tmp/x.md', content: 'x' } },
      { name: 'memory_get', arguments: { path: 'nowhere.md' } },
      { name: 'edit', arguments: { path: 'MEMORY.md', oldText: 'not there', newText: 'x' } },
      { name: 'read', arguments: { file: 'x' } },
      { name: 'delete_everything', arguments: {} },
    ]
    const { ask } = await openChat({ calls }, { text: 'I see.' })
    const { messages, text } = await ask('x')
    const results = messages.filter((message) => message.role === 'toolResult')
    expect(results.map(({ isError }) => isError)).toEqual(calls.map(() => true))
    expect(results.map(messageText)).toEqual([
      expect.stringContaining('path_outside_workspace'),
      expect.stringContaining('path_outside_workspace'),
      expect.stringContaining('file_not_found'),
      expect.stringContaining('edit_no_match'),
      expect.stringContaining('The arguments are invalid'),
      expect.stringContaining('There is no tool'),
    ])
    expect(text).toBe('I see.')
  })

  it('write and edit return their change, and daily logs are only appended to', async () => {
    const { ask, workspace } = await openChat(
      call('write', { path: 'memory/2026-01-20.md', content: '## 10:30 - A\nfirst\n', append: true }),
      call('write', { path: 'memory/2026-01-20.md', content: 'replaced' }),
      call('edit', { path: 'MEMORY.md', oldText: '# Long-term memory', newText: '# Long-term memory\n\n- PostgreSQL' }),
      { text: 'done' },
    )
    const { messages } = await ask('x')
    const results = messages.filter((message) => message.role === 'toolResult')
    expect(results.map(({ isError }) => isError)).toEqual([false, true, false])
    expect(results[2]).toMatchObject({ details: { change: { path: 'MEMORY.md', added: 2, removed: 0, startLine: 2 } } })
    expect(await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')).toContain('first')
  })
})

describe('session start', () => {
  it('the first request has MEMORY.md and the logs of today and yesterday, but no others', async () => {
    const { agent, workspace } = await openChat({ text: 'hi' })
    await writeFiles(workspace, {
      'memory/2026-01-20.md': 'today',
      'memory/2026-01-20-review.md': 'raw words of a chat',
      'memory/2026-01-19.md': 'yesterday',
      'memory/2026-01-18.md': 'the day before',
    })
    const { items } = await agent.chat.meter.report(undefined, undefined)
    const files = items
      .filter(({ layer }) => layer === 'project' || layer === 'logs')
      .map(({ name, note }) => [name, note])
    expect(files).toEqual([
      ['AGENTS.md', 'missing'],
      ['SOUL.md', 'missing'],
      ['USER.md', 'missing'],
      ['TOOLS.md', 'missing'],
      ['MEMORY.md', undefined],
      ['memory/2026-01-19.md', 'yesterday'],
      ['memory/2026-01-20.md', 'today'],
    ])
  })
})

describe('memory_get', () => {
  it('and read accept a path with lines as memory_search returns it, or a citation', async () => {
    const cases: [args: object, path: string, text: string][] = [
      [{ path: 'MEMORY.md:2-3' }, 'MEMORY.md', 'two\nthree'],
      [{ path: '[MEMORY.md:3]' }, 'MEMORY.md', 'three'],
      [{ path: ' `[MEMORY.md:3]` ' }, 'MEMORY.md', 'three'],
      [{ path: 'MEMORY.md:2-3', lines: 1 }, 'MEMORY.md', 'two'],
      [{ path: 'times/at 12:3' }, 'times/at 12:3', 'noon\nevening'],
    ]
    const { ask, agent, workspace, server } = await openChat({ text: 'done' })
    await agent.workspace.write('MEMORY.md', 'one\ntwo\nthree\nfour\n', { cause: 'user' })
    await writeFiles(workspace, {
      'times/at 12:3': 'noon\nevening\n',
      'times/at 12': 'not this\n',
      '[draft] a.md': 'drafted\n',
    })
    for (const [args, path, text] of cases) {
      server.script = [{ calls: ['memory_get', 'read'].map((name) => ({ name, arguments: args })) }, { text: 'done' }]
      const { messages } = await ask('x')
      const [got, read] = messages.filter(({ role }) => role === 'toolResult').map(messageText)
      expect(JSON.parse(got ?? '')).toEqual({ path, text })
      expect(read?.replace(/\n\[lines .*/, '')).toBe(text)
    }
  })
})

describe('turns', () => {
  it('sends late followers the text so far, then the rest', async () => {
    const { agent } = await openChat({
      text: 'one two three four five six seven eight nine ten',
      delayMs: 15,
    })
    const { session, ended } = await agent.chat.send({ text: 'x' })
    const texts: string[] = []
    for await (const event of agent.chat.turns.watch(session, undefined)) if (event.type === 'text') break
    for await (const event of agent.chat.turns.watch(session, undefined)) {
      if (event.type === 'partial') texts.push(event.text)
      else if (event.type === 'text') texts.push(event.delta)
      else if (event.type === 'turnEnd') break
    }
    await ended
    expect(texts.join('')).toBe('one two three four five six seven eight nine ten')
    expect(texts[0]).toMatch(/^one/)
    expect(texts.length).toBeGreaterThan(1)
  })

  it('keeps the partial answer of a stopped turn, and the next message continues the conversation', async () => {
    const { agent, server, ask } = await openChat({ text: 'word '.repeat(200), delayMs: 10 })
    const { session, ended } = await agent.chat.send({ text: 'x' })
    const events: ChatEvent[] = []
    void (async () => {
      for await (const event of agent.chat.turns.watch(session, undefined)) events.push(event)
    })()
    await until(() => events.some((event) => event.type === 'text'))
    await expect(agent.chat.retry(session, 'x')).rejects.toMatchObject({ code: 'session_busy' })
    void agent.chat.turns.stop(session)
    await ended
    await until(() => server.aborted.count === 1)
    const messages = (await agent.sessions.get(session)).messages().map(({ message }) => message)
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' })
    expect(messageText(messages.at(-1) ?? { role: 'user', content: '', timestamp: 0 })).toContain('word')
    server.script = [{ text: 'again' }]
    expect((await ask('go on', session)).text).toBe('again')
  })

  it('stops an endless turn at the step limit', async () => {
    const asked = Array.from({ length: 60 }, (_, at) => ({
      calls: [{ name: 'memory_search', arguments: { query: `question ${at}` } }],
    }))
    const { server, ask } = await openChat(...asked)
    const { last } = await ask('x')
    expect(server.requests).toHaveLength(50)
    expect(last).toMatchObject({ errorCode: 'step_limit' })
  })

  it('ends the turn after repeated failures of one call', async () => {
    const call = { name: 'read', arguments: { path: 'gone.md' } }
    const { ask, server } = await openChat({ text: 'I look.', calls: [call] })
    const { messages, last, session } = await ask('look')
    expect(server.requests).toHaveLength(4)
    const results = messages.flatMap((message) => (message.role === 'toolResult' ? [messageText(message)] : []))
    expect(results.map((text) => text.includes('has failed'))).toEqual([false, false, true, true])
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Do not repeat it')
    expect(last).toMatchObject({
      stopReason: 'error',
      errorCode: 'tool_repeats',
      errorData: { tool: 'read', count: 4 },
    })
    const said = messages.filter((message) => message.role === 'assistant').map(messageText)
    expect(said).toEqual(['I look.', 'I look.', 'I look.', 'I look.', ''])
    server.script = [{ text: 'There is none.' }]
    expect((await ask('and now?', session)).text).toBe('There is none.')
  })

  it('does not count different calls, parallel repeats, or failures before a success as repeats', async () => {
    const gone = (path: string) => ({ name: 'read', arguments: { path } })
    const { ask, server, workspace } = await openChat({ text: 'x' })
    const list = { name: 'list', arguments: {} }
    server.script = [
      { calls: [gone('a.md'), gone('a.md'), gone('a.md'), gone('a.md')] },
      { calls: [gone('a.md'), gone('b.md'), list] },
      { calls: [{ name: 'write', arguments: { path: 'a.md', content: 'here\n' } }] },
      { calls: [gone('a.md'), gone('b.md')] },
      { text: 'done' },
    ]
    const { text, messages } = await ask('look')
    expect(text).toBe('done')
    expect(await readFile(join(workspace, 'a.md'), 'utf8')).toBe('here\n')
    expect(messages.some((message) => messageText(message).includes('has failed'))).toBe(false)
  })
})
