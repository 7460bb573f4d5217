import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withVisibility } from '../../../src/shared/markdown/visibility-edit.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer, type ModelServer, type ScriptedAnswer } from '../../support/model-server.ts'
import { rounds } from '../../support/thorough.ts'

const now = () => new Date(2026, 0, 20, 10, 30)
const remoteModel = 'anthropic/claude-test'
const localModel = 'openai-compatible/local-model'

interface Opening {
  readonly files: Readonly<Record<string, string>>
  readonly rules?: readonly string[]
  readonly embeddings?: boolean
  readonly outputCharacters?: number
}

/** Two servers on loopback, of which the settings say that one is remote. */
async function openBoth({ files, rules = [], embeddings = false, outputCharacters }: Opening) {
  const remote = await startModelServer({ text: 'ok' })
  const local = await startModelServer({ text: 'ok' })
  const embedding = embeddings
    ? `{ provider: openai-compatible, model: hashed, baseUrl: "${remote.openAiUrl}", reach: remote }`
    : '{ provider: none }'
  const config = `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
  openai-compatible: { baseUrl: "${local.openAiUrl}" }
agents:
  defaults: { model: ${remoteModel}, visibility: { local: ${JSON.stringify(rules)} }, memory: { embedding: ${embedding} } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`
  const test = await openTestApp({
    files,
    config,
    env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    now,
    watch: true,
    ...(outputCharacters === undefined ? {} : { toolLimits: { outputCharacters } }),
  })
  const agent = await test.app.agents.get('main')
  const ask = async (text: string, model: string, session?: string) => {
    const sent = await agent.chat.send({ text, session, model, reopen: true })
    await sent.ended
    const messages = (await agent.sessions.get(sent.session)).messages().map(({ message }) => message)
    return { session: sent.session, messages }
  }
  const sentTo = ({ requests, titleRequests }: ModelServer) => [...requests.map(({ text }) => text), ...titleRequests]
  return { ...test, agent, remote, local, ask, sentTo }
}

const diagnosis = 'The doctor found a shadow on the left lung in March.'
const salary = '- The salary at Initech is 84,300 a year from May on'
const harmless = 'The harbour opens at seven and closes at nine in the evening.'
const private_ = {
  'health.md': `---\r\nvisibility: Local\r\n---\r\n# Health\r\n\r\n${diagnosis}\r\n`,
  'MEMORY.md': `# Long-term memory\n\n## Money ^[local]\n\n${salary}\n\n## Places\n\n- ${harmless}\n`,
  'private/code.txt': 'alarm code of the house: 77 31 09 44\n',
}

const call = (name: string, input: object): ScriptedAnswer => ({ calls: [{ name, arguments: input }] })

