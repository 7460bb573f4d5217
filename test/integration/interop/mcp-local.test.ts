/** MCP tools do not reveal private text to guesses. */
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { openTestServer } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { until } from '../../support/folder.ts'
import { connectBoth, connectClient, textOf } from '../../support/mcp-clients.ts'

const files = {
  'pin.md': '---\nvisibility: local\n---\nThe safe opens with 93417\n',
  'private/gate.md': 'The gate opens with 55120\n',
  'MEMORY.md':
    '# Memory\n\n## Codes ^[local]\n\n- The bike opens with 8841\n\n## Places\n\n- The harbour opens at seven\n',
  'mixed.md': 'The shed is green\n\nIt opens with 20417 ^[local]\n',
  'open.md': '# Open\n\nThe shop opens at nine\n',
}

async function open(more: Readonly<Record<string, string>> = {}) {
  const server = await openTestServer({
    files: { ...files, ...more },
    config: `agents:
  list:
    - { id: main, workspace: "{{workspace}}" }
  defaults: { visibility: { local: [private/] }, memory: { scope: workspace, embedding: { provider: none } } }
`,
  })
  const app = await connect(server.url)
  const { token } = await app.clients.issueToken({ client: 'remote', name: 'Remote', agent: 'main' })
  const { limits } = await app.clients.meet({ client: 'remote', name: 'Remote' })
  await app.clients.update({ client: 'remote', limits: { ...limits, callsPerMinute: 10_000 } })
  await app.search.settle({ agent: 'main' })
  const { call, client } = await connectBoth({ url: new URL('/mcp', server.url).href, token })
  const explain = (query: string, why?: { path: string; line: number }) =>
    app.search.explain({ agent: 'main', query, forProgram: 'remote', ...(why && { why }) })
  const read = (path: string) => readFile(join(server.workspace, path), 'utf8')
  return { ...server, app, call, client, explain, read }
}

it('an explanation does not reveal if words match a local line', async () => {
  const { call, explain } = await open()
  for (const [path, line, right] of [
    ['pin.md', 4, '93417'],
    ['private/gate.md', 1, '55120'],
    ['MEMORY.md', 5, '8841'],
    ['mixed.md', 1, '20417'],
    ['mixed.md', 3, '20417'],
  ] as const) {
    const explained = async (query: string) => {
      const { why, candidates } = await explain(query, { path, line })
      return { why, candidates }
    }
    const [guessed, missed] = [await explained(right), await explained('11111')]
    expect(guessed, path).toEqual(missed)
    expect(guessed.why).toMatchObject({ rank: null, reason: 'private' })
    for (const { text, matched } of guessed.candidates) expect([text?.raw, matched]).toEqual([0, []])
    const asked = async (query: string) => {
      const answer = await call('memory_search', { query, minScore: 0, why: true })
      return [textOf(answer), answer.structuredContent]
    }
    expect(await asked(right), path).toEqual(await asked('11111'))
  }
  expect((await explain('shop', { path: 'open.md', line: 3 })).why).toMatchObject({ rank: 1, reason: 'returned' })

  // Ranks of visible results have no gaps for hidden ones.
  const { structuredContent } = await call('memory_search', { query: 'opens with', why: true })
  const candidates = (structuredContent?.['candidates'] ?? []) as { path: string; verdict: string }[]
  expect(candidates.map(({ path }) => path)).toContain('open.md')
  const returned = candidates.flatMap(({ verdict }) => /^returned as #(\d+)$/.exec(verdict)?.[1] ?? [])
  expect(returned.map(Number)).toEqual(returned.map((_, at) => at + 1))
})

const kumquats = 'private/fruit.md'
const filler = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [`notes/n${at}.md`, `# Note ${at}\n\nThe ferry of day ${at} is green\n`]),
)

