import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openAgent } from '../../support/agent.ts'
import { openAppOn, openTestApp, prepareFolders } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { rounds } from '../../support/thorough.ts'

async function openHistory(files: Record<string, string> = {}, config?: string) {
  const test = await openTestApp({ files, watch: true, ...(config ? { config } : {}) })
  const agent = await test.app.agents.get('main')
  const { history, workspace } = agent
  await history.flush()
  const timeline = async (path?: string) => {
    const changes = history.timeline({ path, limit: 100 })
    return changes.map(({ cause, path: changed, added, removed }) => `${cause} ${changed} +${added} -${removed}`)
  }
  return { ...test, agent, history, files: workspace, timeline }
}

describe('history', () => {
  it('records existing files as adopted and returns them as one row', async () => {
    const { history, workspace, files, home, app } = await openHistory({ 'notes/a.md': 'a\n', 'notes/b.md': 'b\n' })
    await files.write('notes/c.md', 'c\n', { cause: 'user' })
    await writeFile(join(workspace, 'notes/d.md'), 'd\n')
    await until(async () => (await history.timeline({ limit: 10, groupAdopted: true })).length >= 3)
    const told = async (from: typeof history) =>
      (await from.timeline({ limit: 10, groupAdopted: true })).map(({ cause, path, files: count }) => [
        cause,
        count ?? path,
      ])
    const all = [
      ['outside', 'notes/d.md'],
      ['user', 'notes/c.md'],
      ['adopted', 3],
    ]
    expect(await told(history)).toEqual(all)
    expect(await history.timeline({ path: 'notes/a.md', limit: 10 })).toMatchObject([{ cause: 'adopted', added: 1 }])
    // Changes while the app is closed count as changes, even if the history began empty.
    await app.close()
    await writeFile(join(workspace, 'notes/e.md'), 'e\n')
    const again = await openAppOn(home, { watch: true })
    const reopened = (await again.app.agents.get('main')).history
    await reopened.flush()
    expect(await told(reopened)).toEqual([['outside', 'notes/e.md'], ...all])
  })

  it("records the session and the message of an agent's change", async () => {
    const server = await startModelServer(
      { calls: [{ name: 'write', arguments: { path: 'memory/a.md', content: 'walrus\n' } }] },
      { text: 'done' },
    )
    const { agent, send } = await openAgent(server, { watch: true })
    const { sessions, history } = agent
    const session = await send('write it down')
    const [question] = (await sessions.get(session)).messages()
    const changes = await history.timeline({ path: 'memory/a.md', limit: 1 })
    expect(changes).toMatchObject([{ cause: 'agent', session, turn: question?.id }])
  })

  it('keeps the cause of a change by another process', async () => {
    const { home } = await prepareFolders({})
    const { app: first } = await openAppOn(home)
    await (await first.agents.get('main')).history.flush()
    const { app: command } = await openAppOn(home, { watch: false })
    const agent = await command.agents.get('main')
    await agent.workspace.remember('from the terminal', new Date(2026, 0, 20, 9, 5), { cause: 'capture' })
    await command.close()
    const { history } = await first.agents.get('main')
    await until(async () => history.timeline({ limit: 1 })[0]?.path === 'memory/2026-01-20.md')
    expect(history.timeline({ limit: 1 })[0]?.cause).toBe('capture')
  })

  it('restores a version from before a move to the current path', async () => {
    const { agent, files, history } = await openHistory({ 'memory/a.md': 'one\n' })
    await files.runTransaction({ move: { from: 'memory/a.md', to: 'memory/b.md' } }, [], { cause: 'user' })
    await files.write('memory/a.md', 'another\n', { cause: 'user' })
    await history.flush()
    await files.runTransaction({ move: { from: 'memory/b.md', to: 'notes/c.md' } }, [], { cause: 'user' })
    await files.write('notes/c.md', 'one\ntwo\n', { cause: 'user' })
    const entries = await history.timeline({ path: 'notes/c.md', limit: 10 })
    const oldest = entries.at(-1)
    expect(oldest).toMatchObject({ path: 'memory/a.md', now: 'notes/c.md' })
    const restored = await agent.restoreVersion(oldest?.change ?? 0, 'memory/a.md')
    expect(restored).toMatchObject({ path: 'notes/c.md', change: expect.any(Number) })
    expect((await files.read('notes/c.md')).text).toBe('one\n')
    expect((await files.read('memory/a.md')).text).toBe('another\n')
    expect((await history.timeline({ path: 'memory/a.md', limit: 10 }))[0]).toMatchObject({ now: 'memory/a.md' })
    expect(await history.currentPath('memory/b.md')).toBe('notes/c.md')
  })

  it('returns the status of a change after moves, undo and other changes', async () => {
    const { agent, files, history } = await openHistory({ 'memory/a.md': 'one\ntwo\n' })
    const write = await files.write('memory/a.md', 'one\ntwo\nthree\n', { cause: 'agent', session: 's', turn: 't' })
    const { change = 0 } = write
    const standing = () => agent.revertStatus(change, 'memory/a.md')
    expect(await standing()).toEqual({ path: 'memory/a.md', hunks: ['there'] })
    await files.runTransaction({ move: { from: 'memory/a.md', to: 'memory/b.md' } }, [], { cause: 'user' })
    expect(await standing()).toEqual({ path: 'memory/b.md', hunks: ['there'] })
    await files.write('memory/b.md', 'other\nlines\nthree\n', { cause: 'user' })
    expect(await standing()).toMatchObject({ hunks: ['there'] })
    await agent.revert({ change, path: 'memory/a.md' })
    expect((await files.read('memory/b.md')).text).toBe('other\nlines\n')
    // The text alone is not enough: no line around the change is left.
    expect(await standing()).toMatchObject({ hunks: ['undone'] })
    await files.write('memory/b.md', 'one\ntwo\nfour\n', { cause: 'user' })
    const [, later] = await history.timeline({ path: 'memory/b.md', limit: 2 })
    expect(later).toMatchObject({ cause: 'user', isUndo: true })
  })

  it('stores reviewed hunks and notifies every window', async () => {
    const { app, home } = await openHistory()
    const agent = await app.agents.get('main')
    const told: string[] = []
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const follow = async () => {
      for await (const event of app.events.subscribe('event', { signal: stop.signal })) told.push(event.type)
    }
    void follow().catch(() => undefined)
    const { change = 0 } = await agent.workspace.write('memory/a.md', 'one\n', { cause: 'agent' })
    const before = told.filter((type) => type === 'historyChanged').length
    for (const key of ['k1', 'k2', 'k1']) agent.history.log.markReviewed(change, 'memory/a.md', key)
    await until(() => told.filter((type) => type === 'historyChanged').length >= before + 3)
    await app.close()
    const again = await openAppOn(home)
    const { history } = await again.app.agents.get('main')
    expect(history.timeline({ path: 'memory/a.md', limit: 1 })).toMatchObject([{ reviewed: ['k1', 'k2'] }])
  })
})