describe('visibility', () => {
  it('a remote model gets public text and a notice about local parts; a local model gets everything', async () => {
    const { ask, remote, local, sentTo, agent } = await openBoth({ files: private_, rules: ['private'] })
    for (const server of [remote, local])
      server.script = [
        call('read', { path: 'health.md' }),
        call('memory_get', { path: 'MEMORY.md' }),
        call('memory_search', { query: 'doctor shadow lung salary harbour', minScore: 0 }),
        call('read', { path: './private/code.txt' }),
        call('list', {}),
        call('edit', { path: 'health.md', oldText: 'The doctor found nothing', newText: 'x' }),
        { text: 'done' },
      ]
    const { session } = await ask('What do you know?', remoteModel)
    const remotely = sentTo(remote).join('\n')
    expect(remotely).toContain('The harbour opens at seven')
    for (const secret of ['shadow on the left lung', '84,300', '77 31 09 44', 'health.md ('])
      expect(remotely).not.toContain(secret)
    expect(remotely).toContain('stays on this machine')
    const report = await agent.chat.meter.report(session, undefined)
    expect(report.heldBack?.notes).toContainEqual({ path: 'MEMORY.md', lines: 2 })
    await ask('What do you know?', localModel)
    const locally = sentTo(local).join('\n')
    for (const secret of ['shadow on the left lung', '84,300', '77 31 09 44', 'health.md ('])
      expect(locally).toContain(secret)
  })

  it('text that a local model read, wrote or summarised is not sent to a remote model later', async () => {
    const { app, ask, remote, local, sentTo, workspace } = await openBoth({ files: private_ })
    local.script = [
      call('read', { path: 'health.md' }),
      call('write', {
        path: 'memory/2026-01-20.md',
        append: true,
        content: '## 10:30 - Lungs\nSomething was seen in the chest.',
      }),
      call('write', { path: 'notes/new.md', content: 'A copy: something was seen in the chest.' }),
      { text: 'Your chest picture was not clean.' },
    ]
    const { session, messages } = await ask('How am I?', localModel)
    expect(messages.filter(({ local }) => local).map(({ role }) => role)).toContain('assistant')
    const log = await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')
    expect(log).toContain('## 10:30 - Lungs ^[local]')
    expect(await readFile(join(workspace, 'notes/new.md'), 'utf8')).toMatch(/^---\nvisibility: local\n---\n/)
    remote.script = [
      call('memory_search', { query: 'seen picture clean something', minScore: 0 }),
      { text: 'I cannot see it.' },
    ]
    await ask(`You said: ${diagnosis} Is that so?`, remoteModel, session)
    local.script = [{ text: 'Summary: the chest picture was not clean.' }]
    await app.agents.configOf('main').setModel(localModel)
    await ask('/compact', localModel, session)
    await app.agents.configOf('main').setModel(remoteModel)
    remote.script = [{ text: 'ok' }]
    await ask('Go on.', remoteModel, session)
    await ask('/new', remoteModel, session)
    await until(() => remote.requests.length > 3)
    const remotely = sentTo(remote).join('\n')
    expect(remotely).toContain('Is that so?')
    for (const secret of ['chest', 'shadow on the left']) expect(remotely).not.toContain(secret)
  })

  it('redacts a note that is marked after it was quoted, and the meter names it', async () => {
    const { ask, remote, agent, workspace } = await openBoth({
      files: { 'trip.md': 'We fly to Lisbon on the 9th of May at dawn.\nYes\n' },
    })
    remote.script = [call('read', { path: 'trip.md' }), { text: 'You fly to Lisbon on the 9th of May at dawn.' }]
    const { session } = await ask('When do we fly?', remoteModel)
    expect(remote.requests.at(-1)?.text).toContain('Lisbon')
    await writeFile(
      join(workspace, 'trip.md'),
      withVisibility(await readFile(join(workspace, 'trip.md'), 'utf8'), true),
    )
    await ask('And then?', remoteModel, session)
    const last = remote.requests.at(-1)?.text ?? ''
    expect(last).toContain('And then?')
    expect(last).not.toMatch(/Lisbon|\bYes\b/)
    const report = await agent.chat.meter.report(session, undefined)
    expect(report.heldBack?.notes.map(({ path }) => path)).toEqual(['trip.md'])
  })

  it('lets no remote model delete, move or unmark hidden notes', async () => {
    const { ask, remote, workspace } = await openBoth({
      files: { ...private_, 'memory/x.md': '---\nvisibility: local\n---\nsecret words of mine\n' },
    })
    remote.script = [
      call('write', { path: 'health.md', content: 'gone' }),
      call('write', { path: 'MEMORY.md', content: '# Long-term memory\n' }),
      call('edit', { path: 'health.md', oldText: 'visibility: Local', newText: 'visibility: all' }),
      call('edit', { path: 'MEMORY.md', oldText: '## Money ^[local]', newText: '## Money' }),
      call('edit', { path: 'MEMORY.md', oldText: '\n\n- The salary', newText: '\n\n## Other\n\n- The salary' }),
      call('memory', { command: 'rename', old_path: '/memories/x.md', new_path: '/memories/y.md' }),
      call('memory', { command: 'delete', path: '/memories/x.md' }),
      call('write', { path: 'MEMORY.md', content: '\n- Ferries leave at ten', append: true }),
      { text: 'done' },
    ]
    const { messages } = await ask('Tidy up.', remoteModel)
    const results = messages.filter(({ role }) => role === 'toolResult').map((message) => messageText(message))
    expect(results.slice(0, 7).map((text) => text.split(/[:.]/, 1)[0])).toEqual([
      'local_only',
      'local_only',
      'file_not_found',
      'edit_no_match',
      'edit_no_match',
      'Error',
      'Error',
    ])
    expect(await readFile(join(workspace, 'health.md'), 'utf8')).toBe(private_['health.md'])
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toBe(
      `${private_['MEMORY.md']}\n- Ferries leave at ten\n`,
    )
  })

  it('remote embeddings get no local passage; keyword search finds it, with a notice', async () => {
    const many = Array.from(
      { length: 30 },
      (_, at) => `- Public fact ${at} about harbours, ferries and the weather of day ${at}`,
    )
    const { agent, remote, sentTo } = await openBoth({
      files: { ...private_, 'public.md': `# Public\n\n${many.join('\n')}\n` },
      embeddings: true,
    })
    await agent.memory.settle(10_000)
    await agent.memory.waitForVectors()
    const found = await agent.memory.search('shadow lung doctor')
    expect(found.results.map(({ path }) => path)).toContain('health.md')
    // Words that only private notes have are not sent.
    expect(found.notice?.code).toBe('query_local')
    expect((await agent.memory.search(diagnosis)).notice?.code).toBe('query_local')
    expect((await agent.memory.search('harbours and ferries')).notice?.code).toBe('vectors_local')
    expect((await agent.memory.status()).problems.map(({ code }) => code)).toContain('passages_local')
    const embedded = sentTo(remote).join('\n')
    expect(embedded).toContain('Public fact 7')
    expect(embedded).toContain('harbours and ferries')
    for (const secret of ['shadow on the left', '84,300', 'Money']) expect(embedded).not.toContain(secret)
  })
})

