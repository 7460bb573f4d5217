import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withVisibility } from '../../../src/shared/markdown/visibility-edit.ts'
import { redactionPlaceholder } from '../../../src/shared/markdown/visibility.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer, type ModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

const now = () => new Date(2026, 0, 20, 10, 30)
/** Open and private chats use different models, on separate servers. */
const openModel = 'anthropic/claude-test'
const privateModel = 'openai-compatible/local-model'
const reaches = ['remote', 'local'] as const

interface Opening {
  readonly files: Readonly<Record<string, string>>
  /** Where the settings say that the model of open chats is. */
  readonly reach?: (typeof reaches)[number]
  readonly rules?: readonly string[]
  readonly embeddings?: boolean
  readonly outputCharacters?: number
}

async function openBoth({ files, reach = 'remote', rules = [], embeddings = false, outputCharacters }: Opening) {
  const open = await startModelServer({ text: 'ok' })
  const here = await startModelServer({ text: 'ok' })
  const embedding = embeddings
    ? `{ provider: openai-compatible, model: hashed, baseUrl: "${open.openAiUrl}", reach: remote }`
    : '{ provider: none }'
  const config = `providers:
  anthropic: { baseUrl: "${open.url}", reach: ${reach} }
  openai-compatible: { baseUrl: "${here.openAiUrl}" }
agents:
  defaults: { model: ${openModel}, visibility: { local: ${JSON.stringify(rules)} }, memory: { embedding: ${embedding} } }
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
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  /** Returns the part of a note that an open chat sees; undefined if it is the whole note that it does not see. */
  const shown = async (path: string) => agent.marks().openText(path, await read(path))
  const ask = async (text: string, { session, isPrivate = false }: { session?: string; isPrivate?: boolean } = {}) => {
    const model = isPrivate ? privateModel : openModel
    const sent = await agent.chat.send({ text, session, model, reopen: true, isPrivate })
    await sent.ended
    const messages = (await agent.sessions.get(sent.session)).messages().map(({ message }) => message)
    return { session: sent.session, messages }
  }
  /** Runs the calls one after the other in a new open chat. @returns the results of the tools */
  const results = async (...calls: ScriptedAnswer[]) => {
    open.script = [...calls, { text: 'done' }]
    const { messages } = await ask('Go on.')
    return messages.filter(({ role }) => role === 'toolResult').map((message) => messageText(message))
  }
  const sentTo = ({ requests, titleRequests }: ModelServer) =>
    [...requests.map(({ text }) => text), ...titleRequests].join('\n')
  return { ...test, agent, open, here, read, shown, ask, results, sentTo }
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

const secrets = ['shadow on the left lung', '84,300', '77 31 09 44', 'health.md (']

describe('private notes', () => {
  it.each(reaches)('are hidden in an open chat with a %s model, and read in a private chat', async (reach) => {
    const { ask, open, here, sentTo } = await openBoth({ files: private_, rules: ['private'], reach })
    for (const server of [open, here])
      server.script = [
        call('read', { path: 'health.md' }),
        call('memory_get', { path: 'MEMORY.md' }),
        call('memory_search', { query: 'doctor shadow lung salary harbour', minScore: 0 }),
        call('read', { path: './private/code.txt' }),
        call('list', {}),
        call('edit', { path: 'health.md', oldText: 'The doctor found nothing', newText: 'x' }),
        { text: 'done' },
      ]
    await ask('What do you know?')
    const openly = sentTo(open)
    expect(openly).toContain('The harbour opens at seven')
    for (const secret of secrets) expect(openly).not.toContain(secret)
    expect(openly).toContain(redactionPlaceholder)
    await ask('What do you know?', { isPrivate: true })
    for (const secret of secrets) expect(sentTo(here)).toContain(secret)
  })

  it('text that a private chat read, wrote or summarised does not reach an open chat', async () => {
    const { ask, agent, open, here, sentTo, shown } = await openBoth({ files: private_ })
    here.script = [
      call('read', { path: 'health.md' }),
      call('write', {
        path: 'memory/2026-01-20.md',
        append: true,
        content: '## 10:30 - Lungs\nSomething was seen in the chest.',
      }),
      call('write', { path: 'notes/new.md', content: 'A copy: something was seen in the chest.' }),
      { text: 'Your chest picture was not clean.' },
    ]
    const { session } = await ask('How am I?', { isPrivate: true })
    expect(await shown('memory/2026-01-20.md')).not.toContain('chest')
    expect(await shown('notes/new.md')).toBeUndefined()
    here.script = [{ text: 'Summary: the chest picture was not clean.' }]
    await ask('/compact', { session, isPrivate: true })
    await ask('/new', { session, isPrivate: true })
    await agent.memory.settle(10_000)
    open.script = [
      call('memory_search', { query: 'seen picture clean something', minScore: 0 }),
      call('memory_get', { path: `sessions/${session}.jsonl` }),
      call('memory_get', { path: 'sessions/none.jsonl' }),
      { text: 'I cannot see it.' },
    ]
    const { session: other, messages } = await ask(`They said: ${diagnosis} Is that so?`)
    const [, hidden, missing] = messages.filter(({ role }) => role === 'toolResult').map((one) => messageText(one))
    expect(hidden?.replace(session, 'none')).toBe(missing)
    await ask('/compact', { session: other })
    const before = open.requests.length
    await ask('/new', { session: other })
    await until(() => open.requests.length > before)
    expect(sentTo(open)).not.toContain('chest')
    expect(sentTo(open), 'the user’s own words are sent as they are').toContain(`They said: ${diagnosis}`)
  })

  it('are not read again once they are marked', async () => {
    const { results, read, workspace } = await openBoth({ files: { 'trip.md': 'We fly to Lisbon at dawn.\n' } })
    const asked = [call('read', { path: 'trip.md' }), call('memory_search', { query: 'fly to Lisbon', minScore: 0 })]
    for (const told of await results(...asked)) expect(told).toContain('Lisbon')
    await writeFile(join(workspace, 'trip.md'), withVisibility(await read('trip.md'), true))
    for (const told of await results(...asked)) expect(told).not.toContain('Lisbon')
  })

  it.each(reaches)('are not overwritten or unmarked in an open chat with a %s model', async (reach) => {
    const { results, read } = await openBoth({ files: private_, reach })
    const told = await results(
      call('write', { path: 'health.md', content: 'gone' }),
      call('write', { path: 'MEMORY.md', content: '# Long-term memory\n' }),
      call('edit', { path: 'health.md', oldText: 'visibility: Local', newText: 'visibility: all' }),
      call('edit', { path: 'MEMORY.md', oldText: '## Money ^[local]', newText: '## Money' }),
      call('edit', { path: 'MEMORY.md', oldText: '\n\n- The salary', newText: '\n\n## Other\n\n- The salary' }),
      call('write', { path: 'MEMORY.md', content: '\n- Ferries leave at ten', append: true }),
    )
    expect(told.slice(0, 5).map((text) => text.split(/[:.]/, 1)[0])).toEqual([
      'private_lines',
      'private_lines',
      'file_not_found',
      'edit_no_match',
      'edit_no_match',
    ])
    expect(await read('health.md')).toBe(private_['health.md'])
    expect(await read('MEMORY.md')).toBe(`${private_['MEMORY.md']}\n- Ferries leave at ten\n`)
  })

  it('remote embeddings get no local passage; keyword search finds it, with a notice', async () => {
    const many = Array.from(
      { length: 30 },
      (_, at) => `- Public fact ${at} about harbours, ferries and the weather of day ${at}`,
    )
    const { agent, open, sentTo } = await openBoth({
      files: { ...private_, 'public.md': `# Public\n\n${many.join('\n')}\n` },
      embeddings: true,
    })
    await agent.memory.settle(10_000)
    await agent.memory.waitForVectors()
    const found = await agent.memory.search('shadow lung doctor')
    expect(found.results.map(({ path }) => path)).toContain('health.md')
    // Words that only private notes have are not sent.
    expect(found.notice?.code).toBe('query_private')
    expect((await agent.memory.search(diagnosis)).notice?.code).toBe('query_private')
    expect((await agent.memory.search('harbours and ferries')).notice?.code).toBe('vectors_private')
    expect((await agent.memory.status()).problems.map(({ code }) => code)).toContain('passages_local')
    const embedded = sentTo(open)
    expect(embedded).toContain('Public fact 7')
    expect(embedded).toContain('harbours and ferries')
    for (const secret of ['shadow on the left', '84,300', 'Money']) expect(embedded).not.toContain(secret)
  })
})