describe('file operations', () => {
  it('move, duplicate, remove and restore never overwrite or delete a file', async () => {
    const { files, workspace, agent } = await openHistory({ 'memory/a.md': 'a\n', 'memory/b.md': 'b\n' })
    await expect(
      files.runTransaction({ move: { from: 'memory/a.md', to: 'memory/b.md' } }, [], { cause: 'user' }),
    ).rejects.toMatchObject({
      code: 'file_exists',
    })
    await expect(
      files.runTransaction({ move: { from: 'memory/none.md', to: 'memory/c.md' } }, [], { cause: 'user' }),
    ).rejects.toMatchObject({
      code: 'file_not_found',
    })
    await expect(
      files.runTransaction({ move: { from: 'memory/a.md', to: '../a.md' } }, [], { cause: 'user' }),
    ).rejects.toMatchObject({
      code: 'path_outside_workspace',
    })
    expect(await files.duplicate('memory/a.md', { cause: 'user' })).toBe('memory/a 2.md')
    expect(await files.duplicate('memory/a 2.md', { cause: 'user' })).toBe('memory/a 3.md')
    const { trashed, write } = await files.remove('memory/a.md', { cause: 'user' })
    expect(trashed).toMatch(/^\.trash\/\d+\/memory\/a\.md$/)
    expect(await readFile(join(workspace, trashed), 'utf8')).toBe('a\n')
    expect((await files.list()).files.map(({ path }) => path)).not.toContain('memory/a.md')
    await agent.memory.settle(5000)
    await files.write('memory/a.md', 'another\n', { cause: 'user' })
    const undo = () => agent.revert({ change: write.change ?? 0 })
    await expect(undo()).rejects.toMatchObject({ code: 'undo_conflict' })
    expect((await files.read('memory/a.md')).text).toBe('another\n')
    await files.remove('memory/a.md', { cause: 'user' })
    await undo()
    expect((await files.read('memory/a.md')).text).toBe('a\n')
  })
})

