import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../support/app.ts'
import { writeFiles } from '../support/folder.ts'

const files = {
  'MEMORY.md': '# Long-term memory\n\nThe walrus gets herring.\n',
  'zoo.md': '---\ntags: [work, animals/sea]\nstatus: open\nrating: 4\n---\n# Zoo\n\nThe walrus moves in May.\n',
  'harbour.md':
    '---\ntitle: The old port\naliases: [Waterfront]\nstatus: done\nrating: 2\n---\n\nThe walrus was seen here. #Work/trips\n',
  'pages/boat.md': 'status:: open\ntags:: steering wheel\n\n- A walrus sank the boat.\n',
  'chinese.md': '海象去了港口。#动物，#工作\n',
  'code.md': 'A walrus in code: `#work`\n',
}

async function open() {
  const { app, workspace } = await openTestApp({ files, watch: false })
  const agent = await app.agents.get('main')
  await agent.memory.settle(10_000)
  return { agent, workspace }
}

describe('M68 search by what notes say of themselves', () => {
  it('M68: filters by tag and property, with words and without', async () => {
    const { agent } = await open()
    const found = async (query: string) =>
      [...new Set((await agent.memory.search(query)).results.map(({ path }) => path))].sort()
    const all: Record<string, string[]> = {}
    for (const query of Object.keys(expected)) all[query] = await found(query)
    expect(all).toEqual(expected)
  })

  it('M68: the account says which filter kept a note out', async () => {
    const { agent } = await open()
    const { candidates, conditions } = await agent.memory.explain('walrus tag:work -status:done')
    expect(conditions.map(({ kind }) => kind)).toEqual(['tag', 'property'])
    const verdicts = Object.fromEntries(candidates.map(({ path, verdict }) => [path, verdict]))
    expect(verdicts['zoo.md']).toMatchObject({ kind: 'returned' })
    expect(verdicts['harbour.md']).toEqual({ kind: 'outsideFilter', by: ['-status:done'] })
    expect(verdicts['code.md']).toEqual({ kind: 'outsideFilter', by: ['tag:work'] })
  })

  it('M68: other names are searched, and shown', async () => {
    const { agent } = await open()
    const first = async (query: string) => (await agent.memory.search(query)).results[0]
    expect(await first('waterfront')).toMatchObject({ path: 'harbour.md', title: 'Waterfront' })
    expect(await first('seen at the old port')).toMatchObject({ path: 'harbour.md', title: 'The old port' })
  })

  it('M68: what a note says is forgotten with it', async () => {
    const { agent, workspace } = await open()
    await writeFiles(workspace, { 'zoo.md': '# Zoo\n\nThe walrus moves in May.\n' })
    await agent.memory.reindex()
    await agent.memory.settle(10_000)
    expect((await agent.memory.search('walrus tag:work')).results.map(({ path }) => path)).toEqual(['harbour.md'])
  })
})

const expected = {
  'walrus tag:work': ['harbour.md', 'zoo.md'],
  'walrus -tag:work': ['MEMORY.md', 'code.md', 'pages/boat.md'],
  'walrus tag:work/trips': ['harbour.md'],
  'walrus status:open': ['pages/boat.md', 'zoo.md'],
  'walrus [status:open] rating:>=3': ['zoo.md'],
  'walrus status:open tag:work': ['zoo.md'],
  'walrus status:lost': [],
  'tag:animals': ['zoo.md'],
  'tag:"steering wheel"': ['pages/boat.md'],
  'tag:工作': ['chinese.md'],
  '[status]': ['harbour.md', 'pages/boat.md', 'zoo.md'],
}

describe('M68 tags of all notes', () => {
  it('M68: counted, those above others too; of one note with its properties', async () => {
    const { agent } = await open()
    const { tags, properties } = await agent.links.tags()
    expect(tags).toEqual([
      { name: 'animals', notes: 1 },
      { name: 'animals/sea', notes: 1 },
      { name: 'steering wheel', notes: 1 },
      { name: 'work', notes: 2 },
      { name: 'Work/trips', notes: 1 },
      { name: '动物', notes: 1 },
      { name: '工作', notes: 1 },
    ])
    expect(properties.find(({ name }) => name === 'status')).toEqual({
      name: 'status',
      notes: 3,
      values: [
        { value: 'open', notes: 2 },
        { value: 'done', notes: 1 },
      ],
      valueCount: 2,
    })
    const said = await agent.links.properties('zoo.md')
    expect(said.tags.map(({ name }) => name)).toEqual(['work', 'animals/sea'])
    expect(said.properties[1]).toEqual({ name: 'status', values: ['open'], line: 3 })
  })

  it('M68: renamed tags that can be taken back are listed until they are, and are no moves', async () => {
    const { agent, workspace } = await open()
    const rename = { from: 'work', to: 'job' }
    expect(await agent.links.tagRenames()).toEqual([])
    const { id } = await agent.links.planTagRename(rename)
    const { undo } = await agent.links.renameTag(rename, id, { cause: 'user' })
    expect(await agent.links.tagRenames()).toMatchObject([{ undo, ...rename, notes: 2 }])
    expect(await agent.links.moves()).toEqual([])
    await agent.links.undo(undo, { cause: 'user', isUndo: true })
    expect(await agent.links.tagRenames()).toEqual([])
    expect(await readFile(join(workspace, 'zoo.md'), 'utf8')).toBe(files['zoo.md'])
  })

  it('M68: another name is planned, done as one change, and taken back', async () => {
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
    await agent.links.undo(done.undo, { cause: 'user', isUndo: true })
    for (const path of ['zoo.md', 'harbour.md'] as const) expect(await text(path)).toBe(files[path])
    await expect(agent.links.planTagRename({ from: 'work', to: 'two words' })).rejects.toMatchObject({
      code: 'tag_invalid',
    })
    await expect(agent.links.renameTag(rename, 'another plan', { cause: 'user' })).rejects.toMatchObject({
      code: 'plan_outdated',
    })
    expect(await agent.links.planTagRename({ from: '动物', to: '工作' })).toMatchObject({ tags: 1, joins: true })
  })
})
