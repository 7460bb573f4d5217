import { execFileSync } from 'node:child_process'
import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SettingsStore } from '../../../src/main/platform/config/settings-store.ts'
import { temporaryFolder, until } from '../../support/folder.ts'

async function openStore(file: string): Promise<SettingsStore> {
  const store = await SettingsStore.open(file)
  onTestFinished(() => store.close())
  return store
}

describe('unreadable configuration', () => {
  it.each<[string, (file: string) => Promise<unknown>, RegExp]>([
    ['a hundred megabytes', (file) => writeFile(file, '').then(() => truncate(file, 100_000_000)), /96 MB/],
    ['a pipe', async (file) => (await rm(file), execFileSync('mkfifo', [file])), /not a regular file/],
    ['a file that is not UTF-8', (file) => writeFile(file, Buffer.from('# \xff\xfe\n', 'latin1')), /not UTF-8/],
  ])(
    '%s: keeps the last valid configuration and reports the problem; saving works afterwards',
    async (_name, spoil, message) => {
      const file = join(await temporaryFolder(), 'config.yaml')
      await writeFile(file, 'interface: { theme: dark }\n')
      const store = await openStore(file)
      await spoil(file)
      await until(() => store.problems.length > 0)
      expect(store.problems).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
      expect(store.config.interface.theme).toBe('dark')
      await expect(store.set([['interface', 'theme'], 'light'])).rejects.toThrow()
      await rm(file)
      await writeFile(file, 'interface: { theme: light }\n')
      await until(() => store.problems.length === 0)
      expect(store.config.interface.theme).toBe('light')
    },
  )
})

describe('a start with a broken file', () => {
  const valid = 'interface: { theme: dark }\nagents: { list: [{ id: main, workspace: /notes }] }\n'

  async function reopen(spoilt: string) {
    const file = join(await temporaryFolder(), 'config.yaml')
    await writeFile(file, valid)
    const first = await SettingsStore.open(file)
    first.close()
    await writeFile(file, spoilt)
    return openStore(file)
  }

  it.each([
    ['wrong YAML', 'interface: { theme: dark\nagents: [', 2],
    ['a wrong value', 'interface:\n  theme: purple\n', 2],
    ['an empty file', '', null],
  ])('uses the last valid settings for %s, and names the problem', async (_name, spoilt, line) => {
    const store = await reopen(spoilt)
    expect(store.config.interface.theme).toBe('dark')
    expect(store.hasBeenRead).toBe(true)
    expect(store.problems[0]?.line).toBe(line)
    expect(store.lastGood).toBe(valid)
    expect(await store.source()).toBe(spoilt)
    await store.save(valid, spoilt)
    expect(store.problems).toEqual([])
    expect(await store.source()).toBe(valid)
  })

  it('reports an empty file that was never valid, and uses the defaults for a missing one', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'config.yaml')
    const missing = await SettingsStore.open(file)
    missing.close()
    expect(missing.problems).toEqual([])
    await writeFile(file, '')
    const empty = await SettingsStore.open(file)
    empty.close()
    expect(empty.problems).toEqual([expect.objectContaining({ message: expect.stringContaining('empty') })])
    expect(empty.lastGood).toBeUndefined()
    expect(empty.hasBeenRead).toBe(true)
  })
})

describe('removing a value', () => {
  it('removes empty maps and keeps every other entry and comment', async () => {
    const file = join(await temporaryFolder(), 'config.yaml')
    const agents = 'agents:\n  list:\n    - { id: main }\n'
    await writeFile(file, `${agents}  defaults:\n    memory:\n      search: { minScore: 0.2 }\n`)
    const store = await openStore(file)
    await store.set([['agents', 'defaults', 'memory', 'search', 'minScore'], undefined])
    expect(await store.source()).toBe(agents)
    await store.set([['interface', 'theme'], 'dark'])
    await store.set([['interface', 'theme'], undefined])
    expect(await store.source()).toBe(agents)
    await writeFile(file, `# mine\ninterface:\n  # why\n  theme: dark\n  locale: en\n`)
    await until(() => store.config.interface.theme === 'dark')
    await store.set([['interface', 'theme'], undefined])
    expect(await store.source()).toContain('# mine')
    expect(store.config.interface.locale).toBe('en')
  })
})

describe('visibility.private and its older name visibility.local', () => {
  const rulesPath = ['agents', 'list', 0, 'visibility', 'private']

  async function openWith(visibility: string, ofAll = '') {
    const file = join(await temporaryFolder(), 'config.yaml')
    await writeFile(file, `agents:\n${ofAll}  list:\n    - id: main\n      visibility:\n${visibility}`)
    const store = await openStore(file)
    return { store, rules: () => store.config.agents.list[0]?.visibility.private }
  }

  it('joins both lists', async () => {
    const { store, rules } = await openWith('        local: [private/, a.md]\n')
    expect(rules()).toEqual(['private/', 'a.md'])
    expect([store.problems, store.ignoredKeys]).toEqual([[], []])
    const both = await openWith('        private: [b/, a.md]\n        local: [private/, a.md]\n')
    expect(both.rules()).toEqual(['b/', 'a.md', 'private/'])
    expect(both.store.config.agents.list[0]?.visibility).not.toHaveProperty('local')
  })

  it('joins both lists in visibility.private when a change is saved', async () => {
    const { store, rules } = await openWith(
      '        private:\n          - b/ # of Ada\n          - c/ # old name\n        local: [private/, a.md, d/]\n',
    )
    await store.set([rulesPath, ['b/', 'new/', 'private/', 'd/']])
    expect(rules()).toEqual(['b/', 'new/', 'private/', 'd/'])
    const text = await store.source()
    expect(text).toContain('private:\n          - b/ # of Ada\n          - new/')
    expect(text).not.toContain('local')
  })

  it.each(['private: [a.md]', 'private: [a.md]\n        local: [b/]'])('removes %j', async (lists) => {
    const { store, rules } = await openWith(`        ${lists}\n`)
    await store.set([rulesPath, undefined])
    expect(rules()).toEqual([])
    expect(await store.source()).not.toContain('a.md')
  })

  it('removes an inherited entry for one agent only', async () => {
    const { store, rules } = await openWith(
      '        private: [b/]\n',
      '  defaults: { visibility: { local: [private/, a/] } }\n',
    )
    expect(rules()).toEqual(['b/', 'private/', 'a/'])
    await store.set([rulesPath, ['b/', 'a/']])
    expect(rules()).toEqual(['b/', 'a/'])
    expect(store.config.agents.defaults.visibility.private).toEqual(['private/', 'a/'])
  })
})
