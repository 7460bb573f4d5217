import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { openTestApp, openTestServer } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { temporaryFolder, until, writeFiles } from '../../support/folder.ts'
import { connectClient } from '../../support/mcp-clients.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'
import { runImport } from '../../support/import.ts'

const secret = 'The kumquat ledger is behind the boiler.'
const harmless = 'The harbour opens at seven.'
const call = (name: string, input: object): ScriptedAnswer => ({ calls: [{ name, arguments: input }] })

async function openPlaces(ruleOf: (root: string) => string) {
  const root = await realpath(await temporaryFolder())
  const extra = join(root, 'ext')
  await writeFiles(root, { 'ext/real/deep/d.md': `# D\n\n${secret}\n`, 'ext/open.md': `# Open\n\n${harmless}\n` })
  await symlink('real/deep', join(extra, 'lnk'))
  await symlink(extra, join(root, 'other'))
  const remote = await startModelServer({ text: 'ok' })
  const config = `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
agents:
  defaults:
    model: anthropic/claude-test
    visibility: { local: ${JSON.stringify([ruleOf(root)])} }
    memory: { extraPaths: [${JSON.stringify(extra)}], embedding: { provider: openai-compatible, model: hashed, baseUrl: "${remote.openAiUrl}", reach: remote } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`
  const server = await openTestServer({ config, env: { ANTHROPIC_API_KEY: 'sk-test-key' } })
  const app = await connect(server.url)
  const { token } = await app.clients.issueToken({ client: 'remote', name: 'Remote', agent: 'main' })
  await app.search.settle({ agent: 'main' })
  const mcp = await connectClient('v2', { url: new URL('/mcp', server.url).href, token })
  return { client: app, extra, remote, mcp }
}

describe('rules with places on disk', () => {
  it.each([
    ['a folder', (root: string) => `${root}/ext/real/`],
    ['a link to it', (root: string) => `${root}/other/real/`],
  ])('a rule for %s covers an extra folder in every request', async (_name, ruleOf) => {
    const { mcp, extra, remote, client } = await openPlaces(ruleOf)
    const paths = [join(extra, 'real/deep/d.md'), join(extra, 'lnk/d.md'), `${extra}/real//deep/d.md`]
    const answers = await Promise.all([
      mcp.call('memory_search', { query: 'kumquat ledger boiler', minScore: 0 }),
      mcp.call('memory_search', { query: 'ledger', minScore: 0, why: true }),
      ...paths.map((path) => mcp.call('memory_get', { path })),
    ])
    expect(JSON.stringify(answers)).not.toContain('behind the boiler')
    expect(JSON.stringify(await mcp.client.listResources())).not.toContain('d.md')
    remote.script = [
      call('memory_search', { query: 'ledger behind something', minScore: 0 }),
      ...paths.flatMap((path) => [call('read', { path }), call('memory_get', { path })]),
      { text: 'done' },
    ]
    await client.chat.send({ agent: 'main', text: 'What do you know?' })
    await until(async () => remote.requests.some(({ text }) => (text.match(/"tool_result"/g) ?? []).length > 6))
    expect(remote.requests.length).toBeGreaterThan(7)
    for (const { text } of remote.requests) expect(text).not.toContain('behind the boiler')
  })

  it('finds and reads notes of an extra folder without a rule', async () => {
    const { mcp, extra } = await openPlaces(() => 'real/')
    expect(JSON.stringify(await mcp.call('memory_get', { path: join(extra, 'lnk/d.md') }))).toContain('boiler')
    expect(JSON.stringify(await mcp.call('memory_search', { query: 'ledger', minScore: 0 }))).toContain('boiler')
  })
})

const config = (rules: string, second: string) => `agents:
  defaults: { memory: { embedding: { provider: none } } }
  list:
    - { id: main, workspace: "{{workspace}}", visibility: { local: [${rules}] } }
    - { id: other, workspace: ${JSON.stringify(second)} }
`

async function openTwo(rules: string) {
  const second = join(await realpath(await temporaryFolder()), 'other')
  await mkdir(second)
  const files = {
    'secret/d.md': `${secret}\n`,
    'secret/all.md': `---\nvisibility: all\ntags: x\n---\n${secret}\n`,
    'open.md': `![[secret/d]]\n\n${harmless}\n`,
  }
  const test = await openTestApp({ files, config: config(rules, second), watch: true })
  const [main, other] = await Promise.all([test.app.agents.get('main'), test.app.agents.get('other')])
  const isLocal = async (agent: typeof main, path: string) => {
    await agent.memory.settle(10_000)
    const { privacy } = (await agent.listFiles()).find((file) => file.path === path) ?? {}
    return privacy?.isWhole === true
  }
  return { ...test, main, other, isLocal }
}

describe('copies of local notes', () => {
  it('a rule for a link covers its target', async () => {
    const { main, workspace, isLocal } = await openTwo('lnk/')
    await symlink('secret', join(workspace, 'lnk'))
    expect(await isLocal(main, 'secret/d.md')).toBe(true)
    expect(main.marks().of('secret/d.md', '').isFullyPrivate).toBe(true)
    expect(await isLocal(main, 'open.md')).toBe(false)
    await main.workspace.runTransaction({ move: { from: 'secret', to: 'moved' } }, [], { cause: 'user' })
    expect(await isLocal(main, 'moved/d.md')).toBe(true)
  })

  it('marks exported notes of a local folder, so that they are local after import', async () => {
    const { main, other, isLocal, home } = await openTwo('secret/')
    for (const [name, blob] of [
      ['all.zip', await main.importer.pack()],
      ['one.zip', await main.importer.packNote('open.md')],
    ] as const) {
      const bytes = new Uint8Array(await blob.arrayBuffer())
      const entries = unzipSync(bytes)
      const note = (path: string) => Buffer.from(entries[path] ?? []).toString()
      expect(note('secret/d.md')).toBe(`---\nvisibility: private\n---\n\n${secret}\n`)
      expect(note('open.md')).toBe(`![[secret/d]]\n\n${harmless}\n`)
      if (name === 'all.zip') expect(note('secret/all.md')).toBe(`---\ntags: x\nvisibility: private\n---\n${secret}\n`)
      const path = join(home, name)
      await writeFile(path, bytes)
      for (const agent of [main, other]) {
        await runImport(agent.importer, { path, into: `back-${name}`, withAttachments: true })
        expect([
          await isLocal(agent, `back-${name}/secret/d.md`),
          await isLocal(agent, `back-${name}/open.md`),
        ]).toEqual([true, false])
      }
    }
  })

  it('marks notes that are imported from a local folder of another agent, by any path', async () => {
    const { other, isLocal, workspace, home } = await openTwo('secret/')
    await symlink(workspace, join(home, 'way'))
    for (const [path, into, made] of [
      [workspace, 'a', 'a/secret/d.md'],
      [join(workspace, 'secret'), 'b', 'b/d.md'],
      [join(home, 'way/secret/d.md'), 'c', 'c/d.md'],
    ] as const) {
      await runImport(other.importer, { path, into, withAttachments: false })
      expect(await isLocal(other, made), made).toBe(true)
    }
    expect(await isLocal(other, 'a/open.md')).toBe(false)
  })
})
