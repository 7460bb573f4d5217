import { watch } from 'node:fs'
import { chmod, mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { textsIn, until } from '../../support/folder.ts'

async function openLinks(files: Record<string, string>) {
  const test = await openTestApp({ files, watch: true })
  const { links, history } = test.client
  const agent = await test.app.agents.get('main')
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  return { ...test, agent, links, revert: history.revert, read, everything: () => textsIn(test.workspace) }
}

const main = { agent: 'main' }
const user = { cause: 'user' } as const

describe('links', () => {
  it('a rename updates every link as one batch by the user, and undo restores every byte', async () => {
    const files = {
      'a/Old.md': '\uFEFF# Old\r\n\r\n[home](../Home.md) ![pic](img/p.png)\r\n',
      'a/img/p.png': 'not really',
      'Home.md': '[[Old|the old]] and [it](a/Old.md#old)\n`[[Old]]`\n',
      'b/other.md': '![[Old#Old]]\r\n',
      'b/none.md': 'Old\n',
    }
    const { links, revert, everything, read, agent } = await openLinks(files)
    const before = await everything()
    const move = { ...main, from: 'a/Old.md', to: 'c/d/New.md' }
    const plan = await links.planMove(move)
    expect(plan).toMatchObject({ links: 5, notes: 3, moves: 1, left: [] })
    expect(plan.files.map(({ path, count }) => `${path} ${count}`).sort()).toEqual([
      'Home.md 2',
      'b/other.md 1',
      'c/d/New.md 2',
    ])
    expect(plan.files.find(({ path }) => path === 'b/other.md')?.patch).toContain('+![[New#Old]]')

    const { change: undo } = await links.move({ ...move, plan: plan.id })
    expect(await read('c/d/New.md')).toBe('\uFEFF# Old\r\n\r\n[home](../../Home.md) ![pic](../../a/img/p.png)\r\n')
    expect(await read('Home.md')).toBe('[[New|the old]] and [it](c/d/New.md#old)\n`[[Old]]`\n')
    expect(await read('b/other.md')).toBe('![[New#Old]]\r\n')
    const changed = agent.history.timeline({ limit: 10, causes: ['user'] })
    expect(new Set(changed?.map(({ path }) => path))).toEqual(new Set(['c/d/New.md', 'Home.md', 'b/other.md']))

    await agent.workspace.edit('Home.md', { cause: 'user' }, (text) => `${text}one more line\n`)
    await revert({ ...main, change: undo ?? 0 })
    const home = join(agent.workspace.roots.workspace, 'Home.md')
    expect(await everything()).toEqual({ ...before, [home]: `${before[home]}one more line\n` })
    await expect(revert({ ...main, change: undo ?? 0 })).rejects.toMatchObject({ code: 'undo_conflict' })
  })

  it('moves a folder with its content, and back', async () => {
    const files = {
      'p/a.md': '[b](b.md) [h](../h.md)',
      'p/b.md': '',
      'p/x/y.png': 'y',
      'h.md': '[[p/a]] ![[p/x/y.png]]',
    }
    const { links, revert, everything, read } = await openLinks(files)
    const before = await everything()
    const move = { ...main, from: 'p', to: 'q/r' }
    const plan = await links.planMove(move)
    expect(plan).toMatchObject({ links: 3, notes: 2, moves: 3 })
    const { change: undo } = await links.move({ ...move, plan: plan.id })
    expect([await read('q/r/a.md'), await read('h.md'), await read('q/r/x/y.png')]).toEqual([
      '[b](b.md) [h](../../h.md)',
      '[[q/r/a]] ![[q/r/x/y.png]]',
      'y',
    ])
    await expect(links.move({ ...main, from: 'q', to: 'q/r/s' })).rejects.toMatchObject({ code: 'folder_in_itself' })
    await expect(links.move({ ...main, from: 'q', to: 'h.md' })).rejects.toMatchObject({ code: 'file_exists' })
    await revert({ ...main, change: undo ?? 0 })
    expect(await everything()).toEqual(before)
  })

  it('updates links in canvas cards, and undo restores them', async () => {
    const canvas = String.raw`{"nodes":[{"id":"1","type":"text","text":"\"See\"\n[[Old#Part|it]] and [old](area/Old.md)"}, {"id":"2","file":"area/Old.md"}]}`
    const { links, revert, read, everything } = await openLinks({ 'area/Old.md': '# Old\n', 'Board.canvas': canvas })
    const before = await everything()
    const move = { ...main, from: 'area/Old.md', to: 'area/New one.md' }
    const plan = await links.planMove(move)
    expect(plan).toMatchObject({ links: 3, notes: 1, left: [] })
    const { change: undo } = await links.move({ ...move, plan: plan.id })
    expect(await read('Board.canvas')).toBe(
      canvas
        .replace('[[Old#', '[[New one#')
        .replace('(area/Old.md)', '(area/New%20one.md)')
        .replace('"area/Old.md"', '"area/New one.md"'),
    )
    await revert({ ...main, change: undo ?? 0 })
    expect(await everything()).toEqual(before)
  })

  it('renames a picture or canvas with all links to it, and back', async () => {
    const board = '{"nodes":[{"type":"file","file":"img/p.png"}]}'
    const { links, revert, read, everything, agent } = await openLinks({
      'img/p.png': 'not really',
      'Board.canvas': board,
      'a.md': '![[p.png|200]] ![x](img/p.png "t") [[Board.canvas]]\n',
    })
    const before = await everything()
    const picture = { ...main, from: 'img/p.png', to: 'img/new/a b.png' }
    const plan = await links.planMove(picture)
    expect(plan).toMatchObject({ links: 3, notes: 2, moves: 1, left: [] })
    const { change: undo } = await links.move({ ...picture, plan: plan.id })
    expect(await read('a.md')).toBe('![[a b.png|200]] ![x](img/new/a%20b.png "t") [[Board.canvas]]\n')
    expect(await read('Board.canvas')).toBe(board.replace('img/p.png', 'img/new/a b.png'))
    expect(await read('img/new/a b.png')).toBe('not really')
    expect((await links.files(main)).map(({ path }) => path)).toContain('img/new/a b.png')
    await revert({ ...main, change: undo ?? 0 })
    expect(await everything()).toEqual(before)

    const canvas = { ...main, from: 'Board.canvas', to: 'boards/Plan.canvas' }
    await links.move({ ...canvas, plan: (await links.planMove(canvas)).id })
    expect(await read('a.md')).toBe('![[p.png|200]] ![x](img/p.png "t") [[Plan.canvas]]\n')
    expect(await read('boards/Plan.canvas')).toBe(board)
    // The file type stays, and other files do not become notes.
    for (const to of ['img/p.jpg', 'img/p.md', 'img/p.canvas', 'img/p.pdf'])
      for (const done of [links.planMove, links.move])
        await expect(done({ ...main, from: 'img/p.png', to })).rejects.toMatchObject({ code: 'ending_kept' })
    for (const move of [
      { from: 'img/p.png', to: 'img/p.exe' },
      { from: 'a.md', to: 'a.png' },
    ])
      await expect(links.move({ ...main, ...move })).rejects.toMatchObject({ code: 'ending_kept' })
    await expect(agent.workspace.write('img/p.png', 'x', { cause: 'agent' })).rejects.toMatchObject({
      code: 'write_refused',
    })
  })

  it('leaves and announces a write-protected note; an undo that cannot write it changes nothing', async () => {
    const { links, revert, workspace, read, everything } = await openLinks({
      'Old.md': '# Old\n',
      'locked.md': 'one\n[[Old|it]] ![[Old]]\n',
      'open.md': '[[Old]]\n',
    })
    const locked = join(workspace, 'locked.md')
    await chmod(locked, 0o444)
    const move = { ...main, from: 'Old.md', to: 'New.md' }
    const plan = await links.planMove(move)
    const place = { path: 'locked.md', line: 2, target: 'Old', isProtected: true }
    expect(plan).toMatchObject({ links: 1, notes: 1, left: [place, place] })
    const { change: undo } = await links.move({ ...move, plan: plan.id })
    expect([await read('locked.md'), await read('open.md')]).toEqual(['one\n[[Old|it]] ![[Old]]\n', '[[New]]\n'])
    expect((await stat(locked)).mode & 0o777).toBe(0o444)
    // Protected since the move: undo cannot restore it and changes nothing.
    await chmod(join(workspace, 'open.md'), 0o444)
    const before = await everything()
    await expect(revert({ ...main, change: undo ?? 0 })).rejects.toMatchObject({ code: 'move_failed' })
    expect(await everything()).toEqual(before)
    await chmod(join(workspace, 'open.md'), 0o644)
    await revert({ ...main, change: undo ?? 0 })
    expect([await read('Old.md'), await read('open.md')]).toEqual(['# Old\n', '[[Old]]\n'])
  })

  it('announces links in notes that cannot be decoded, and keeps links to those notes', async () => {
    const { links, workspace, read } = await openLinks({
      'Target é.md': '# Target\n',
      'plain.md': '[[Target é]] [[dir/nul]]\n',
    })
    const bytes = {
      'latin.md': Buffer.from('caf\xe9\n[[Target \xe9]]\n', 'latin1'),
      'dir/nul.md': Buffer.from('a\0b [t](../Target%20é.md)\n'),
      'wide.md': Buffer.from('\uFEFF\n\n[[Target é|x]]\n', 'utf16le'),
      'surrogate.md': Buffer.concat([Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('\n![[Target é]]\n')]),
      'other.md': Buffer.from('\0 Target é [[plain]]\n'),
    }
    await mkdir(join(workspace, 'dir'))
    for (const [path, text] of Object.entries(bytes)) await writeFile(join(workspace, path), text)
    await until(async () => (await links.files(main)).some(({ path }) => path === 'other.md'), 10_000)
    const move = { ...main, from: 'Target é.md', to: 'New.md' }
    const plan = await links.planMove(move)
    const left = plan.left.map(({ path, line, isUnread }) => `${path}:${line} ${isUnread}`).toSorted()
    expect(left).toEqual(['dir/nul.md:1 true', 'latin.md:2 true', 'surrogate.md:2 true', 'wide.md:3 true'])
    expect(plan).toMatchObject({ links: 1, notes: 1 })
    await links.move({ ...move, plan: plan.id })
    expect(await read('plain.md')).toBe('[[New]] [[dir/nul]]\n')
    for (const [path, text] of Object.entries(bytes)) expect(await readFile(join(workspace, path))).toEqual(text)
    // Links to such notes are updated; a note that becomes readable is indexed.
    const folder = { ...main, from: 'dir', to: 'files' }
    await links.move({ ...folder, plan: (await links.planMove(folder)).id })
    expect(await read('plain.md')).toBe('[[New]] [[files/nul]]\n')
    await writeFile(join(workspace, 'latin.md'), 'now [[New]] is text\n')
    await until(async () => (await links.of({ ...main, path: 'latin.md' })).counts.outgoing === 1, 10_000)
    expect((await links.planMove({ ...main, from: 'New.md', to: 'Newer.md' })).left).toEqual([])
  })

  it("refuses to move the folder of the agent's own files", async () => {
    const { links, agent, everything } = await openLinks({ '.commonplace/MEMORY.md': '# Memory\n', 'a.md': 'x\n' })
    expect(agent.workspace.layout.own).toBe('.commonplace')
    const before = await everything()
    const move = { ...main, from: '.commonplace', to: 'Agent' }
    await expect(links.planMove(move)).rejects.toMatchObject({ code: 'own_folder' })
    await expect(links.move(move)).rejects.toMatchObject({ code: 'own_folder' })
    expect(await everything()).toEqual(before)
  })

  it('rolls back if a note cannot be written, and refuses an outdated plan', async () => {
    const names = Array.from({ length: 60 }, (_, number) => `n/${String(number).padStart(2, '0')}.md`)
    const files = Object.fromEntries([['Old.md', ''], ...names.map((name) => [name, '[[Old]]\n'] as const)])
    const { links, everything, workspace } = await openLinks(files)
    const move = { ...main, from: 'Old.md', to: 'moved/New.md' }
    const plan = await links.planMove(move)
    // Another program saves the last note right after the move starts.
    await mkdir(join(workspace, 'moved'))
    const last = join(workspace, 'n/59.md')
    const saved = Promise.withResolvers<void>()
    const watcher = watch(join(workspace, 'moved'), () => void writeFile(last, '[[Old]] saved\n').then(saved.resolve))
    onTestFinished(() => watcher.close())
    const before = await everything()
    await expect(links.move({ ...move, plan: plan.id })).rejects.toMatchObject({ code: 'file_changed' })
    await saved.promise
    watcher.close()
    expect(await everything()).toEqual({ ...before, [last]: '[[Old]] saved\n' })
    await expect(links.move({ ...move, plan: plan.id })).rejects.toMatchObject({ code: 'plan_outdated' })
    expect(await everything()).toEqual({ ...before, [last]: '[[Old]] saved\n' })
  })

  it('completion writes links that resolve, also for names that a wikilink cannot contain', async () => {
    const files = {
      'C# notes.md': '---\naliases: ["A|B", "See sharp", "so [it] is"]\n---\n# Head\n\n## Q|R [z]\n\ntext ^b1\n',
      'x|y.md': '# X\n',
      'a]] b.md': '# Br\n',
      'c^d.md': '# Up\n',
      'C# dir/plain.md': '# Plain\n',
      'C# dir/twice.md': '# 1\n',
      'twice.md': '# 2\n',
      'pic #1.png': 'not really',
      'Home.md': 'See sharp and Other things\n',
      'Other things.md': '# Other\n',
    }
    const { links, workspace } = await openLinks(files)
    const linksFor = async (typed: string) =>
      (await links.names({ ...main, path: 'Home.md', typed })).map(({ path, label, link }) => ({ path, label, link }))
    const best = async (typed: string) => (await linksFor(typed))[0]?.link
    expect(await best('C# ')).toBe('[C# notes](C%23%20notes.md)')
    expect((await linksFor('C')).map(({ link }) => link)).toContain('[C# notes](C%23%20notes.md)')
    expect(await best('C#')).toBe('[C# notes](C%23%20notes.md)')
    expect(await best('See')).toBe('[See sharp](C%23%20notes.md)')
    expect(await best('x')).toBe('[x|y](x%7Cy.md)')
    expect(await best('pic')).toBe('[pic #1.png](pic%20%231.png)')
    expect(await best('plain')).toBe('[[plain]]')
    expect(await best('C# notes#He')).toBe('[Head](C%23%20notes.md#Head)')
    expect(await best('See sharp#He')).toBe('[[See sharp#Head]]')

    const typed = ['', 'C', 'A', 'See', 'so', 'a]', 'c^', 'twice', 'C# notes#', 'C# notes#^', 'See sharp#']
    const offered = (await Promise.all(typed.map(linksFor))).flat()
    expect(offered.length).toBeGreaterThan(20)
    await writeFile(join(workspace, 'All.md'), offered.map(({ link }) => `${link}\n`).join(''))
    await until(async () => (await links.of({ ...main, path: 'All.md' })).counts.outgoing > 0, 10_000)
    const { outgoing } = await links.of({ ...main, path: 'All.md' })
    const led = offered.map(({ label, link }, at) => {
      const found = outgoing.filter((one) => one.at === at + 1)
      return { label, link, path: found.map(({ path }) => path).join() }
    })
    expect(led).toEqual(offered.map(({ label, link, path }) => ({ label, link, path })))
  })

  it('finds decomposed names, and creates no second file of the same name', async () => {
    const [decomposed, composed] = ['Re\u0301sume\u0301', 'R\u00e9sum\u00e9']
    const { links, agent, everything } = await openLinks({
      [`${decomposed}.md`]: '# CV\n',
      'a.md': `[[${composed}]] and [x](${encodeURI(composed)}.md)\n`,
      '文/b.md': '# B\n',
    })
    const target = { ...main, path: 'a.md', kind: 'wiki', target: composed } as const
    expect((await links.resolve(target)).path).toBe(`${decomposed}.md`)
    expect((await links.broken(main)).count).toBe(0)
    expect((await links.names({ ...main, path: 'a.md', typed: 'r\u00e9s' }))[0]?.path).toBe(`${decomposed}.md`)

    const before = await everything()
    const exists = { code: 'file_exists' }
    await expect(agent.workspace.write(`${composed}.md`, 'other\n', user)).rejects.toMatchObject(exists)
    await expect(
      agent.workspace.runTransaction({ move: { from: 'a.md', to: `${composed}.md` } }, [], user),
    ).rejects.toMatchObject(exists)
    expect(await everything()).toEqual(before)
    await agent.workspace.write('文/Na\u00efve.md', 'new\n', user)
    expect(await agent.workspace.exists('文/Na\u00efve.md')).toBe(true)
  })

  it('refuses to move or delete a symbolic link', async () => {
    const { links, agent, workspace, everything } = await openLinks({
      'real/note.md': '# Real\n',
      'real/p.png': 'not really',
      'a.md': '[[real/note]]\n',
    })
    await symlink('real/note.md', join(workspace, 'inlink.md'))
    await symlink('real/p.png', join(workspace, 'inlink.png'))
    const before = await everything()
    for (const ending of ['md', 'png'])
      for (const done of [links.planMove, links.move])
        await expect(done({ ...main, from: `inlink.${ending}`, to: `moved/other.${ending}` })).rejects.toMatchObject({
          code: 'symbolic_link',
          data: { path: `inlink.${ending}` },
        })
    await expect(agent.workspace.remove('inlink.md', { cause: 'user' })).rejects.toMatchObject({
      code: 'symbolic_link',
    })
    expect(await everything()).toEqual(before)
    expect(await readlink(join(workspace, 'inlink.md'))).toBe('real/note.md')
  })

  it('returns backlinks and names, and broken links with suggestions', async () => {
    const { links, read, workspace } = await openLinks({
      'Walrus facts.md': '---\naliases: [Big seal]\n---\n# Life\n## In the sea ^sea\n[[#Nowhere]]\n',
      'a.md': 'See [[Walrus facts#life]].\n\nThe walrus facts are many; the big seal too.\n[[big seal]]\n',
      'b.md': '[x](Walrus%20fact.md) [[Walrus facts#^sea]] [[new one]] ![[gone.png]] [f](sub/) `[[no]]`\n',
      'sub/c.md': '[[Walrus facts]]\n',
    })
    const note = { ...main, path: 'Walrus facts.md' }
    const of = await links.of(note)
    expect(of.backlinks.map(({ path, line }) => `${path}:${line}`).sort()).toEqual([
      'a.md:1',
      'a.md:4',
      'b.md:1',
      'sub/c.md:1',
    ])
    expect(of.backlinks.find(({ path }) => path === 'a.md')?.text).toBe('See [[Walrus facts#life]].')
    const leads = (kind: 'wiki' | 'inline', target: string, fragment?: string) =>
      links.resolve({ ...main, path: 'sub/c.md', kind, target, fragment })
    expect(await leads('wiki', 'walrus FACTS', 'In the sea')).toEqual({ path: note.path, line: 5, makes: null })
    expect(await leads('inline', '../Walrus facts.md', '^sea')).toEqual({ path: note.path, line: 5, makes: null })
    expect(await leads('wiki', 'Not yet')).toEqual({ path: null, line: null, makes: 'sub/Not yet.md' })

    const broken = await links.broken(main)
    expect(broken.links.map(({ path, target, lacks }) => `${path} ${target} ${lacks}`)).toEqual([
      'Walrus facts.md #Nowhere part',
      'b.md Walrus fact.md note',
      'b.md new one note',
      'b.md gone.png note',
    ])
    expect(broken.links[1]?.near).toEqual(['Walrus%20facts.md'])
    await links.mend({ ...main, path: 'b.md', line: 1, target: 'Walrus fact.md', by: 'Walrus%20facts.md' })
    expect(await read('b.md')).toMatch(/^\[x\]\(Walrus%20facts\.md\) /)

    const names = async (typed: string) =>
      (await links.names({ ...main, path: 'sub/c.md', typed })).map(({ wiki }) => wiki)
    expect((await names('a')).slice(0, 1)).toEqual(['a'])
    expect((await names('big'))[0]).toBe('Walrus facts|Big seal')
    expect(await names('Walrus facts#se')).toEqual(['Walrus facts#In the sea', 'Walrus facts#^sea'])

    // The settings of the vault's program decide where new notes go.
    await mkdir(join(workspace, '.obsidian'))
    await writeFile(join(workspace, '.obsidian/app.json'), '{"newFileLocation":"folder","newFileFolderPath":"inbox"}')
    await writeFile(join(workspace, 'z.md'), '[[Walrus facts]]\n')
    await until(async () => (await leads('wiki', 'Not yet')).makes === 'inbox/Not yet.md', 10_000)
    expect((await links.of(note)).backlinks.map(({ path }) => path)).toContain('z.md')
  })
})
