import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { writeFiles } from '../../support/folder.ts'

const files = {
  'MEMORY.md': '# Long-term memory\n\nThe walrus gets herring.\n',
  'zoo.md': '---\ntags: [work, animals/sea]\nstatus: open\nrating: 4\n---\n# Zoo\n\nThe walrus moves in May.\n',
  'harbour.md':
    '---\ntitle: The old port\naliases: [Waterfront]\nstatus: done\nrating: 2\n---\n\nThe walrus was seen here. #Work/trips\n',
  'pages/boat.md': 'status:: open\ntags:: steering wheel\n\n- A walrus sank the boat.\n',
  'chinese.md': '海象去了港口。#动物，#工作\n',
  'code.md': 'A walrus in code: `#work`\n',
}

async function open(more: Record<string, string> = {}) {
  const { app, workspace } = await openTestApp({ files: { ...files, ...more }, watch: false })
  const agent = await app.agents.get('main')
  await agent.memory.settle(10_000)
  return { agent, workspace }
}

describe('search by tags, properties and titles', () => {
  it('filters by tag and property, with words and without', async () => {
    const { agent } = await open()
    const found = async (query: string) =>
      [...new Set((await agent.memory.search(query)).results.map(({ path }) => path))].sort()
    const all: Record<string, string[]> = {}
    for (const query of Object.keys(expected)) all[query] = await found(query)
    expect(all).toEqual(expected)
  })

  it('searches aliases and titles, and returns them', async () => {
    const { agent } = await open()
    const first = async (query: string) => (await agent.memory.search(query)).results[0]
    expect(await first('waterfront')).toMatchObject({ path: 'harbour.md', title: 'Waterfront' })
    expect(await first('seen at the old port')).toMatchObject({ path: 'harbour.md', title: 'The old port' })
  })
})

const expected = {
  'walrus tag:work': ['harbour.md', 'zoo.md'],
  'walrus -tag:work': ['MEMORY.md', 'code.md', 'pages/boat.md'],
  'walrus [status:open] rating:>=3': ['zoo.md'],
  'tag:animals': ['zoo.md'],
  'tag:工作': ['chinese.md'],
  '[status]': ['harbour.md', 'pages/boat.md', 'zoo.md'],
}

describe('tags of notes', () => {
  it('plans a rename, writes it as one change, and undoes it', async () => {
    const { agent, workspace } = await open()
    const text = (path: string) => readFile(join(workspace, path), 'utf8')
    const rename = { from: 'work', to: 'job/day' }
    const plan = await agent.links.planTagRename(rename)
    expect(plan).toMatchObject({ tags: 2, notes: 2, left: [], joins: false })
    expect(plan.files.map(({ path }) => path).sort()).toEqual(['harbour.md', 'zoo.md'])
    const done = await agent.links.renameTag(rename, plan.id, { cause: 'user' })
    expect(await text('zoo.md')).toBe(files['zoo.md'].replace('[work,', '[job/day,'))
    expect(await text('harbour.md')).toBe(files['harbour.md'].replace('#Work/trips', '#job/day/trips'))
    expect(await text('code.md')).toBe(files['code.md'])
    await agent.batches.undo(done.change ?? 0, { cause: 'user' })
    for (const path of ['zoo.md', 'harbour.md'] as const) expect(await text(path)).toBe(files[path])
    await expect(agent.links.planTagRename({ from: 'work', to: 'two words' })).rejects.toMatchObject({
      code: 'tag_invalid',
    })
    await expect(agent.links.renameTag(rename, 'another plan', { cause: 'user' })).rejects.toMatchObject({
      code: 'plan_outdated',
    })
    expect(await agent.links.planTagRename({ from: '动物', to: '工作' })).toMatchObject({ tags: 1, joins: true })
  })

  it('announces every note that cannot be decoded or written', async () => {
    const { agent, workspace } = await open({ 'locked.md': '#work\n'.repeat(3000) })
    await chmod(join(workspace, 'locked.md'), 0o444)
    await writeFiles(workspace, {
      'bytes.md': Buffer.from('one\n#work \xff\xfe\n', 'latin1'),
      'nul.md': '#Work/trips \0\n',
      'wide.md': Buffer.from('\ufeff#work\n', 'utf16le'),
      'gbk.md': Buffer.concat([Buffer.from('#work '), Buffer.from([0xb1, 0xca, 0xbc, 0xc7])]),
      'none.md': Buffer.from('no work here \xff', 'latin1'),
      'large.md': Buffer.alloc(21 * 1024 * 1024, 'x'),
    })
    const rename = { from: 'work', to: 'job' }
    const plan = await agent.links.planTagRename(rename)
    const unread = plan.left.filter(({ isUnread }) => isUnread)
    expect(unread.map(({ path, line }) => `${path}:${line}`).sort()).toEqual([
      'bytes.md:2',
      'gbk.md:1',
      'large.md:1',
      'nul.md:1',
      'wide.md:1',
    ])
    expect(plan.left.filter(({ isProtected }) => isProtected).every(({ path }) => path === 'locked.md')).toBe(true)
    expect(plan).toMatchObject({ tags: 2, notes: 2 })
    expect((await agent.links.planTagRename({ from: '笔记', to: 'note' })).left.map(({ path }) => path)).toEqual([
      'large.md',
    ])
    await writeFiles(workspace, { 'gbk.md': Buffer.concat([Buffer.from('#'), Buffer.from([0xb1, 0xca, 0xbc, 0xc7])]) })
    agent.links.markStale()
    expect((await agent.links.planTagRename({ from: '笔记', to: 'note' })).left).toContainEqual({
      path: 'gbk.md',
      line: 1,
      target: '笔记',
      isUnread: true,
    })
  })
})
