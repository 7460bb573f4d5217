/** Runs what the instructions of the agent say about notes against the real tools. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { builtInTools } from '../../../src/main/agent/tools/built-in-tools.ts'
import { noteExtensions } from '../../../src/main/workspace/files/file-names.ts'
import { openAgent } from '../../support/agent.ts'
import { writeFiles } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

const old = 'memory/2026-01-19.md'
const oldText = '# 2026-01-19\n\n- 09:00 C over Go\n\n## 09:30 - Tea\nGreen tea\n'

/** @param settings further settings of the agent, in YAML */
async function openTools(settings = '') {
  const server = await startModelServer()
  const test = await openAgent(server, {
    model: 'anthropic/claude-sonnet-5',
    defaults: `memory: { embedding: { provider: none } }, ${settings}`,
    files: { [old]: oldText, 'memory/2026-01-18.md': '# 2026-01-18\r\n\r\n- 08:00 Tea\r\n' },
  })
  /** Calls a tool in a chat; returns its error, or an empty text. */
  async function call(name: string, input: object): Promise<string> {
    server.script = [{ calls: [{ name, arguments: input }] }, { text: 'Done.' }]
    const messages = await test.messagesOf(await test.send('go'))
    const result = messages.findLast((message) => message.role === 'toolResult')
    return result?.isError ? messageText(result) : ''
  }
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  return { ...test, call, read, server }
}

it('writes notes with the named suffixes only', async () => {
  const { call, server } = await openTools()
  const { description } = builtInTools.find(({ name }) => name === 'write') ?? {}
  expect(description).toContain(`Creates a note (${noteExtensions.join(', ')}), `)
  for (const suffix of noteExtensions) expect(await call('write', { path: `notes/a${suffix}`, content: 'x' })).toBe('')
  for (const suffix of ['.txt', '.csv', '.canvas'])
    expect(await call('write', { path: `notes/a${suffix}`, content: 'x' })).toMatch(/^write_refused: /)
  const system = JSON.stringify(server.requests.at(-1)?.body['system'])
  expect(system).toContain(`Notes end in ${noteExtensions.join(' or ')}.`)
  expect(system).not.toMatch(/no special tool/i)
})

it('refuses to change text of a log, and says what to do', async () => {
  const { call, read } = await openTools()
  const inputs: [name: string, input: object][] = [
    ['edit', { oldText: 'C over Go', newText: 'Rust over C' }],
    ['edit', { oldText: 'Green tea', newText: 'Green tea with milk' }],
    ['edit', { oldText: '## 09:30', newText: '- 09:10 new\n\n## 09:30' }],
    ['edit', { oldText: '- 09:00 C over Go\n', newText: '' }],
    ['write', { content: '# 2026-01-19\n' }],
    ['write', { content: '' }],
  ]
  for (const [name, input] of inputs) {
    const error = await call(name, { path: old, ...input })
    expect(error).toContain('is a daily log')
    expect(error).toContain('append: true')
    expect(error).toContain(`- 10:30 Rust over C (replaces ${old}:12)`)
    expect(await read(old)).toBe(oldText)
  }
})

it('edits MEMORY.md, and refuses other files in a flush', async () => {
  const { call, read, send, server, app } = await openTools()
  const change = { path: 'MEMORY.md', oldText: '# Long-term memory', newText: '# Long-term memory\n\n- Rust over C' }
  expect(await call('edit', change)).toBe('')
  expect(await read('MEMORY.md')).toContain('- Rust over C')
  expect(await call('write', { path: 'notes/plan.md', content: 'In a chat' })).toBe('')
  server.script = [{ text: 'Good.' }]
  const session = await send('We use Rust.')
  const calls = ['notes/plan.md', 'USER.md', 'memory/rust.md'].map((path) => ({
    name: 'write',
    arguments: { path, content: 'In a flush' },
  }))
  // The first answer is to the request for a summary.
  server.script = [{ text: 'NO_REPLY' }, { calls }, { text: 'NO_REPLY' }]
  await send('/new', session)
  await app.close()
  const flushes = server.requests.filter(({ text }) => text.includes('Memory flush.'))
  const [request = ''] = flushes.map(({ text }) => text)
  expect(request).toContain('You may write memory files only: MEMORY.md and files in memory/')
  expect(request).toContain('reply only with NO_REPLY')
  expect(request).toContain('\\"- HH:MM text\\"')
  expect(await read('memory/rust.md')).toBe('In a flush')
  expect(await read('notes/plan.md')).toBe('In a chat')
  expect(JSON.stringify(flushes.at(-1)?.body)).toContain('only MEMORY.md and files below memory/ can be written now')
})

it('creates no file with YYYY-MM-DD for the day, and names today’s log', async () => {
  const { call, read, workspace } = await openTools()
  const template = 'Templates/YYYY-MM-DD.md'
  await writeFiles(workspace, { [template]: '# Day\n', 'memory/tea.md': 'Tea\n' })
  for (const [name, input] of [
    ['write', { path: 'memory/YYYY-MM-DD.md', content: '- 10:30 Tea', append: true }],
    ['write', { path: 'memory/yyyy-mm-dd-tea.md', content: 'Tea' }],
    ['write', { path: 'memory/YYYY-MM-DD/tea.md', content: 'Tea' }],
    ['edit', { path: 'memory/YYYY-MM-DD.md', oldText: 'Tea', newText: 'Coffee' }],
  ] as const)
    expect(await call(name, input)).toMatch(
      /^input_invalid: memory\/YYYY-MM-DD.*; today's log is memory\/2026-01-20\.md$/i,
    )
  expect(await readdir(join(workspace, 'memory'))).toEqual(['2026-01-18.md', '2026-01-19.md', 'tea.md'])
  // The user has a note of this name.
  expect(await call('edit', { path: template, oldText: '# Day', newText: '# Today' })).toBe('')
  expect(await read(template)).toBe('# Today\n')
})

it('creates no second long-term memory under another spelling of its name', async () => {
  const { call, workspace, read } = await openTools()
  expect(await call('write', { path: 'memory.md', content: '- Tea', append: true })).toBe('')
  expect((await readdir(workspace)).filter((name) => /^memory\.md$/i.test(name))).toEqual(['MEMORY.md'])
  expect(await read('MEMORY.md')).toContain('- Tea')
})

it('fills today into the prompt of a flush', async () => {
  const vault = "vault: { daily: { folder: journal, format: 'YYYY/MM_DD' } }"
  const path = 'journal/2026/01_20.md'
  const prompt = 'Memory flush. Write to memory/YYYY-MM-DD.md under # YYYY-MM-DD, or to {{todaysLog}}; else NO_REPLY'
  const { send, server, app } = await openTools(`${vault}, compaction: { memoryFlush: { prompt: "${prompt}" } }`)
  server.script = [{ text: 'Good.' }]
  const session = await send('We use Rust.')
  server.script = [{ text: 'NO_REPLY' }, { text: 'NO_REPLY' }]
  await send('/new', session)
  await app.close()
  const flush = server.requests.find(({ text }) => text.includes('Memory flush.'))
  const filled = `Memory flush. Write to ${path} under # 2026-01-20, or to ${path}; else NO_REPLY`
  expect(flush?.text).toContain(filled)
})
