/** Takes over configuration files of Clawdbot and OpenClaw through the API of the running app. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestApp, type TestAppOptions } from '../../support/app.ts'
import { folderWith } from '../../support/folder.ts'

const config = `# My settings
agents:
  list:
    - { id: main, workspace: "{{workspace}}" } # the only one
  defaults:
    memory: { embedding: { provider: none } } # words only
`

async function openHome(files: Readonly<Record<string, string>>, options: TestAppOptions = {}) {
  const home = await folderWith(files)
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const test = await openTestApp({ config, ...options })
  const { client } = test
  const configText = () => readFile(join(test.home, 'config.yaml'), 'utf8')
  const plans = (folder?: string) => client.import.settings(folder === undefined ? {} : { folder })
  const takeOver = (file: string, keys: readonly string[]) => client.import.takeOver({ file, keys: [...keys] })
  return {
    ...test,
    userHome: home,
    configText,
    plans,
    takeOver,
    current: () => test.app.agents.configOf('main').current,
  }
}

const agentYaml = `agents:
  main: # the first
    workspace: ~/clawd
    memory:
      embeddingProvider: gemini
      embeddingModel: gemini-embedding-001
      chunkSize: 300
      chunkOverlap: 60
      searchWeights: { vector: 0.6, keyword: 0.4 }
`
const pruningYaml = `agent:
  contextPruning:
    ttl: "900"
    softTrim: { maxChars: 3000 }
`
const agentKey = 'agents.list.0'

/** Key of the file below `agents.main`, key in the app below the agent, and value. */
const counterparts = [
  ['workspace', 'workspace', '~/clawd'],
  ['memory.embeddingProvider', 'memory.embedding.provider', 'gemini'],
  ['memory.embeddingModel', 'memory.embedding.model', 'gemini-embedding-001'],
  ['memory.chunkSize', 'memory.chunking.tokens', '300'],
  ['memory.chunkOverlap', 'memory.chunking.overlap', '60'],
  ['memory.searchWeights.vector', 'memory.search.weights.vector', '0.6'],
  ['memory.searchWeights.keyword', 'memory.search.weights.text', '0.4'],
] as const

function valueAt(root: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((node, step) => Object(node)[step], root)
}

describe('settings of Clawdbot', () => {
  it('has a counterpart for each key of a file, and undoes the whole', async () => {
    const { app, plans, takeOver, configText, client, userHome, current } = await openHome({
      '.clawdbot/clawdbot.yaml': agentYaml,
    })
    const before = await configText()
    const [plan] = await plans()
    expect(plan?.file).toBe(join(userHome, '.clawdbot/clawdbot.yaml'))
    expect(plan?.left).toEqual([])
    const rows = plan?.taken.map((entry) => [entry.from, entry.to, entry.value])
    for (const [key, target, value] of counterparts)
      expect(rows).toContainEqual([`agents.main.${key}`, `${agentKey}.${target}`, value])
    // The folder of the workspace would have to exist to be opened.
    const chosen = counterparts.map(([key]) => `agents.main.${key}`).slice(1)
    let reloads = 0
    app.settings.changes.subscribe(() => (reloads += 1))
    const done = await takeOver(plan?.file ?? '', chosen)
    expect(reloads).toBe(1)
    expect(app.settings.problems).toEqual([])
    expect(app.settings.ignoredKeys).toEqual([])
    for (const [, target, value] of counterparts.slice(1))
      expect(String(valueAt(current(), target)), target).toBe(value)
    expect(await configText()).toBe(done.change.after)
    expect(done.change.after).toContain('# the only one')
    await client.settings.undo(done.change)
    expect(await configText()).toBe(before)
    expect(current().compaction.reserveTokensFloor).toBe(20_000)
    expect(current().memory.chunking.unit).toBe('entry')
  })

  it('finds the settings of the folder that is to be opened first, and opens the folder of the file if it is chosen', async () => {
    const { app, plans, takeOver, userHome } = await openHome(
      {
        '.clawdbot/clawdbot.yaml': agentYaml,
        'clawd/notes/a.md': '',
        'clawd/clawdbot.json': '{ "agent": { "thinkingDefault": "low" } }',
      },
      { config: '' },
    )
    expect(await plans()).toHaveLength(1)
    expect((await plans('~/clawd/notes'))[1]?.file).toBe(join(userHome, 'clawd/clawdbot.json'))
    expect((await plans('~/other'))[0]?.taken[0]).toMatchObject({ doubts: ['folder'] })
    const [plan] = await plans('~/clawd')
    expect(plan?.taken[0]).toMatchObject({ to: `${agentKey}.workspace`, doubts: [] })
    const done = await takeOver(plan?.file ?? '', ['agents.main.workspace', 'agents.main.memory.chunkSize'])
    expect(done.left).toEqual([])
    expect(app.agents.workspaceOf('main')).toBe(join(userHome, 'clawd'))
    expect(app.agents.configOf('main').current.memory.chunking).toEqual({ unit: 'tokens', tokens: 300, overlap: 80 })
  })

  it('undoes on top of a later change, and refuses where both changed the same line', async () => {
    const { plans, takeOver, configText, client, app } = await openHome({ '.clawdbot/clawdbot.yaml': pruningYaml })
    const [plan] = await plans()
    const before = await configText()
    const done = await takeOver(plan?.file ?? '', plan?.taken.map(({ from }) => from) ?? [])
    await app.settings.set([['agents', 'list', 0, 'name'], 'Memo'])
    await client.settings.undo(done.change)
    expect(await configText()).toBe(before.replace('" }', '", name: Memo }'))
    const again = await takeOver(plan?.file ?? '', ['agent.contextPruning.ttl'])
    await app.settings.set([['agents', 'defaults', 'contextPruning', 'ttl'], '5m'])
    const refused = client.settings.undo(again.change)
    await expect(refused).rejects.toMatchObject({ code: 'file_changed' })
  })
})
