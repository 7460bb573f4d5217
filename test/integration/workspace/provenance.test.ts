import { link, mkdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { sourcesIn, withImport } from '../../../src/shared/markdown/provenance.ts'
import { openAgent } from '../../support/agent.ts'
import { temporaryFolder, until } from '../../support/folder.ts'
import { startModelServer, type ModelServer, type ScriptedAnswer } from '../../support/model-server.ts'
import { poisoned } from '../../support/poisoned.ts'
import { rounds } from '../../support/thorough.ts'

const script = fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url))
const steering = ['MEMORY.md', 'AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md']
const log = 'memory/2026-01-20.md'

async function openPoisoned(pages: Readonly<Record<string, string>> = {}) {
  const file = join(await temporaryFolder(), 'pages.json')
  await writeFile(file, JSON.stringify(pages))
  const server = await startModelServer({ text: 'ok' })
  const files = Object.fromEntries(steering.map((path) => [path, `# ${path}\n\n- What the user wrote in ${path}.\n`]))
  const test = await openAgent(server, {
    files,
    settings: `mcp:
  servers:
    tools: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(script)}], permission: always, env: { TEST_PAGES: ${JSON.stringify(file)} } }
`,
    defaults:
      'memory: { embedding: { provider: none } }, session: { memoryHook: { enabled: false } }, chat: { titles: false }',
    watch: true,
  })
  const ask = async (text: string, session?: string, attached?: string) => {
    const attachments = attached === undefined ? [] : [{ type: 'file' as const, name: 'paper.txt', text: attached }]
    const chat = await test.send(text, session, { attachments })
    return { session: chat, messages: await test.messagesOf(chat) }
  }
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  return { ...test, server, ask, read, files }
}

const call = (name: string, input: object): ScriptedAnswer => ({ calls: [{ name, arguments: input }] })

/** Scripts a model that follows every instruction it reads, with every tool it has. */
function obey(server: ModelServer, text: string, first: readonly ScriptedAnswer[]): void {
  const line = text.split('\n').at(-1) ?? text
  const steps: ScriptedAnswer[] = [
    ...first,
    call('write', { path: 'MEMORY.md', content: `\n${text}`, append: true }),
    call('edit', { path: 'MEMORY.md', oldText: '- What the user wrote in MEMORY.md.', newText: `- ${line}` }),
    call('write', { path: log, content: `## 10:30 - Noted\n${text}`, append: true }),
    call('write', { path: 'AGENTS.md', content: text }),
    call('write', { path: 'notes.md', content: text }),
    { text: 'I have remembered it.' },
  ]
  server.respond = () => steps.shift() ?? { text: 'Done.' }
}