it('a word that exists only in local text gives the same answer as an unknown word', async () => {
  const { call, explain: explainAll } = await open({
    ...filler,
    [kumquats]: 'The kumquat is ripe, the ferry green\n'.repeat(30),
    'mixed2.md': 'A ferry to the island\n\nThe kumquat ferry is for the cabinet ^[local]\n',
  })
  const explain = async (query: string) => {
    const { candidates, conditions } = await explainAll(query)
    return JSON.stringify([candidates, conditions]).replaceAll(/kumquat|kumqat|zumquit|zumqit/g, 'X')
  }
  const search = async (query: string) => {
    const answer = await call('memory_search', { query, minScore: 0, maxResults: 50 })
    return textOf(answer).replaceAll(/kumquat|kumqat|zumquit|zumqit/g, 'X')
  }
  for (const [known, nowhere] of [
    ['ferry kumquat green', 'ferry zumquit green'],
    ['green kumqat ferry', 'green zumqit ferry'],
    ['"kumquat ferry"', '"zumquit ferry"'],
  ] as const) {
    expect(await explain(known)).toBe(await explain(nowhere))
    expect(await search(known)).toBe(await search(nowhere))
  }
  expect(await explain('ferry kumquat green')).toContain('notes/n3.md')
})

it('scores equal those of a memory without the local notes', async () => {
  const found = async (more: Readonly<Record<string, string>>) => {
    const { explain } = await open({ ...filler, ...more })
    return (await explain('which ferry is green')).candidates.map(({ path, score }) => `${path} ${score.toFixed(3)}`)
  }
  const alone = await found({})
  expect(alone.length).toBeGreaterThan(5)
  expect(await found({ [kumquats]: 'Which ferry is green, and which is blue?\n'.repeat(200) })).toEqual(alone)
})

it('guesses do not find a name, an alias or a successor in private lines of the front matter', async () => {
  const { call, app, explain } = await open({
    ...filler,
    'plan.md': `---
title: Kumquat ^[local]
aliases:
  - durian ^[local]
  - lemon
status: rambutan ^[local]
---

# Plan

The ferry is green
`,
    'page.md': 'title:: mangosteen ^[local]\n\nThe ferry is blue\n',
    'old.md': '---\nsuperseded: { until: 2026-01-01, by: new.md } ^[local]\n---\n\n# Old\n\nThe old ferry is red\n',
    'new.md': 'Nobody wants cherimoya\n',
  })
  const right = ['kumquat', 'durian', 'mangosteen', 'rambutan']
  const words = right.flatMap((word) => [word, `${word}s`, word.slice(0, -1)])
  for (let at = words.length; at < 16; at += 1) words.push(`zq${String.fromCharCode(97 + (at % 26), 97 + (at % 7))}xo`)
  const asked = async (query: string) => {
    const { why, candidates } = await explain(query, { path: 'plan.md', line: 11 })
    const answers = [
      await call('memory_search', { query, minScore: 0, maxResults: 50 }),
      await call('search', { query }),
    ]
    return JSON.stringify([why, candidates, ...answers.map(textOf)])
  }
  for (const query of [
    (word: string) => `ferry ${word} green`,
    (word: string) => word,
    (word: string) => `old ${word}`,
  ]) {
    const told = new Set<string>()
    for (const word of words) told.add((await asked(query(word))).replaceAll(word, 'X'))
    expect(told.size).toBe(1)
  }
  const old = JSON.stringify((await call('memory_search', { query: 'old ferry red', minScore: 0 })).content)
  expect(old).toContain('The old ferry is red')
  expect(old).not.toMatch(/until 2026|new\.md|cherimoya/)
  // The owner finds the note by its private names.
  const found = await app.search.query({ agent: 'main', query: 'kumquat', options: { minScore: 0 } })
  expect(found.results[0]).toMatchObject({ path: 'plan.md', title: 'Kumquat' })
}, 120_000)

it('finds and lists the visible part of a partly local note', async () => {
  const { call, client } = await open()
  const shed = textOf(await call('memory_search', { query: 'shed green', minScore: 0 }))
  expect(shed).toMatch(/\nmixed\.md:1 · \d\.\d\d · The shed is green/)
  expect(shed).not.toMatch(/20417|It opens/)
  const harbour = textOf(await call('memory_search', { query: 'harbour opens at seven', minScore: 0 }))
  expect(harbour).toMatch(/\nMEMORY\.md:\d+ · 0\.\d\d · The harbour opens at seven/)
  expect(harbour).not.toMatch(/8841|Codes/)
  const { resources } = await client.listResources()
  const listed = resources.map(({ name }: { name: string }) => name)
  expect(listed).toEqual(expect.arrayContaining(['MEMORY.md', 'mixed.md', 'open.md']))
  expect(listed).not.toEqual(expect.arrayContaining(['pin.md']))
  expect(listed).not.toEqual(expect.arrayContaining(['private/gate.md']))
})

