import { execFileSync } from 'node:child_process'
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { Mutex } from '../../../src/main/platform/fs/mutex.ts'
import { ReviewedHunks } from '../../../src/main/workspace/history/reviewed-hunks.ts'
import { HistoryController } from '../../../src/main/workspace/history/history-controller.ts'
import { workerEntry } from '../../../src/main/platform/workers/worker-start.ts'
import { Workspace } from '../../../src/main/workspace/files/workspace.ts'
import { parseLargeChange } from '../../../src/shared/util/large-change.ts'
import { mainFolder, openTestApp, prepareFolders } from '../../support/app.ts'
import { temporaryFolder, until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { rounds } from '../../support/thorough.ts'

async function openHistory(files: Record<string, string> = {}, config?: string) {
  const test = await openTestApp({ files, watch: true, ...(config ? { config } : {}) })
  const agent = await test.app.agents.get('main')
  const { history, workspace } = agent
  if (!history) throw new Error('no history')
  await history.flush()
  const timeline = async (path?: string) => {
    const changes = await history.timeline({ path, limit: 100 })
    return changes.map(({ cause, file }) => `${cause} ${file.path} +${file.added} -${file.removed}`)
  }
  return { ...test, agent, history, files: workspace, timeline }
}

describe('history', () => {
  it('records every change with its cause, newest first', async () => {
    const { files, timeline, workspace } = await openHistory({ 'MEMORY.md': 'one\n' })
    await files.write('MEMORY.md', 'one\ntwo\n', { cause: 'user' })
    await files.remember('a note', new Date(2026, 0, 20, 9, 5), { cause: 'capture' })
    await writeFile(join(workspace, 'MEMORY.md'), 'one\ntwo\nthree\n')
    await until(async () => (await timeline()).length >= 4)
    expect(await timeline()).toEqual([
      'outside MEMORY.md +1 -0',
      'capture memory/2026-01-20.md +3 -0',
      'user MEMORY.md +1 -0',
      'adopted MEMORY.md +1 -0',
    ])
  })

  it('returns each of 1,000 adopted notes once, in a small response', async () => {
    const notes = Object.fromEntries(Array.from({ length: 1000 }, (_, number) => [`notes/${number}.md`, `${number}\n`]))
    const { history } = await openHistory(notes)
    const changes = await history.timeline({ limit: 100 })
    expect(new Set(changes.map(({ file }) => file.path)).size).toBeGreaterThanOrEqual(1000)
    expect(JSON.stringify(changes).length).toBeLessThan(500_000)
  })

  it('records existing files as adopted and returns them as one row', async () => {
    const { history, workspace, files, home, app } = await openHistory({ 'notes/a.md': 'a\n', 'notes/b.md': 'b\n' })
    await files.write('notes/c.md', 'c\n', { cause: 'user' })
    await writeFile(join(workspace, 'notes/d.md'), 'd\n')
    await until(async () => (await history.entries({ limit: 10, groupAdopted: true })).length >= 3)
    const told = async (from: typeof history) =>
      (await from.entries({ limit: 10, groupAdopted: true })).map(({ cause, path, files: count }) => [
        cause,
        count ?? path,
      ])
    const all = [
      ['outside', 'notes/d.md'],
      ['user', 'notes/c.md'],
      ['adopted', 3],
    ]
    expect(await told(history)).toEqual(all)
    expect(await history.entries({ path: 'notes/a.md', limit: 10 })).toMatchObject([{ cause: 'adopted', added: 1 }])
    // Changes while the app is closed count as changes, even if the history began empty.
    await app.close()
    await writeFile(join(workspace, 'notes/e.md'), 'e\n')
    const again = await createApp({ mainFolder, env: {}, home, watch: true })
    onTestFinished(() => again.close())
    const reopened = (await again.agents.get('main')).history
    await reopened?.flush()
    expect(reopened && (await told(reopened))).toEqual([['outside', 'notes/e.md'], ...all])
  })

  it('undoing the creation of a file moves it to the trash; restore and redo bring it back', async () => {
    const { agent, files, app } = await openHistory()
    const { patch } = await files.describe(await files.write('notes/new.md', '# New\n\nline\n', { cause: 'outside' }))
    const { trashed } = await agent.undo('notes/new.md', patch, undefined)
    expect(await files.exists('notes/new.md')).toBe(false)
    expect(await agent.revertStatus('notes/new.md', patch)).toMatchObject({ hunks: ['undone'] })
    // A second undo, as from another window, creates no empty file.
    expect(await agent.undo('notes/new.md', patch, undefined)).not.toHaveProperty('trashed')
    expect(await files.exists('notes/new.md')).toBe(false)
    await files.restore(trashed ?? '', { cause: 'user' })
    expect((await files.read('notes/new.md')).text).toBe('# New\n\nline\n')
    await agent.undo('notes/new.md', patch, undefined)
    await agent.redo('notes/new.md', patch, undefined)
    expect((await files.read('notes/new.md')).text).toBe('# New\n\nline\n')
    expect(await agent.revertStatus('notes/new.md', patch)).toMatchObject({ hunks: ['there'] })
    await app.close()
  })

  it('redoes an undone change unless its lines have changed', async () => {
    const { agent, files } = await openHistory({ 'MEMORY.md': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n' })
    const change = await files.write('MEMORY.md', 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n', { cause: 'agent' })
    const { patch } = await files.describe(change)
    await agent.undo('MEMORY.md', patch, undefined)
    await agent.redo('MEMORY.md', patch, undefined)
    expect((await files.read('MEMORY.md')).text).toBe(change.after)
    await agent.undo('MEMORY.md', patch, undefined)
    await files.write('MEMORY.md', 'uno\ntwo\nthree\nfour\nfive\nsix\nseven\n', { cause: 'user' })
    await expect(agent.redo('MEMORY.md', patch, undefined)).rejects.toMatchObject({ code: 'undo_conflict' })
    // Long enough that the patch refers to the texts by id.
    const lines = (word: string) => Array.from({ length: 3000 }, (_, line) => `${word} ${line}\n`).join('')
    await files.write('long.md', lines('old'), { cause: 'user' })
    const long = await files.describe(await files.write('long.md', lines('new'), { cause: 'agent' }))
    await agent.undo('long.md', long.patch, undefined)
    expect((await files.read('long.md')).text).toBe(lines('old'))
    await agent.redo('long.md', long.patch, undefined)
    expect((await files.read('long.md')).text).toBe(lines('new'))
  })

  it('returns a recorded text while the recorder waits for the write lock', async () => {
    const { files, history, workspace } = await openHistory({ 'memory/a.md': 'one\n' })
    const lines = (word: string) => Array.from({ length: 3000 }, (_, line) => `${word} ${line}\n`).join('')
    await files.write('long.md', lines('old'), { cause: 'user' })
    const { patch } = await files.describe(await files.write('long.md', lines('new'), { cause: 'agent' }))
    await history.flush()
    const { before } = parseLargeChange(patch) ?? {}
    await new Mutex(workspace).run(async () => {
      await writeFile(join(workspace, 'memory/a.md'), 'two\n')
      history.recordExternalChanges(['memory/a.md'])
      expect(await history.text(before ?? '')).toBe(lines('old'))
    })
    const newest = async () => (await history.timeline({ path: 'memory/a.md', limit: 1 }))[0]
    await until(async () => (await newest())?.cause === 'outside')
  })

  it("records the session and the message of an agent's change", async () => {
    const server = await startModelServer(
      { calls: [{ name: 'write', arguments: { path: 'memory/a.md', content: 'walrus\n' } }] },
      { text: 'done' },
    )
    const config = `providers: { anthropic: { baseUrl: "${server.url}" } }\nagents: { list: [{ id: main, workspace: "{{workspace}}", model: anthropic/m }] }\n`
    const { app } = await openTestApp({ config, env: { ANTHROPIC_API_KEY: 'k' }, watch: true })
    const { chat, sessions, history } = await app.agents.get('main')
    const { session, ended } = await chat.send({ text: 'write it down' })
    await ended
    const [question] = (await sessions.get(session)).messages()
    const changes = await history?.timeline({ path: 'memory/a.md', limit: 1 })
    expect(changes).toMatchObject([{ cause: 'agent', session, turn: question?.id }])
  })

  it('attributes changes by other programs correctly, even right before our own write', async () => {
    const { files, history, workspace, timeline } = await openHistory({ 'MEMORY.md': 'one\n' })
    await writeFile(join(workspace, 'MEMORY.md'), 'one\nfrom outside\n')
    await files.edit('MEMORY.md', { cause: 'agent', session: 's', turn: 't' }, (text = '') => `${text}from the agent\n`)
    await history.flush()
    expect((await timeline('MEMORY.md')).slice(0, 2)).toEqual(['agent MEMORY.md +1 -0', 'outside MEMORY.md +1 -0'])
    const blamed = await history.blame('MEMORY.md')
    expect(blamed.map(({ cause, session, turn }) => [cause, session, turn])).toEqual([
      ['adopted', undefined, undefined],
      ['outside', undefined, undefined],
      ['agent', 's', 't'],
    ])
  })

  it('records changes that were made while the app was closed', async () => {
    const folders = await prepareFolders({ files: { 'MEMORY.md': 'one\n', 'memory/old.md': 'old\n' } })
    const open = () => createApp({ mainFolder, env: {}, home: folders.home })
    const first = await open()
    await (await first.agents.get('main')).history?.flush()
    await first.close()
    await appendFile(join(folders.workspace, 'MEMORY.md'), 'two\n')
    await rm(join(folders.workspace, 'memory/old.md'))
    await writeFile(join(folders.workspace, '新.md'), '新\n')
    const second = await open()
    const { history } = await second.agents.get('main')
    const changes = (await history?.timeline({ limit: 10 })) ?? []
    const found = changes.slice(0, 3).map(({ cause, file }) => `${cause} ${file.path} ${file.after !== null}`)
    expect(found.sort()).toEqual(['outside MEMORY.md true', 'outside memory/old.md false', 'outside 新.md true'])
    await second.close()
  })

  it('keeps the cause of a change by another process', async () => {
    const folders = await prepareFolders({})
    const first = await createApp({ mainFolder, env: {}, home: folders.home })
    await (await first.agents.get('main')).history?.flush()
    const command = await createApp({ mainFolder, env: {}, home: folders.home, watch: false })
    const agent = await command.agents.get('main')
    await agent.workspace.remember('from the terminal', new Date(2026, 0, 20, 9, 5), { cause: 'capture' })
    await command.close()
    const { history } = await first.agents.get('main')
    await until(async () => (await history?.timeline({ limit: 1 }))?.[0]?.file.path === 'memory/2026-01-20.md')
    expect((await history?.timeline({ limit: 1 }))?.[0]?.cause).toBe('capture')
    await first.close()
  })

  it('follows a file through moves; a moved file is not a new one', async () => {
    const { files, timeline, history } = await openHistory({ 'memory/a.md': 'one\n' })
    await files.write('memory/a.md', 'one\ntwo\n', { cause: 'user' })
    await files.move('memory/a.md', 'notes/b.md', { cause: 'user' })
    await files.write('notes/b.md', 'one\ntwo\nthree\n', { cause: 'agent' })
    await history.flush()
    // On a busy machine, the move is recorded after the change before it, and not with it.
    const changes = [['user notes/b.md +1 -0'], ['user notes/b.md +0 -0', 'user memory/a.md +1 -0']]
    expect(changes.map((middle) => ['agent notes/b.md +1 -0', ...middle, 'adopted memory/a.md +1 -0'])).toContainEqual(
      await timeline('notes/b.md'),
    )
    expect((await history.blame('notes/b.md')).map(({ cause }) => cause)).toEqual(['adopted', 'user', 'agent'])
  })

  it('restores a version from before a move to the current path', async () => {
    const { agent, files, history } = await openHistory({ 'memory/a.md': 'one\n' })
    await files.move('memory/a.md', 'memory/b.md', { cause: 'user' })
    await files.write('memory/a.md', 'another\n', { cause: 'user' })
    await history.flush()
    await files.move('memory/b.md', 'notes/c.md', { cause: 'user' })
    await files.write('notes/c.md', 'one\ntwo\n', { cause: 'user' })
    const entries = await history.entries({ path: 'notes/c.md', limit: 10 })
    const oldest = entries.at(-1)
    expect(oldest).toMatchObject({ path: 'memory/a.md', now: 'notes/c.md' })
    const restored = await agent.restoreVersion(oldest?.commit ?? '', 'memory/a.md')
    expect(restored).toMatchObject({ path: 'notes/c.md', patch: expect.stringContaining('-two') })
    expect((await files.read('notes/c.md')).text).toBe('one\n')
    expect((await files.read('memory/a.md')).text).toBe('another\n')
    expect((await history.entries({ path: 'memory/a.md', limit: 10 }))[0]).toMatchObject({ now: 'memory/a.md' })
    expect(await history.currentPath('memory/b.md')).toBe('notes/c.md')
  })

  it('returns the status of a change after moves, undo and other changes', async () => {
    const { agent, files, history } = await openHistory({ 'memory/a.md': 'one\ntwo\n' })
    const write = await files.write('memory/a.md', 'one\ntwo\nthree\n', { cause: 'agent', session: 's', turn: 't' })
    const { patch } = await files.describe(write)
    const standing = () => agent.revertStatus('memory/a.md', patch)
    expect(await standing()).toEqual({ path: 'memory/a.md', hunks: ['there'] })
    await files.move('memory/a.md', 'memory/b.md', { cause: 'user' })
    expect(await standing()).toEqual({ path: 'memory/b.md', hunks: ['there'] })
    await files.write('memory/b.md', 'other\nlines\nthree\n', { cause: 'user' })
    expect(await standing()).toMatchObject({ hunks: ['there'] })
    await agent.undo('memory/a.md', patch, undefined)
    expect((await files.read('memory/b.md')).text).toBe('other\nlines\n')
    // The text alone is not enough: no line around the change is left.
    expect(await standing()).toMatchObject({ hunks: ['undone'] })
    await files.write('memory/b.md', 'one\ntwo\nfour\n', { cause: 'user' })
    const [, later] = await history.timeline({ path: 'memory/b.md', limit: 2 })
    expect(later).toMatchObject({ cause: 'user', isUndo: true })
  })

  it('distinguishes an edited line from an undone one', async () => {
    const { agent, files } = await openHistory({ 'MEMORY.md': 'one\ntwo\n' })
    const { patch } = await files.describe(await files.write('MEMORY.md', 'one\ntwo\nthree\n', { cause: 'agent' }))
    await files.write('MEMORY.md', 'one\ntwo\n3\n', { cause: 'user' })
    expect(await agent.revertStatus('MEMORY.md', patch)).toMatchObject({ hunks: ['changed'] })
    await expect(agent.undo('MEMORY.md', patch, undefined)).rejects.toMatchObject({ code: 'undo_conflict' })
    await files.write('MEMORY.md', 'one\ntwo\nthree\n', { cause: 'user' })
    await agent.undo('MEMORY.md', patch, undefined)
    // A second undo, as from another window.
    await agent.undo('MEMORY.md', patch, undefined)
    expect((await files.read('MEMORY.md')).text).toBe('one\ntwo\n')
  })

  it('stores accepted hunks and notifies every window', async () => {
    const { app, home } = await openHistory()
    const agent = await app.agents.get('main')
    const told: string[] = []
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const follow = async () => {
      for await (const event of app.events.subscribe('event', { signal: stop.signal })) told.push(event.type)
    }
    void follow().catch(() => undefined)
    const hunk = { commit: 'a'.repeat(40), key: 'k1' }
    await Promise.all([agent.reviewedHunks.accept(hunk), agent.reviewedHunks.accept({ ...hunk, key: 'k2' })])
    await agent.reviewedHunks.accept(hunk)
    await until(() => told.filter((type) => type === 'acceptedChanged').length === 3)
    const again = new ReviewedHunks(join(home, 'history', 'main'), () => undefined)
    expect(await again.list()).toEqual([{ ...hunk, key: 'k2' }, hunk])
  })

  it('returns the texts before and after a change, and refuses an unknown one', async () => {
    const { files, history } = await openHistory({ 'MEMORY.md': 'one\n' })
    await files.write('MEMORY.md', 'two\n', { cause: 'user' })
    const [newest] = await history.timeline({ path: 'MEMORY.md', limit: 1 })
    const diff = await history.diff(newest?.commit ?? '', 'MEMORY.md')
    expect(diff).toMatchObject({ before: 'one\n', after: 'two\n', patch: expect.stringContaining('-one\n+two') })
    await expect(history.diff('0'.repeat(40), 'MEMORY.md')).rejects.toMatchObject({ code: 'file_not_found' })
  })

  it('records the last state of each file after many quick writes', async () => {
    const { files, history } = await openHistory({ 'MEMORY.md': 'one\n' })
    const at = new Date(2026, 0, 20, 9, 5)
    await Promise.all(
      Array.from({ length: rounds(50, 1000) }, (_, number) =>
        files.write(`memory/${number % 20}.md`, `${number}\n`, { cause: number % 2 === 0 ? 'user' : 'agent' }),
      ),
    )
    await files.remember('the last', at, { cause: 'capture' })
    await history.flush()
    const changes = await history.timeline({ limit: 1000 })
    expect(changes[0]?.file.path).toBe('memory/2026-01-20.md')
    const newest = changes.find(({ file }) => file.path === 'memory/19.md')
    expect((await history.diff(newest?.commit ?? '', 'memory/19.md')).after).toBe(
      await readFile(await files.locate('memory/19.md'), 'utf8'),
    )
  }, 120_000)

  it("writes a repository that Git can read, and leaves the user's own alone", async () => {
    const { files, history, home, workspace } = await openHistory({ 'MEMORY.md': 'one\n', '.git/HEAD': 'untouched' })
    await files.write('memory/a.md', 'two\n', { cause: 'user' })
    await history.flush()
    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', join(home, 'history/main/repository.git'), ...args], { encoding: 'utf8' })
    expect(git('log', '--format=%an', 'main').trim().split('\n')).toEqual(['user', 'adopted'])
    expect(git('show', 'main:memory/a.md')).toBe('two\n')
    expect(git('fsck', '--full')).toBe('')
    expect(await readFile(join(workspace, '.git/HEAD'), 'utf8')).toBe('untouched')
  })

  it('reads and continues a history whose oldest part was deleted by an earlier version', async () => {
    const folders = await prepareFolders({ files: { 'MEMORY.md': 'v0\n' } })
    const app = await createApp({ mainFolder, env: {}, home: folders.home })
    const agent = await app.agents.get('main')
    await agent.history?.flush()
    for (let number = 1; number <= 5; number += 1) {
      await agent.workspace.write('MEMORY.md', `v${number}\n`, { cause: 'user' })
      await agent.history?.flush()
    }
    await app.close()
    const { Repository } = await import('../../../src/main/workspace/history/repository.ts')
    const gitdir = join(folders.home, 'history/main/repository.git')
    const repository = await Repository.open(gitdir, folders.workspace)
    const log = await repository.log()
    expect(log).toHaveLength(6)
    await writeFile(join(gitdir, 'shallow'), `${log[0]?.commit}\n`)
    execFileSync('git', ['--git-dir', gitdir, 'prune', '--expire', 'now'])
    const again = await Repository.open(gitdir, folders.workspace)
    expect(await again.log()).toHaveLength(1)
    expect(await again.text(log[0]?.files[0]?.after ?? '')).toBe('v5\n')
    expect(execFileSync('git', ['--git-dir', gitdir, 'log', '--format=%an', 'main'], { encoding: 'utf8' })).toBe(
      'user\n',
    )
    await expect(again.text(log[1]?.files[0]?.before ?? '')).rejects.toThrow('Could not find')
    const later = await createApp({ mainFolder, env: {}, home: folders.home })
    onTestFinished(() => later.close())
    const main = await later.agents.get('main')
    await main.workspace.write('MEMORY.md', 'v6\n', { cause: 'user' })
    // The closed app may release its lock only after the flush.
    await until(async () => {
      await main.history?.flush()
      return (await main.history?.timeline({ limit: 10 }))?.length === 2
    })
  })

  it('with two apps on one state folder, one records and both can read', async () => {
    const folders = await prepareFolders({ files: { 'MEMORY.md': 'one\n' } })
    const first = await createApp({ mainFolder, env: {}, home: folders.home })
    const one = await first.agents.get('main')
    await one.history?.flush()
    const second = await createApp({ mainFolder, env: {}, home: folders.home })
    const other = await second.agents.get('main')
    await other.workspace.write('MEMORY.md', 'from the second\n', { cause: 'user' })
    await until(async () => (await one.history?.timeline({ limit: 1 }))?.[0]?.cause === 'user')
    expect((await other.history?.timeline({ limit: 1 }))?.[0]?.cause).toBe('user')
    await second.close()
    await first.close()
  })
})

describe('file operations', () => {
  it('move, duplicate, remove and restore never overwrite or delete a file', async () => {
    const { files, workspace, agent } = await openHistory({ 'memory/a.md': 'a\n', 'memory/b.md': 'b\n' })
    await expect(files.move('memory/a.md', 'memory/b.md', { cause: 'user' })).rejects.toMatchObject({
      code: 'file_exists',
    })
    await expect(files.move('memory/none.md', 'memory/c.md', { cause: 'user' })).rejects.toMatchObject({
      code: 'file_not_found',
    })
    await expect(files.move('memory/a.md', '../a.md', { cause: 'user' })).rejects.toMatchObject({
      code: 'path_outside_workspace',
    })
    expect(await files.duplicate('memory/a.md', { cause: 'user' })).toBe('memory/a 2.md')
    expect(await files.duplicate('memory/a 2.md', { cause: 'user' })).toBe('memory/a 3.md')
    const { trashed } = await files.remove('memory/a.md', { cause: 'user' })
    expect(trashed).toMatch(/^\.trash\/\d+\/memory\/a\.md$/)
    expect(await readFile(join(workspace, trashed), 'utf8')).toBe('a\n')
    expect((await files.list()).files.map(({ path }) => path)).not.toContain('memory/a.md')
    await agent.memory.settle(5000)
    await files.write('memory/a.md', 'another\n', { cause: 'user' })
    await expect(files.restore(trashed, { cause: 'user' })).rejects.toMatchObject({ code: 'file_exists' })
    await files.move('memory/a.md', 'memory/moved away.md', { cause: 'user' })
    await files.restore(trashed, { cause: 'user' })
    expect((await files.read('memory/a.md')).text).toBe('a\n')
    await expect(files.restore('memory/b.md', { cause: 'user' })).rejects.toMatchObject({ code: 'file_not_found' })
  })
})

describe('data of a moved file', () => {
  it('moves checks and drafts along with the file', async () => {
    const { agent, files } = await openHistory({ 'memory/a.md': '# A\n\nThe gate code is 4711.\n' })
    await agent.savedQueries.add({ query: 'gate code', relevant: [{ path: 'memory/a.md', startLine: 3, endLine: 3 }] })
    const draft = { text: 'typed', baseText: '', baseHash: null }
    await agent.fileDrafts.save('memory/a.md', 'one', draft)
    await agent.fileDrafts.save('memory/a.md', 'two', { ...draft, text: 'other' })
    await files.move('memory/a.md', 'notes/b.md', { cause: 'user' })
    const [check] = (await agent.savedQueries.list()).checks
    expect(check?.relevant).toEqual([{ path: 'notes/b.md', startLine: 3, endLine: 3, state: 'there' }])
    const kept = await agent.fileDrafts.list('notes/b.md')
    expect(kept.map(({ writer, draft: { text } }) => `${writer}: ${text}`).toSorted()).toEqual([
      'one: typed',
      'two: other',
    ])
    expect(await agent.fileDrafts.list('memory/a.md')).toEqual([])
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
})

describe('idle history worker', () => {
  it('is not started again by a write after the history was closed', async () => {
    const { files, history } = await openHistory()
    await files.write('memory/a.md', 'one\n', { cause: 'user' })
    await history.close()
    history.scheduleRecording('memory/a.md')
    history.recordExternalChanges(['memory/a.md'])
    await sleep(200)
    expect(history.isWorkerRunning).toBe(false)
  })

  it('stops when idle, and records every change before, during and after exactly once', async () => {
    const folder = await temporaryFolder()
    const root = await temporaryFolder()
    const workspace = new Workspace({ workspace: root, forbidden: [] })
    const faults: unknown[] = []
    const idleMs = 100
    const recording = new HistoryController({
      entry: workerEntry(mainFolder, 'workspace/history/history.worker'),
      folder,
      roots: workspace.roots,
      settings: () => ({ enabled: true }),
      isLongRunning: true,
      now: () => new Date(),
      idleMs,
      onFault: (error) => faults.push(error),
    })
    const { history } = recording
    if (!history) throw new Error('the history is off')
    workspace.changes.subscribe((write) => recording.record(write))
    let expected = 0
    for (let round = 0; round < 12; round += 1) {
      await workspace.write(`memory/${round}.md`, `round ${round}\n`, { cause: round % 2 === 0 ? 'user' : 'agent' })
      expected += 1
      // The worker is running, about to stop, or stopped.
      if (round % 3 === 1) await sleep(idleMs)
      else if (round % 3 === 2) await until(() => !history.isWorkerRunning)
      if (round % 4 === 3) {
        await writeFile(join(root, `memory/${round}.md`), `round ${round}\nby another\n`)
        history.recordExternalChanges([`memory/${round}.md`])
        expected += 1
      }
    }
    await until(() => !history.isWorkerRunning)
    const changes = await history.timeline({ limit: 100 })
    expect(changes).toHaveLength(expected)
    expect(changes.filter(({ cause }) => cause === 'outside')).toHaveLength(3)
    await until(() => !history.isWorkerRunning)
    await recording.close()
    expect(faults).toEqual([])
    expect(
      execFileSync('git', ['--git-dir', history.repository, 'fsck', '--strict'], { encoding: 'utf8' }),
    ).not.toMatch(/error/)
  }, 30_000)
})