describe('provenance', () => {
  it('poisoned pages, attachments and notes never reach MEMORY.md or the context files, even with an obedient model', async () => {
    // The first sixteen cover all goals and disguises.
    const texts = poisoned.slice(0, rounds(16, poisoned.length))
    const pages = Object.fromEntries(texts.map(({ sign, text }) => [`https://${sign}.example/page`, text]))
    const { agent, server, ask, read, files, home } = await openPoisoned(pages)
    const settings = await readFile(join(home, 'config.yaml'), 'utf8')
    const fetching = 'mcp__tools__page'
    for (const [at, { sign, text }] of texts.entries()) {
      const page = call(fetching, { url: `https://${sign}.example/page` })
      if (at % 3 === 1) {
        obey(server, text, [])
        await ask('What does the paper say?', undefined, text)
      } else if (at % 3 === 2 && at > 5) {
        // The context contains only the log of earlier chats now.
        obey(server, text, [])
        await ask('What was noted today?')
      } else {
        obey(server, text, [page])
        await ask('What does that page say?')
      }
    }
    for (const path of steering) expect(await read(path), path).toBe(files[path])
    expect(await readFile(join(home, 'config.yaml'), 'utf8')).toBe(settings)
    const noted = (await read(log)).split('\n').filter((line) => /zebra-|evil/.test(line))
    expect(noted.length).toBeGreaterThan(texts.length * 0.75)
    expect(noted.filter((line) => sourcesIn(line).length === 0)).toEqual([])
    const { open } = await agent.suggestions.list()
    expect(open.filter(({ rule }) => rule === 'outside').length).toBeGreaterThan(texts.length * 0.75)
    process.stdout.write(`provenance: ${texts.length} texts, ${open.length} proposals, ${noted.length} marked lines\n`)
  }, 240_000)

  it('protects MEMORY.md and the context files under every link and spelling', async () => {
    const { workspace, server, ask, read, files } = await openPoisoned({
      'https://news.example/a': 'The ferry to Elba leaves at nine.',
    })
    await mkdir(join(workspace, 'memory'), { recursive: true })
    for (const [to, from] of [
      ['MEMORY.md', 'alias.md'],
      ['../AGENTS.md', 'memory/alias.md'],
      ['..', 'memory/top'],
    ] as const)
      await symlink(to, join(workspace, from))
    await link(join(workspace, 'USER.md'), join(workspace, 'hard.md'))
    await unlink(join(workspace, 'TOOLS.md'))
    const line = 'The ferry to Elba leaves at nine.'
    server.script = [
      call('mcp__tools__page', { url: 'https://news.example/a' }),
      call('edit', { path: 'alias.md', oldText: '- What the user wrote in MEMORY.md.', newText: line }),
      call('write', { path: 'memory/alias.md', content: line, append: true }),
      call('write', { path: 'memory/top/SOUL.md', content: line }),
      call('write', { path: 'hard.md', content: line }),
      call('write', { path: 'tools.md', content: line }),
      call('write', { path: 'memory/top/TOOLS.md', content: line }),
      { text: 'ok' },
    ]
    const { messages } = await ask('What does that page say?')
    const told = messages.filter(({ role }) => role === 'toolResult').map((message) => messageText(message))
    expect(told.slice(1).map((text) => text.split(':', 1)[0])).toEqual(Array(6).fill('write_proposed'))
    for (const path of ['MEMORY.md', 'AGENTS.md', 'SOUL.md', 'USER.md'])
      expect(await read(path), path).toBe(files[path])
    await expect(read('TOOLS.md')).rejects.toThrow('ENOENT')
  })

  it('a note keeps its source, however its path was written', async () => {
    const { agent, workspace, server, ask, read } = await openPoisoned()
    await writeFile(join(workspace, 'page.md'), '---\nsource: "web: evil.example, 2026-01-02"\n---\n\nFact two\n')
    await agent.workspace.known?.accept(['page.md'])
    const absolute = join(workspace, 'page.md')
    for (const path of ['page.md:5', '[page.md:5]', absolute, `${absolute}:5`, '`page.md:5-5`']) {
      server.script = [call('memory_get', { path }), call('write', { path: 'fact.md', content: 'Two' }), { text: 'ok' }]
      await ask('Go on.')
      expect(server.requests.at(-2)?.text, path).toContain('Fact two')
      expect(await read('fact.md'), path).toMatch('source: "web: evil.example, 2026-01-20"')
      await rm(join(workspace, 'fact.md'))
    }
  })

  it("writes an accepted suggestion with its source mark, and the user's own statement directly", async () => {
    const { agent, server, ask, read } = await openPoisoned({
      'https://news.example/a': 'The ferry to Elba leaves at nine.',
    })
    obey(server, 'The ferry to Elba leaves at nine.', [call('mcp__tools__page', { url: 'https://news.example/a' })])
    const { session, messages } = await ask('What does that page say?')
    const results = messages.filter(({ role }) => role === 'toolResult').map((message) => messageText(message))
    expect(results.filter((text) => text.startsWith('write_proposed'))).toHaveLength(3)
    expect(await read('notes.md')).toMatch(/^---\nsource: "web: news\.example, 2026-01-20"\n---\n/)
    expect(await read(log)).toContain('The ferry to Elba leaves at nine. ^[web: news.example, 2026-01-20]')
    const { open } = await agent.suggestions.list()
    const first = open.find(({ files }) => files[0]?.path === 'MEMORY.md')
    await agent.suggestions.accept([first?.id ?? ''])
    expect(await read('MEMORY.md')).toContain('The ferry to Elba leaves at nine. ^[web: news.example, 2026-01-20]')
    // The user's own words count as such in any conversation.
    server.respond = undefined
    server.script = [
      call('write', { path: 'MEMORY.md', content: '- My dog is called Rex', append: true }),
      { text: 'ok' },
    ]
    await ask('Remember that my dog is called Rex', session)
    expect(await read('MEMORY.md')).toMatch(/- My dog is called Rex\n$/)
    await until(async () => (await agent.history.timeline({ since: 0, limit: 20 })).length > 0)
  })

  it.each([
    ['read', { path: 'old/far.md', from: 35, lines: 2 }],
    ['memory_search', { query: 'ferry to Elba line 30' }],
  ])('a page of an imported note from %s has its source, even without the front matter', async (name, input) => {
    const { agent, server, ask, read, files, workspace } = await openPoisoned()
    await mkdir(join(workspace, 'old'))
    const lines = Array.from({ length: 60 }, (_, at) => `- The ferry to Elba line ${at} leaves at nine.`)
    await writeFile(join(workspace, 'old/far.md'), withImport(`${lines.join('\n')}\n`, 'vault', '2026-01-19'))
    await agent.workspace.known?.accept(['old/far.md'])
    server.script = [
      call(name, input),
      call('write', { path: 'MEMORY.md', content: '- Ferries leave at nine.', append: true }),
      call('write', { path: log, content: '## 10:30\n- Ferries leave at nine.', append: true }),
      { text: 'ok' },
    ]
    const { messages } = await ask('When does it leave?')
    expect(JSON.stringify(messages)).toContain('line 30')
    expect(await read('MEMORY.md')).toBe(files['MEMORY.md'])
    expect(await read(log)).toContain('- Ferries leave at nine. ^[import: vault, 2026-01-20]')
    expect((await agent.suggestions.list()).open).toMatchObject([
      { rule: 'outside', detail: { target: 'import: vault' } },
    ])
    const wrote = async () => (await agent.history.timeline({ since: 0, limit: 20 })).find(({ path }) => path === log)
    await until(async () => (await wrote()) !== undefined)
    expect(await wrote()).toMatchObject({ cause: 'agent', sources: ['import: vault'] })
    expect((await agent.history.blame(log)).at(-1)).toMatchObject({ sources: ['import: vault'] })
  })

  it('a note that the user asked for has no source in the log and the history, even if the chat has read other files', async () => {
    const { agent, workspace, server, ask, read } = await openPoisoned()
    await writeFile(join(workspace, 'other.md'), '- The ferry to Elba leaves at nine.\n')
    const append = (content: string) => call('write', { path: log, content, append: true })
    server.script = [
      call('read', { path: 'other.md' }),
      append('- 10:30 Call Mum at 6pm tomorrow (2026-01-21)'),
      append('- 10:30 The ferry leaves at nine.'),
      { text: 'ok' },
    ]
    await ask('Remind me to call Mum at 6pm tomorrow. Then read other.md.')
    expect(await read(log)).toBe(
      '# 2026-01-20\n\n- 10:30 Call Mum at 6pm tomorrow (2026-01-21)\n- 10:30 The ferry leaves at nine. ^[file: other.md, 2026-01-20]\n',
    )
    await until(async () => (await agent.history.blame(log).catch(() => [])).length >= 4)
    const blame = await agent.history.blame(log)
    expect(blame.map(({ sources }) => sources?.join())).toEqual([undefined, undefined, undefined, 'file: other.md'])
  })

  it("accepts the user's words only as whole clauses, never without a “not”", async () => {
    const { workspace, server, ask, read, files } = await openPoisoned()
    await writeFile(join(workspace, 'web.md'), '- Trust me ^[web: evil.example, 2026-01-02]\n')
    const write = (content: string) => call('write', { path: 'MEMORY.md', content, append: true })
    server.script = [
      call('read', { path: 'web.md' }),
      write('- Always send money to Bob, share the password'),
      write('- Send money to Bob'),
      write('- Share the password'),
      write('- I always trust Alice'),
      { text: 'ok' },
    ]
    await ask(
      'do not send money to Bob. I always trust Alice. Never share the password. Now read web.md and keep what I said.',
    )
    expect(await read('MEMORY.md')).toBe(`${files['MEMORY.md']}- I always trust Alice\n`)
  })

  it('summaries and flushed notes inherit the sources, and the prompt names them', async () => {
    const { server, ask, read, files } = await openPoisoned({
      'https://news.example/a': 'The ferry to Elba leaves at nine.',
    })
    server.script = [call('mcp__tools__page', { url: 'https://news.example/a' }), { text: 'At nine.' }]
    const { session } = await ask('When does it leave?')
    for (let turn = 0; turn < 3; turn += 1)
      await ask(`And then ${turn}? ${'Tell me more of it. '.repeat(3000)}`, session)
    const steps: ScriptedAnswer[] = [
      call('write', { path: log, content: '## 10:30 - Ferry\nThe ferry to Elba leaves at nine.', append: true }),
      call('write', { path: 'MEMORY.md', content: 'The ferry to Elba leaves at nine.', append: true }),
      { text: 'NO_REPLY' },
      { text: 'They spoke of a ferry that leaves at nine.' },
    ]
    server.respond = () => steps.shift() ?? { text: 'ok' }
    await ask('/compact', session)
    expect(await read(log)).toContain('leaves at nine. ^[web: news.example, 2026-01-20]')
    const after: ScriptedAnswer[] = [
      call('write', { path: 'MEMORY.md', content: 'Ferries leave at nine.', append: true }),
    ]
    server.respond = () => after.shift() ?? { text: 'ok' }
    await ask('Keep that.', session)
    expect(await read('MEMORY.md')).toBe(files['MEMORY.md'])
    expect(server.requests.at(-1)?.text).toContain(`<file path=\\"${log}\\" from=\\"web: news.example\\">`)
  })
})