/** Returns a unique line with an id in each of its parts. */
function secretLine(at: number): string {
  const words = ['harbour', 'window', 'ladder', 'orchard', 'violin', 'copper', 'meadow', 'lantern']
  const said = Array.from({ length: 5 }, (_, place) => `${words[(at * 3 + place * 5) % 8]}q${at}x${place}`).join(' ')
  return at % 3 === 0 ? `我的秘密${at}：${said}，不能告诉别人` : `Keep q${at}x: ${said} "to itself" \\ and so on`
}

const kinds = ['matter', 'section', 'line', 'folder', 'later', 'item'] as const
const noteOf = (kind: (typeof kinds)[number], at: number, end: string) => {
  const text = {
    matter: `---\nvisibility: ${at % 2 ? 'local' : '"LOCAL" # x'}\n---\n${secretLine(at)}\n`,
    section: `# N${at}\n\npublic ${at}\n\n## S ^[local]\n\n${secretLine(at)}\n\n### deeper\n\`\`\`\n# ${secretLine(at + 100)}\n\`\`\`\n## after\n\npublic again\n`,
    line: `public ${at}\n\n${secretLine(at)} ^[local]\n\npublic\n`,
    item: `- public ${at}\n- secrets ^[local]\n  - ${secretLine(at)}\n- public\n`,
    folder: `${secretLine(at)}\n`,
    later: `${secretLine(at)}\n`,
  }[kind]
  return (at % 4 === 0 ? '\uFEFF' : '') + text.replaceAll('\n', end)
}

const runs = process.env['GATE_RUNS']