it('a local note and a missing note give the same answer', async () => {
  const { call, client } = await open()
  const asked = async (path: string) => {
    const answers = [
      await call('memory_get', { path }),
      await call('fetch', { id: `${path}:1` }),
      await client.readResource({ uri: `note://${path}` }).catch((error: unknown) => String(error)),
    ]
    return JSON.stringify(answers).replaceAll(path, 'X')
  }
  const nowhere = await asked('nobody.md')
  expect(nowhere).toContain('X does not exist')
  for (const path of ['pin.md', 'private/gate.md', 'private/nobody.md']) expect(await asked(path), path).toBe(nowhere)
})

it('an HTTP listener gets no event for a local note; a program with a local model does', async () => {
  const { app, client, url, read, workspace } = await open()
  await app.clients.update({ client: 'remote', permission: 'write' })
  const { token } = await app.clients.issueToken({ client: 'here', name: 'Here', agent: 'main' })
  await app.clients.update({ client: 'here', hasFullAccess: true })
  const near = await connectClient('v2', { url: new URL('/mcp', url).href, token })
  const listen = async (listener: typeof client) => {
    if (!(listener instanceof Client)) throw new Error('another client')
    const told = new Set<string>()
    listener.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.add(params.uri))
    await listener.listen({ resourceSubscriptions: ['note://pin.md', 'note://open.md'] })
    return told
  }
  const [far, here] = [await listen(client), await listen(near.client)]
  await appendFile(join(workspace, 'pin.md'), 'More\n')
  await until(() => here.has('note://pin.md'), 15_000)
  await appendFile(join(workspace, 'open.md'), 'More\n')
  await until(() => here.has('note://open.md') && far.has('note://open.md'), 15_000)
  expect([...far]).toEqual(['note://open.md'])
  expect(await read('pin.md')).toContain('More')
})

it('reveals nothing about deleted text, and of current text only the visible part', async () => {
  const { call, app, workspace } = await open({ 'gone.md': '# Gone\n\nThe lawyer is zorblax\n' })
  const recent = async () => textOf(await call('memory_recent'))
  const recorded = async () => (await app.history.timeline({ agent: 'main' })).length
  /** One external change, recorded separately. */
  const step = async (path: string, text: string | undefined) => {
    const before = await recorded()
    if (text === undefined) await rm(join(workspace, path))
    else await writeFile(join(workspace, path), text)
    await app.search.settle({ agent: 'main' })
    await until(async () => (await recorded()) > before, 30_000)
  }
  await until(async () => (await recorded()) > 0, 15_000)
  await step('list.md', '# List\n\n- the first plumbus stays\n- the doctor is quuxley ^[local]\n')
  await step('list.md', '# List\n\n- the first plumbus stays\n')
  await step('more.md', '# More\n\n- the open frobnitz\n- a word that goes: wibblefy\n')
  await step('more.md', '# More\n\n- the open frobnitz\n')
  await step('pin.md', undefined)
  await step('gone.md', undefined)
  const told = await recent()
  expect(told).not.toMatch(/quuxley|93417|pin\.md|zorblax|gone\.md|wibblefy/)
  expect(told).toMatch(/ · list\.md · /)
  expect(told).toContain('the first plumbus stays')
  expect(told).toContain('the open frobnitz')
  await app.clients.update({ client: 'remote', hasFullAccess: true })
  expect(await recent()).toMatch(/quuxley.*wibblefy|wibblefy.*quuxley/s)
}, 120_000)

it('memory_get and fetch read an open chat by its path, and no private one', async () => {
  const { app, call } = await open()
  const say = async (isPrivate: boolean) => {
    const { session } = await app.chat.send({ agent: 'main', text: 'The walrus sleeps in the attic.', isPrivate })
    const path = `sessions/${session}.jsonl`
    const answers = async () =>
      [await call('memory_get', { path }), await call('fetch', { id: `${path}:1` })].map(textOf)
    return { session, answers }
  }
  const openChat = await say(false)
  await until(async () => (await openChat.answers()).every((text) => text.includes('walrus')))
  const privateChat = await say(true)
  const missing = `sessions/${privateChat.session}.jsonl does not exist. Call memory_search to find where it is now.`
  expect(await privateChat.answers()).toEqual([missing, missing])
  expect(textOf(await call('memory_search', { query: 'walrus attic', minScore: 0 }))).not.toContain('sessions/')
})
