/** The long-term memory can be MEMORY.md, Memory.md or memory.md. */
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp, plainConfig } from '../../support/app.ts'
import { folderWith, until, writeFiles } from '../../support/folder.ts'

interface Options {
  readonly files: Readonly<Record<string, string>>
  readonly own?: string
  readonly config?: string
  readonly watch?: boolean
}

async function open({ files, own, config = plainConfig, watch = false }: Options) {
  const folder = await folderWith(files)
  const test = await openTestApp({ config, watch, now: () => new Date(2026, 0, 20, 10, 30) })
  const setUp = { agent: 'main', workspace: folder, locale: 'en', seed: true, ...(own === undefined ? {} : { own }) }
  const { created } = await test.client.agents.setUp({ ...setUp, locale: 'en' })
  const agent = await test.app.agents.get('main')
  await agent.memory.settle(10_000)
  return {
    ...test,
    folder,
    created,
    agent,
    text: (path: string) => readFile(join(folder, path), 'utf8'),
    namesIn: async (path = '') =>
      (await readdir(join(folder, path))).filter((name) => /^memory\.md$/i.test(name)).sort(),
    problems: () => test.app.health.problems('main').filter(({ code }) => code === 'long_term_files'),
  }
}

const fact = '# Long-term memory\n\n## People\n\n- Ada keeps the walrus\n'

describe.each(['Memory.md', 'memory.md'])('a workspace with %s', (name) => {
  it('has no second long-term memory after its setup, and the templates name the file', async () => {
    const { created, namesIn, text, problems } = await open({ files: { [name]: fact } })
    expect(created).toEqual(['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'USER.md'])
    expect(await namesIn()).toEqual([name])
    expect(await text('AGENTS.md')).toContain(`\`${name}\``)
    expect(problems()).toEqual([])
  })

  it('reads and writes this file as the long-term memory', async () => {
    const { agent, client, namesIn, text } = await open({ files: { [name]: fact } })
    const kinds = (await agent.listFiles()).filter(({ kind }) => kind === 'memory').map(({ path }) => path)
    expect(kinds).toEqual([name])
    const { items } = await agent.chat.meter.report(undefined, undefined)
    expect(items.map(({ layer, name: item }) => `${layer} ${item}`)).toContain(`project ${name}`)
    const { path } = await client.workspace.remember({ agent: 'main', text: 'Otto feeds it', section: 'People' })
    expect(path).toBe(name)
    expect(await text(name)).toBe(`${fact}- Otto feeds it\n`)
    expect(await namesIn()).toEqual([name])
    const { ended } = await agent.chat.send({ text: 'Hello' })
    await ended
    const kept = await client.conventions.of({ agent: 'main' })
    expect(kept.longTermFiles).toEqual([name])
  })

  it('keeps the name in the folder of the agent’s files, and when they move there', async () => {
    const files = { [`agent/${name}`]: fact, 'note.md': 'A note.\n' }
    const inFolder = await open({ files, own: 'agent' })
    expect(inFolder.created).toEqual(['agent/AGENTS.md', 'agent/SOUL.md', 'agent/TOOLS.md', 'agent/USER.md'])
    expect(inFolder.agent.workspace.layout).toMatchObject({ own: 'agent', longTerm: name })
    const atTop = await open({ files: { [name]: fact } })
    const { moved } = await atTop.client.agents.moveOwn({ agent: 'main', own: 'agent' })
    expect(moved).toContain(`agent/${name}`)
    await atTop.agent.workspace.rememberIn('People', 'Otto feeds it', { cause: 'user' })
    expect(await atTop.text(`agent/${name}`)).toContain('Otto')
    expect([await atTop.namesIn(), await atTop.namesIn('agent')]).toEqual([[], [name]])
  })
})

describe('several long-term memories', () => {
  it('uses MEMORY.md before Memory.md before memory.md, and reports the others', async () => {
    const files = { 'memory.md': 'c\n', 'Memory.md': 'b\n', 'MEMORY.md': 'a\n' }
    const { agent, folder, problems, client } = await open({ files })
    expect(agent.workspace.layout.longTerm).toBe('MEMORY.md')
    const message = 'MEMORY.md and Memory.md and memory.md exist; only MEMORY.md is the long-term memory'
    expect(problems()).toMatchObject([{ level: 'warning', message, path: 'MEMORY.md' }])
    expect(await client.health.problems({ agent: 'main' })).toMatchObject([{ message }])
    await agent.workspace.remove('MEMORY.md', { cause: 'user' })
    expect(agent.workspace.layout.longTerm).toBe('Memory.md')
    expect(problems()).toMatchObject([{ path: 'Memory.md' }])
    await agent.workspace.remove('memory.md', { cause: 'user' })
    expect(problems()).toEqual([])
    await agent.workspace.rememberIn('People', 'Otto', { cause: 'user' })
    expect(await readFile(join(folder, 'Memory.md'), 'utf8')).toContain('- Otto')
  })

  it('follows changes by other programs', async () => {
    const { agent, folder, problems } = await open({ files: { 'memory.md': fact }, watch: true })
    await rename(join(folder, 'memory.md'), join(folder, 'MEMORY.md'))
    await until(() => agent.workspace.layout.longTerm === 'MEMORY.md')
    await agent.memory.settle(10_000)
    await writeFiles(folder, { 'Memory.md': 'b\n' })
    await until(() => problems().length === 1)
    await rm(join(folder, 'MEMORY.md'))
    await until(() => agent.workspace.layout.longTerm === 'Memory.md' && problems().length === 0)
  }, 30_000)
})