describe('privacy filter', () => {
  it(
    'never sends a local line to a remote provider, for any notes, tools and order of events',
    { retry: 0, timeout: 240_000 },
    async () => {
      const step = fc.record({
        who: fc.constantFrom('remote', 'local'),
        act: fc.constantFrom(
          'ask',
          'ask',
          'ask',
          'quote',
          'quote',
          'compact',
          'lock',
          'lock',
          'remember',
          'outside',
          'new',
        ),
        tools: fc.array(
          fc.constantFrom('read', 'memory_get', 'memory_search', 'list', 'write', 'edit', 'new', 'output', 'memory'),
          { maxLength: 4 },
        ),
        at: fc.nat(20),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(...kinds), fc.constantFrom('\n', '\r\n')), { minLength: 3, maxLength: 8 }),
          fc.array(step, { minLength: 5, maxLength: 10 }),
          fc.boolean(),
          async (notes, steps, embeddings) => {
            const paths = notes.map(([kind], at) =>
              kind === 'folder' ? `vault/n${at}.md` : at % 2 ? `memory/n${at}.md` : `n${at}.md`,
            )
            const files = Object.fromEntries(notes.map(([kind, end], at) => [paths[at] ?? '', noteOf(kind, at, end)]))
            const own = 'MEMORY.md'
            const { app, ask, remote, local, agent, workspace } = await openBoth({
              files: { [own]: `# Memory\n\n- public fact\n\n## Mine ^[local]\n\n- ${secretLine(50)}\n`, ...files },
              rules: ['Vault/'],
              embeddings,
              outputCharacters: 1000,
            })
            /** Number of requests before the line with an id became local. */
            const since = new Map<string, { readonly requests: number; readonly titles: number }>()
            const sign = (at: number) => `q${at}x`
            const lock = (at: number) => {
              if (!since.has(sign(at)))
                since.set(sign(at), { requests: remote.requests.length, titles: remote.titleRequests.length })
            }
            for (const [at, [kind]] of notes.entries()) if (kind !== 'later') [at, at + 100].forEach(lock)
            lock(50)
            const scripted =
              (queue: ScriptedAnswer[], isLocal: boolean) =>
              (body: Record<string, unknown>): ScriptedAnswer => {
                // The model repeats every line it sees in each of its answers.
                const seen = [...new Set(JSON.stringify(body).match(/[^"\\]*q\d+x[^"\\]*/g) ?? [])]
                  .slice(-3)
                  .join(' / ')
                const next = queue.shift()
                if (!next) return { text: isLocal ? `I saw ${seen}, which is orchardq50x1-ish.` : `I saw ${seen}.` }
                if (!('calls' in next)) return next
                return { calls: next.calls.map((one) => ({ ...one, arguments: filled(one.arguments, seen) })) }
              }
            const filled = (input: object, seen: string) =>
              Object.fromEntries(
                Object.entries(input).map(([key, value]) => [
                  key,
                  typeof value === 'string' ? value.replaceAll('{seen}', seen || 'nothing') : value,
                ]),
              )
            let session: string | undefined
            for (const { who, act, tools, at } of steps) {
              const path = paths[at % paths.length] ?? own
              const queue = tools.map((tool): ScriptedAnswer => {
                if (tool === 'read') return call('read', { path })
                if (tool === 'memory_get') return call('memory_get', { path })
                if (tool === 'memory_search')
                  return call('memory_search', {
                    query: 'harbour window ladder public secrets',
                    minScore: 0,
                    maxResults: 30,
                  })
                if (tool === 'list') return call('list', {})
                if (tool === 'write')
                  return call('write', {
                    path: 'memory/2026-01-20.md',
                    append: true,
                    content: '## 10:30 - Said\n{seen}',
                  })
                if (tool === 'new') return call('write', { path: `made/${at}.md`, content: '# Made\n\n{seen}\n' })
                if (tool === 'output') return call('read', { path: 'tool-output/call_0.txt' })
                if (tool === 'memory') return call('memory', { command: 'view', path: '/memories' })
                return call('edit', { path: own, oldText: '- public fact', newText: '- public fact\n- {seen}' })
              })
              const [server, model] = who === 'remote' ? [remote, remoteModel] : [local, localModel]
              await app.agents.configOf('main').setModel(model)
              server.respond = scripted(queue, who === 'local')
              if (act === 'lock') {
                // A request that is already being sent cannot be recalled.
                if (embeddings) await agent.memory.settle(5000).then(() => agent.memory.waitForVectors())
                const number = at % notes.length
                const file = join(workspace, paths[number] ?? '')
                await writeFile(file, withVisibility(await readFile(file, 'utf8'), true))
                ;[number, number + 100].forEach(lock)
              } else if (act === 'outside') await appendFile(join(workspace, path), '\r\n')
              else if (act === 'remember')
                await agent.workspace.remember(`public word ${at}`, now(), { cause: 'capture' })
              else {
                const text =
                  act === 'compact'
                    ? '/compact'
                    : act === 'new'
                      ? '/new'
                      : act === 'quote'
                        ? `Is it so: ${secretLine(at % notes.length)} ?`
                        : `Tell me ${at}.`
                ;({ session } = await ask(text, model, session))
              }
            }
            await agent.memory.settle(5000)
            if (embeddings) await agent.memory.waitForVectors()
            for (const [sign, from] of since) {
              const later = [
                ...remote.requests.slice(from.requests).map(({ text }) => text),
                ...remote.titleRequests.slice(from.titles),
              ]
              const body = later.find((text) => text.includes(sign))
              if (body !== undefined)
                throw new Error(`${sign} was sent: ${body.slice(Math.max(0, body.indexOf(sign) - 200))}`)
            }
          },
        ),
        // A fixed seed; `GATE_RUNS=40` runs 40 random cases.
        runs === undefined ? { numRuns: rounds(3, 10), seed: 64 } : { numRuns: Number(runs), endOnFailure: true },
      )
    },
  )
})
