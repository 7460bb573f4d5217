import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ChangeLog } from '../../../src/main/workspace/changes/change-log.ts'
import { queryTimeline, textsOf } from '../../../src/main/workspace/changes/queries.ts'
import { WrittenDays } from '../../../src/main/workspace/changes/written-days.ts'
import { folderWith, temporaryFolder, until } from '../../support/folder.ts'
import { type HistoryOptions, openHistoryOf } from '../../support/history.ts'

/** @param root the folder of an earlier history */
async function openHistory({ root: earlier, ...options }: HistoryOptions & { readonly root?: string } = {}) {
  const root = earlier ?? (await temporaryFolder())
  return { root, ...(await openHistoryOf(join(root, 'notes'), join(root, 'history/log.sqlite'), options)) }
}

describe('change log', () => {
  it('records each change with its author, newest first, and its texts', async () => {
    const { workspace, history, timeline } = await openHistory({ files: { 'a.md': 'one\n' } })
    await workspace.write('a.md', 'one\ntwo\n', { cause: 'user' })
    const write = await workspace.write('b.md', 'b\n', {
      cause: 'agent',
      session: 's1',
      turn: 't1',
      sources: ['web: x'],
    })
    expect(timeline()).toEqual(['agent b.md +1 -0', 'user a.md +1 -0', 'adopted a.md +1 -0'])
    const [newest] = history.timeline({ session: 's1', limit: 10 })
    expect(newest).toMatchObject({ change: write.change, session: 's1', turn: 't1', sources: ['web: x'], exists: true })
    expect(await history.diff(write.change ?? 0, 'b.md')).toMatchObject({ before: null, after: 'b\n' })
    await expect(history.diff(write.change ?? 0, 'a.md')).rejects.toMatchObject({ code: 'file_not_found' })
    await expect(history.diff(9999, 'a.md')).rejects.toMatchObject({ code: 'file_not_found' })
  })

  it('records changes by other programs once, also right before an own write and while the app was closed', async () => {
    const { root, folder, workspace, history, timeline, close } = await openHistory({ files: { 'a.md': 'one\n' } })
    await writeFile(join(folder, 'a.md'), 'one\noutside\n')
    await workspace.edit('a.md', { cause: 'agent' }, (text = '') => `${text}agent\n`)
    history.recordExternalChanges(['a.md'])
    await history.flush()
    expect(timeline('a.md')).toEqual(['agent a.md +1 -0', 'outside a.md +1 -0', 'adopted a.md +1 -0'])
    await close()
    await writeFile(join(folder, 'a.md'), 'closed\n')
    await writeFile(join(folder, 'new.md'), 'new\n')
    const again = await openHistory({ root })
    expect(again.timeline().slice(0, 2).sort()).toEqual(['outside a.md +1 -3', 'outside new.md +1 -0'])
    await again.history.applySettings()
    expect(again.timeline()).toHaveLength(5)
  })

  it('tells on which day a line was written, except for lines of found files', async () => {
    let now = new Date('2026-11-20T12:00:00')
    const { file, folder, workspace, history } = await openHistory({ files: { 'a.md': 'found\n' }, now: () => now })
    await workspace.write('a.md', 'found\nfirst\n', { cause: 'user' })
    await writeFile(join(folder, 'a.md'), 'found\noutside\nfirst\n')
    await writeFile(join(folder, 'whole.md'), 'whole\n')
    history.recordExternalChanges(['a.md', 'whole.md'])
    await history.flush()
    now = new Date('2026-11-22T12:00:00')
    await workspace.edit('a.md', { cause: 'user' }, (text = '') => `${text}second\n`)
    await history.flush()
    const days = new WrittenDays(file)
    onTestFinished(() => days.close())
    const dayOf = async (path: string, line: number) => days.of(path, (await workspace.read(path)).hash, line)
    expect(await Promise.all([1, 2, 3, 4].map((line) => dayOf('a.md', line)))).toEqual([
      { day: '2026-11-20', isWritten: false },
      { day: '2026-11-20', isWritten: true },
      { day: '2026-11-20', isWritten: true },
      { day: '2026-11-22', isWritten: true },
    ])
    expect(await dayOf('whole.md', 1)).toEqual({ day: '2026-11-20', isWritten: false })
    expect(days.of('a.md', 'another version', 2)).toBeUndefined()
  })

  it('follows a note through moves by the app and by other programs', async () => {
    const { folder, workspace, history, timeline } = await openHistory({ files: { 'a.md': 'one\n' } })
    await workspace.runTransaction({ move: { from: 'a.md', to: 'sub/b.md' } }, [], { cause: 'user' })
    await workspace.write('sub/b.md', 'two\n', { cause: 'user' })
    await rename(join(folder, 'sub/b.md'), join(folder, 'c.md'))
    history.recordExternalChanges(['sub/b.md', 'c.md'])
    await history.flush()
    await workspace.write('a.md', 'another note\n', { cause: 'user' })
    expect(timeline('c.md')).toEqual([
      'outside c.md +0 -0',
      'user sub/b.md +1 -1',
      'user sub/b.md +0 -0',
      'adopted a.md +1 -0',
    ])
    expect(timeline('a.md')).toEqual(['user a.md +1 -0'])
    expect(history.currentPath('sub/b.md')).toBe('c.md')
    expect(await history.blame('c.md')).toMatchObject([{ cause: 'user' }])
  })

  it('returns the text of a note at a time', async () => {
    let now = new Date(2026, 0, 1)
    const { workspace, history } = await openHistory({ now: () => now })
    await workspace.write('a.md', 'first\n', { cause: 'user' })
    now = new Date(2026, 0, 3)
    await workspace.write('a.md', 'second\n', { cause: 'user' })
    const at = (day: number) => history.textAt('a.md', new Date(2026, 0, day).getTime())
    expect([at(-1), at(1), at(2), at(3)]).toEqual([undefined, 'first\n', 'first\n', 'second\n'])
  })

  it('undoes and redoes a whole change, one file or one hunk, beside later changes', async () => {
    const lines = (...changed: string[]) => `${changed.concat('c', 'd', 'e', 'f', 'g', 'h').join('\n')}\n`
    const { workspace, history } = await openHistory({ files: { 'a.md': lines('a', 'b') } })
    const read = async () => (await workspace.read('a.md')).text
    const { change = 0 } = await workspace.write('a.md', `${lines('A', 'b').replace('h', 'H')}`, { cause: 'agent' })
    await workspace.write('a.md', `${await read()}later\n`, { cause: 'user' })
    const undo = await workspace.revert({ change, path: 'a.md', hunks: [1] }, { cause: 'user' })
    expect(await read()).toBe(`${lines('A', 'b')}later\n`)
    expect(await history.revertStatus(change, 'a.md', await read())).toEqual(['there', 'undone'])
    await workspace.revert({ change: undo.change ?? 0 }, { cause: 'user' })
    expect(await read()).toBe(`${lines('A', 'b').replace('h', 'H')}later\n`)
    await workspace.revert({ change }, { cause: 'user' })
    expect(await read()).toBe(`${lines('a', 'b')}later\n`)
    await workspace.revert({ change, path: 'a.md', hunks: [0], isRedo: true }, { cause: 'user' })
    expect(await read()).toBe(`${lines('A', 'b')}later\n`)
    await workspace.write('a.md', (await read()).replace('A', 'edited'), { cause: 'user' })
    const again = workspace.revert({ change }, { cause: 'user' })
    await expect(again).rejects.toMatchObject({ code: 'undo_conflict', data: { path: 'a.md', line: 1 } })
    expect(history.timeline({ limit: 100 }).filter(({ isUndo }) => isUndo)).toHaveLength(4)
  })

  it('undoes an appended entry after which another one was appended', async () => {
    const { workspace } = await openHistory({ files: { 'a.md': '# Log\n' } })
    const { change = 0 } = await workspace.write('a.md', '# Log\n\n- one', { cause: 'agent' })
    await workspace.write('a.md', '# Log\n\n- one\n- two\n', { cause: 'agent' })
    await workspace.revert({ change }, { cause: 'user' })
    expect((await workspace.read('a.md')).text).toBe('# Log\n- two\n')
  })

  it('moves a created file to the trash when its change is undone, and takes a removed one back', async () => {
    const { workspace } = await openHistory({ files: { 'kept.md': 'kept\n' } })
    const { change = 0 } = await workspace.write('new.md', 'text\n', { cause: 'agent' })
    const { trashed = '', change: undo = 0 } = await workspace.revert({ change }, { cause: 'user' })
    expect(await workspace.exists('new.md')).toBe(false)
    expect(await workspace.revert({ change }, { cause: 'user' })).toMatchObject({ change: undefined, notes: 0 })
    await workspace.revert({ change: undo }, { cause: 'user' })
    expect((await workspace.read('new.md')).text).toBe('text\n')
    expect(trashed).toMatch(/^\.trash\//)
    const removal = await workspace.remove('kept.md', { cause: 'user' })
    await workspace.revert({ change: removal.write.change ?? 0 }, { cause: 'user' })
    expect((await workspace.read('kept.md')).text).toBe('kept\n')
  })
})

describe('two processes', () => {
  it('that write at the same time lose no change and mix up no author', async () => {
    const root = await folderWith({ 'notes/shared.md': '' })
    const script = fileURLToPath(new URL('../../support/log-writer.ts', import.meta.url))
    const run = async (name: string) => {
      const child = spawn(process.execPath, [script, root, name], { stdio: 'inherit' })
      const [code] = await once(child, 'exit')
      expect(code).toBe(0)
    }
    await Promise.all([run('app'), run('terminal')])
    const log = new ChangeLog(join(root, 'log.sqlite'), join(root, 'notes'))
    const entries = log.read(({ db }) => queryTimeline(db, { limit: 5000 }))
    const changes = entries.filter(({ cause }) => cause === 'client')
    expect(changes).toHaveLength(1000)
    for (const { change, path, client } of changes) {
      const { before, after } = log.read((open) => textsOf(open, change, path))
      expect(after?.slice(before?.length ?? 0)).toMatch(new RegExp(`^${client} \\d+\n$`))
    }
    log.close()
  }, 120_000)
})

describe('stored texts', () => {
  it('stores edits of a note as differences, and reads every version', async () => {
    const body = Array.from({ length: 400 }, (_, line) => `line ${line} ${Math.sin(line)}\n`)
    const { workspace, history, file } = await openHistory({ files: { 'a.md': body.join('') } })
    const texts: string[] = []
    for (let edit = 0; edit < 100; edit += 1) {
      body[(edit * 37) % body.length] = `edited ${edit}\n`
      texts.push(body.join(''))
      await workspace.write('a.md', body.join(''), { cause: 'user' })
    }
    const entries = history.timeline({ path: 'a.md', limit: 1000 }).reverse()
    const stored = entries.slice(1).map(({ change }) => history.texts(change, 'a.md').after)
    expect(stored).toEqual(texts)
    const db = new Database(file, { readonly: true })
    const bytes = db.prepare('SELECT sum(length(data)) FROM versions').pluck().get()
    db.close()
    expect(bytes).toBeLessThan(60_000)
  })

  it('compresses long notes before the transaction, as differences where these are shorter', async () => {
    const { history, workspace } = await openHistory()
    // Numbers, so that the texts are long when compressed.
    const long = (seed: number) =>
      Array.from({ length: 30_000 }, (_, line) => `${(line + 1) * seed * 7919} line ${line}\n`).join('')
    const first = long(3)
    const texts = [first, first.replace('line 15000\n', 'line 15000 edited\n'), long(5), `${long(5)}end\n`, first]
    for (const text of texts) await workspace.write('a.md', text, { cause: 'user' })
    const changes = history.timeline({ path: 'a.md', limit: 10 }).toReversed()
    for (const [index, { change = 0 }] of changes.entries())
      expect((await history.diff(change, 'a.md')).after === texts[index]).toBe(true)
    const rows = history.log.log.run(({ db }) => db.prepare('SELECT base, length(data) AS size FROM versions').all())
    expect(rows).toHaveLength(4)
    expect(rows).toMatchObject([{ base: null }, { base: 1 }, { base: null }, { base: 3 }])
  })

  it('keeps the changes of one day for undo while the history is off, then removes their texts', async () => {
    let [isEnabled, now] = [false, new Date(2026, 0, 1)]
    const { workspace, history, folder } = await openHistory({ enabled: () => isEnabled, now: () => now })
    const { change = 0 } = await workspace.write('a.md', 'secret\n', { cause: 'agent', session: 's1' })
    await workspace.write('a.md', 'secret\nmore\n', { cause: 'user' })
    expect(() => history.timeline({ limit: 1 })).toThrow(expect.objectContaining({ code: 'history_off' }))
    await history.applySettings()
    expect(history.texts(change, 'a.md').after).toBe('secret\n')
    now = new Date(2026, 0, 3)
    await workspace.write('b.md', 'new\n', { cause: 'user' })
    await history.applySettings()
    await until(() => isGone(() => history.texts(change, 'a.md')))
    await expect(workspace.revert({ change }, { cause: 'user' })).rejects.toMatchObject({ code: 'undo_conflict' })
    isEnabled = true
    expect(history.timeline({ path: 'a.md', limit: 5, session: 's1' })).toMatchObject([
      { session: 's1', cause: 'agent' },
    ])
    await workspace.write('a.md', 'secret\nmore\nagain\n', { cause: 'user' })
    expect(history.timeline({ path: 'a.md', limit: 1 })).toMatchObject([{ cause: 'user', added: 1 }])
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('secret\nmore\nagain\n')
  })
})

function isGone(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch {
    return true
  }
}

describe('damaged log', () => {
  const damages: Record<string, (file: string) => Promise<void> | void> = {
    deleted: (file) => rm(file),
    'overwritten with other bytes': (file) => writeFile(file, 'not a database, '.repeat(5000)),
  }
  for (const [name, damage] of Object.entries(damages))
    for (const isOpen of [true, false])
      it(`keeps the notes and begins a new log when it is ${name} ${isOpen ? 'while open' : 'before the start'}`, async () => {
        const first = await openHistory({ files: { 'a.md': 'one\n' } })
        await first.workspace.write('a.md', 'two\n', { cause: 'user' })
        if (!isOpen) await first.close()
        await damage(first.file)
        const { workspace, history, timeline, problems } = isOpen ? first : await openHistory({ root: first.root })
        await workspace.write('a.md', 'three\n', { cause: 'agent' })
        await history.applySettings()
        expect((await workspace.read('a.md')).text).toBe('three\n')
        expect(timeline('a.md')[0]).toBe('agent a.md +1 -1')
        const kept = (await readdir(join(first.root, 'history'))).filter((entry) => entry.includes('.damaged-'))
        const report = problems.flat().findLast(({ code }) => code === 'history_damaged')
        const isNamed = report !== undefined
        // SQLite may have the whole log in the WAL and write it into the file again.
        const isComplete = timeline('a.md').includes('user a.md +1 -1')
        expect(isNamed).toBe(!isComplete)
        expect(kept.length > 0).toBe(isNamed && name.startsWith('overwritten'))
        if (!isOpen) expect(isNamed).toBe(true)
        if (kept.length > 0) expect(report?.message).toContain(kept.toSorted()[0])
      })

  it('writes notes, says so and marks the gap while the log is read-only', async () => {
    const { root, file, folder, close } = await openHistory({ files: { 'a.md': 'one\n' } })
    await close()
    const db = new Database(file)
    db.exec("CREATE TRIGGER full BEFORE INSERT ON change_sets BEGIN SELECT RAISE(ABORT, 'cannot be written'); END")
    db.close()
    const again = await openHistory({ root })
    expect((await again.workspace.write('a.md', 'two\n', { cause: 'user' })).change).toBeUndefined()
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('two\n')
    expect(again.problems.at(-1)).toMatchObject([{ code: 'history_failed' }])
    const repair = new Database(file)
    repair.exec('DROP TRIGGER full')
    repair.close()
    await again.history.applySettings()
    expect(again.problems.at(-1)).toEqual([])
    expect(again.timeline('a.md')[0]).toBe('unrecorded a.md +1 -1')
  })

  it('reports a change that could not be stored during a scan until the next scan', async () => {
    const { file, history, workspace, problems } = await openHistory({ files: { 'a.md': 'one\n' } })
    const db = new Database(file)
    db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON change_sets WHEN new.cause = 'user' BEGIN SELECT RAISE(ABORT, ''); END",
    )
    const scan = history.applySettings()
    await workspace.write('a.md', 'two\n', { cause: 'user' })
    await scan
    expect(problems.at(-1)).toMatchObject([{ code: 'history_failed' }])
    db.close()
    await history.applySettings()
    expect(problems.at(-1)).toEqual([])
  })

  it('leaves the log of a newer version unchanged', async () => {
    const { root, file, close } = await openHistory({ files: { 'a.md': 'one\n' } })
    await close()
    const db = new Database(file)
    db.pragma('user_version = 99')
    db.close()
    const again = await openHistory({ root })
    await again.workspace.write('a.md', 'two\n', { cause: 'user' })
    expect(again.problems.at(-1)?.map(({ code }) => code)).toContain('history_newer')
    expect(() => again.history.timeline({ limit: 1 })).toThrow(expect.objectContaining({ code: 'history_unavailable' }))
    const check = new Database(file, { readonly: true })
    expect(check.pragma('user_version', { simple: true })).toBe(99)
    expect(check.prepare('SELECT count(*) FROM change_sets').pluck().get()).toBe(1)
    check.close()
  })
})