const memory =
  '# Memory\n\n## Codes ^[local]\n\n- The bike opens with SECRET-8841\n- short\n\n## Places\n\n- The harbour opens at seven\n'
const whole = '---\nvisibility: local\n---\nThe safe opens with 93417 and a key\n'
const files = { 'MEMORY.md': memory, 'private.md': whole, 'memory/own.md': whole }
const hidden = redactionPlaceholder

describe('partly private notes', () => {
  it('an open chat finds and lists the visible part', async () => {
    const { results, agent } = await openBoth({
      files: { 'mixed.md': 'The shed of Ada is green\n\nIts lock opens with 20417 ^[local]\n', 'private.md': whole },
    })
    await agent.memory.settle(10_000)
    const told = await results(
      call('memory_search', { query: 'shed of Ada', minScore: 0 }),
      call('memory_search', { query: 'lock opens 20417', minScore: 0 }),
      call('list', {}),
    )
    expect(told[0]).toContain('The shed of Ada is green')
    expect(told[0]).not.toMatch(/20417|Its lock/)
    expect(told[1]).toBe('No note answers this.\nEmbeddings: none')
    expect(told[2]).toContain('mixed.md (')
  })
})

describe('guesses', () => {
  it('an edit gives the same answer for hidden text and for missing text', async () => {
    const { results, read } = await openBoth({ files })
    const guesses = (right: string, wrong: string) => [right, wrong]
    const asked = [
      (oldText: string) => call('edit', { path: 'private.md', oldText, newText: 'x' }),
      (oldText: string) => call('edit', { path: 'MEMORY.md', oldText, newText: 'x' }),
      (text: string) => call('write', { path: 'MEMORY.md', content: memory.replace('SECRET-8841', text) }),
      (text: string) => call('write', { path: 'MEMORY.md', content: `${memory}\n- ${text}` }),
    ]
    for (const [at, ask] of asked.entries()) {
      for (const [right, wrong] of [
        guesses('9341', '9342'),
        guesses('SECRET-8841', 'SECRET-8842'),
        guesses('short', 'snort'),
      ]) {
        const told = await results(ask(right ?? ''), ask(wrong ?? ''))
        expect(told[0]?.replaceAll(right ?? '', ''), `${at} ${right}`).toBe(told[1]?.replaceAll(wrong ?? '', ''))
        expect(told[0]).toMatch(/edit_no_match|file_not_found|private_lines/)
      }
    }
    expect(await read('MEMORY.md')).toBe(memory)
    expect(await read('private.md')).toBe(whole)
  })

  it('a private note gives the same answer as a missing one', async () => {
    const { results } = await openBoth({ files: { ...files, 'vault/x.md': 'Of the vault\n' }, rules: ['vault'] })
    const asked = (path: string) => [
      call('read', { path }),
      call('memory_get', { path }),
      call('edit', { path, oldText: 'a', newText: 'b' }),
      call('list', { path }),
    ]
    const there = await results(...asked('private.md'), ...asked('vault/x.md'), call('list', { path: 'vault' }))
    const nowhere = await results(...asked('nobody.md'), ...asked('vault/n.md'), call('list', { path: 'nowhere' }))
    const named = nowhere.map((text) => text.replaceAll('nobody.md', 'private.md').replaceAll('n.md', 'x.md'))
    expect(there).toEqual(named)
    const [list] = await results(call('list', {}))
    expect(list).toContain('MEMORY.md (')
    expect(list).not.toMatch(/private|vault|own\.md|\d+ more/)
  })

  it('writes an edit of visible text and keeps the hidden text unchanged', async () => {
    const { results, read } = await openBoth({ files })
    const told = await results(
      call('edit', { path: 'MEMORY.md', oldText: 'at seven', newText: 'at eight' }),
      call('edit', { path: 'MEMORY.md', oldText: `${hidden}\n\n## Places`, newText: '## Places' }),
      call('edit', { path: 'MEMORY.md', oldText: '# Memory\n', newText: '# Memory\n\nOf us.\n' }),
      call('write', {
        path: 'MEMORY.md',
        content: `# Mine\n\n${hidden}\n\n${hidden}\n${hidden}\n\n## Places\n`,
      }),
      call('write', {
        path: 'MEMORY.md',
        content: `# Mine\n\n## Open\n\n${hidden}\n\n## Now\n\n${hidden}\n${hidden}\n`,
      }),
    )
    expect(told.map((text) => text.startsWith('private_lines'))).toEqual([false, true, false, false, true])
    expect(await read('MEMORY.md')).toBe(
      '# Mine\n\n## Codes ^[local]\n\n- The bike opens with SECRET-8841\n- short\n\n## Places\n',
    )
  })
})