describe('data of a moved file', () => {
  it('moves checks and drafts along with the file', async () => {
    const { agent, files } = await openHistory({ 'memory/a.md': '# A\n\nThe gate code is 4711.\n' })
    await agent.savedQueries.add({ query: 'gate code', relevant: [{ path: 'memory/a.md', startLine: 3, endLine: 3 }] })
    const draft = { text: 'typed', baseText: '', baseHash: null }
    await agent.drafts.saveFile('memory/a.md', 'one', draft)
    await agent.drafts.saveFile('memory/a.md', 'two', { ...draft, text: 'other' })
    await files.runTransaction({ move: { from: 'memory/a.md', to: 'notes/b.md' } }, [], { cause: 'user' })
    const [check] = (await agent.savedQueries.list()).checks
    expect(check?.relevant).toEqual([{ path: 'notes/b.md', startLine: 3, endLine: 3, state: 'there' }])
    const kept = await agent.drafts.ofFile('notes/b.md')
    expect(kept.map(({ writer, draft: { text } }) => `${writer}: ${text}`).toSorted()).toEqual([
      'one: typed',
      'two: other',
    ])
    expect(await agent.drafts.ofFile('memory/a.md')).toEqual([])
    await expect(agent.readFile('memory/a.md')).rejects.toMatchObject({
      code: 'file_not_found',
      data: { movedTo: 'notes/b.md' },
    })
  })
})

describe('concurrent writers', () => {
  it('loses no line of editor, agent and other programs without a conflict, over many rounds', async () => {
    const { files, workspace } = await openHistory({ 'memory/shared.md': `${'line\n'.repeat(30)}` })
    const path = 'memory/shared.md'
    const disk = join(workspace, path)
    let seed = 42
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % below
    }
    const insert = (text: string, line: string) => {
      const lines = text.split('\n')
      lines.splice(random(lines.length), 0, line)
      return lines.join('\n')
    }
    const all = rounds(50, 1000)
    let conflicts = 0
    const kept = new Set<string>()
    for (let round = 0; round < all; round += 1) {
      const opened = await files.read(path)
      const mine = insert(opened.text, `mine ${round}`)
      const writers = [
        async () => {
          await files.edit(path, { cause: 'agent' }, (text = '') => `${text.trimEnd()}\nagent ${round}\n`)
          kept.add(`agent ${round}`)
        },
        async () => {
          // Replace the file by another, like `sed -i`, Git and sync programs.
          const text = insert(await readFile(disk, 'utf8'), `outside ${round}`)
          await writeFile(`${disk}.tmp`, text)
          await rename(`${disk}.tmp`, disk)
          kept.add(`outside ${round}`)
        },
      ]
      await writers[random(2)]?.()
      try {
        await files.save(path, mine, { hash: opened.hash, baseText: opened.text })
        kept.add(`mine ${round}`)
      } catch (error) {
        expect(error).toMatchObject({ code: 'file_changed' })
        conflicts += 1
      }
      if (round % 50 === 49) {
        const lines = new Set((await readFile(disk, 'utf8')).split('\n'))
        for (const line of kept) expect(lines.has(line), line).toBe(true)
        // Short files cause more conflicts.
        await files.write(path, 'line\n'.repeat(30), { cause: 'user' })
        kept.clear()
      }
    }
    expect(conflicts).toBeGreaterThan(0)
    expect(conflicts).toBeLessThan(all / 2)
  }, 120_000)

  it('with two apps on one state folder, both record and read', async () => {
    const { home } = await prepareFolders({ files: { 'MEMORY.md': 'one\n' } })
    const { app: first } = await openAppOn(home)
    const one = await first.agents.get('main')
    await one.history.flush()
    const { app: second } = await openAppOn(home)
    const other = await second.agents.get('main')
    await other.workspace.write('MEMORY.md', 'from the second\n', { cause: 'user' })
    await until(async () => one.history.timeline({ limit: 1 })[0]?.cause === 'user')
    expect(other.history.timeline({ limit: 1 })[0]?.cause).toBe('user')
  })
})
