import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DeletionOutcome, DeletionRequest } from '../../../src/shared/contract/index.ts'
import { DeletionPattern } from '../../../src/main/workspace/deletion/deletion-pattern.ts'
import { deletePermanently, resumeDeletion } from '../../../src/main/workspace/deletion/delete-permanently.ts'
import { findOccurrences } from '../../../src/main/workspace/deletion/occurrences.ts'
import { folderWith } from '../../support/folder.ts'
import { openHistoryOf } from '../../support/history.ts'
import { logContent } from '../../support/log-content.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'

const secret = 'Lisa Kessler'
const trace = /lisa(?:\s|\\n|[-_])*kessler/i
const user = { cause: 'user' } as const
const many = Array.from({ length: 80 }, (_, at) => `- line ${at}: ${Math.sin(at)}\n`).join('')

function foldersIn(root: string) {
  return {
    workspace: join(root, 'notes'),
    forbidden: [] as string[],
    home: join(root, 'state'),
    index: join(root, 'state/memory/main.sqlite'),
    sessions: join(root, 'state/agents/main/sessions'),
    history: join(root, 'state/history/main'),
    checks: join(root, 'state/agents/main/checks'),
    upkeep: join(root, 'state/agents/main/upkeep'),
    drafts: join(root, 'state/agents/main/drafts'),
    logs: join(root, 'state/logs'),
  }
}

async function createFolders(files: Record<string, string>) {
  const root = await folderWith(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`notes/${path}`, text])),
  )
  const folders = foldersIn(root)
  await mkdir(folders.sessions, { recursive: true })
  return folders
}

/** Opens the workspace with the log `name` of its history. */
async function openNotes(folders: ReturnType<typeof foldersIn>, name = 'aa') {
  const opened = await openHistoryOf(folders.workspace, logFile(folders, name))
  const timeline = (path?: string) =>
    opened.history
      .timeline({ path, limit: 1000 })
      .map(
        (entry) =>
          `${entry.cause} ${entry.from === undefined ? '' : `${entry.from} → `}${entry.path} +${entry.added} -${entry.removed}`,
      )
  return { ...opened, timeline }
}

function logFile({ history }: { history: string }, name = 'aa'): string {
  return join(history, `${name}.sqlite`)
}

async function run(
  folders: ReturnType<typeof foldersIn>,
  request: Partial<DeletionRequest> = {},
): Promise<DeletionOutcome> {
  for await (const step of deletePermanently(folders, {
    texts: [secret],
    keep: [],
    deleteOldHistory: false,
    ...request,
  }))
    if ('left' in step) return step
  throw new Error('the deletion did not finish')
}

/** Returns the files with the secret in their bytes, except temporary files, which the app deletes at its start. */
async function filesWithSecret(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !entry.name.endsWith('.tmp') && trace.test(`${file}\n${await readFile(file, 'latin1')}`))
      found.push(file)
  }
  return found
}

describe('erasing from the history', () => {
  it('removes the text from every version, path and detail, and keeps all other changes usable', async () => {
    const folders = await createFolders({
      'a.md': `${many}${secret} called.\n`,
      'b.md': 'one\n',
      'moved.md': 'A talk.\n',
    })
    const { workspace, history, close } = await openNotes(folders)
    for (let number = 0; number < 30; number += 1)
      await workspace.write('a.md', `${many}${secret} called.\nedit ${number}\n`, user)
    await workspace.write('a.md', `${many}edit 30\n`, user)
    const later = await workspace.write('a.md', `${many}edit 31\n`, user)
    await workspace.write('b.md', 'one\ntwo\n', { ...user, sources: ['web', `a letter by ${secret}`] })
    const undone = await workspace.write('b.md', 'one\ntwo\nthree\n', user)
    await workspace.runTransaction({ move: { from: 'moved.md', to: 'people/lisa-kessler.md' } }, [], user)
    await workspace.write('people/lisa-kessler.md', 'A talk.\nMore.\n', user)
    await workspace.write('gone.md', `${secret} was here.\n`, user)
    await workspace.remove('gone.md', user)
    const text = 'one\ntwo\nthree\n'
    const write = { path: 'b.md', newPath: 'b.md', before: text, after: text.replace('two', 'TWO') }
    const replacement = { text: `"x"\n${secret}`, replacement: 'TWO', count: 1 }
    await workspace.runTransaction({ replacement }, [write], user)
    const newest = history.timeline({ limit: 1000 })[0]
    await close()
    expect(logContent(logFile(folders))).toMatch(trace)

    const places = await findOccurrences(folders, new DeletionPattern([secret]))
    expect(places.filter(({ kind }) => kind === 'history').map(({ path, count }) => [path, count])).toEqual([
      ['a.md', 31],
      ['gone.md', 1],
      ['people/lisa-kessler.md', 2],
      ['history', 3],
    ])
    const outcome = await run(folders)
    expect(outcome).toMatchObject({ left: [], isStopped: false })
    expect(outcome.removed.map(({ kind }) => kind)).toContain('history')
    expect(logContent(logFile(folders))).not.toMatch(trace)
    expect(await filesWithSecret(folders.home)).toEqual([])
    expect(await filesWithSecret(folders.workspace)).toEqual([])

    const again = await openNotes(folders)
    expect(again.timeline().filter((entry) => entry.startsWith('outside'))).toEqual([])
    expect(again.history.timeline({ limit: 1 })[0]).toMatchObject({ id: newest?.id, path: 'b.md', added: 1 })
    expect(again.timeline('a.md')).toHaveLength(33)
    expect(again.timeline('moved.md')).toEqual(['user moved.md +0 -1', 'adopted moved.md +1 -0'])
    expect((await again.history.diff(later.change ?? 0, 'a.md')).after).toBe(`${many}edit 31\n`)
    expect(again.history.timeline({ path: 'b.md', limit: 9 }).map(({ sources }) => sources)).not.toContainEqual(
      expect.arrayContaining(['web']),
    )
    await again.workspace.revert({ change: undone.change ?? 0 }, user)
    expect((await again.workspace.read('b.md')).text).toBe('one\nTWO\n')
    await again.workspace.revert({ change: later.change ?? 0 }, user)
    expect((await again.workspace.read('a.md')).text).toBe(`${many}edit 30\n`)
  }, 60_000)

  it('records nothing for the rewritten notes, also when the history opens after an edit by another program', async () => {
    const folders = await createFolders({ 'a.md': `one\n${secret}\n`, 'b.md': `${secret}\n` })
    const { close, timeline } = await openNotes(folders)
    const before = timeline()
    await close()
    await writeFile(join(folders.workspace, 'b.md'), `${secret}\nlater\n`)
    await run(folders)
    const again = await openNotes(folders)
    expect(before).toEqual(['adopted b.md +1 -0', 'adopted a.md +2 -0'])
    expect(again.timeline()).toEqual(['outside b.md +1 -0', 'adopted b.md +0 -0', 'adopted a.md +1 -0'])
    expect((await again.workspace.read('a.md')).text).toBe('one\n')
  })

  it('keeps a note that the user excludes with its versions, but not the same text of another note', async () => {
    const text = `${secret} gave us seeds.\nMore.\n`
    const folders = await createFolders({ 'kept.md': text, 'other.md': text })
    await (await openNotes(folders)).close()
    const { left } = await run(folders, { keep: ['kept.md'] })
    expect(left.map(({ kind, path }) => [kind, path])).toEqual([
      ['note', 'kept.md'],
      ['history', 'kept.md'],
    ])
    const again = await openNotes(folders)
    const [other, kept] = again.history.timeline({ limit: 10 })
    expect([other?.path, other?.added, kept?.path, kept?.added].sort()).toEqual([1, 2, 'kept.md', 'other.md'])
    expect(again.history.textAt('kept.md', Date.now())).toBe(text)
    expect(again.history.textAt('other.md', Date.now())).toBe('More.\n')
  })

  it('erases in a folder that contains the folder of another agent, but not in the other folder', async () => {
    const folders = await createFolders({ 'team/plan.md': `${secret}\n`, 'team/other/own.md': `${secret}\n` })
    const other = join(folders.workspace, 'team/other')
    const { left } = await run({ ...folders, forbidden: [other] })
    expect(left).toEqual([])
    expect(await readFile(join(folders.workspace, 'team/plan.md'), 'utf8')).toBe('')
    expect(await readFile(join(other, 'own.md'), 'utf8')).toBe(`${secret}\n`)
  })

  it('erases from the logs of all folders that the workspace has had', async () => {
    const folders = await createFolders({ 'a.md': `${secret}\n` })
    await (await openNotes(folders, 'aa')).close()
    await (await openNotes(folders, 'bb')).close()
    await run(folders)
    for (const name of ['aa', 'bb']) expect(logContent(logFile(folders, name))).not.toMatch(trace)
  })

  it('lists damaged and older histories, and deletes them only on request', async () => {
    const folders = await createFolders({ 'a.md': 'one\n' })
    await (await openNotes(folders)).close()
    const names = ['aa.sqlite.damaged-20260101T000000000Z', 'accepted.json', 'journal.jsonl', 'repository.git']
    await mkdir(join(folders.history, 'repository.git/objects'), { recursive: true })
    await writeFile(join(folders.history, 'repository.git/objects/x'), 'x'.repeat(100))
    for (const name of names.slice(0, 3)) await writeFile(join(folders.history, name), 'yy')
    const expected = names.map((name) => ({
      kind: 'oldHistory',
      path: `history/main/${name}`,
      count: 0,
      lines: [],
      bytes: name === 'repository.git' ? 100 : 2,
    }))
    const byPath = (one: { path: string }, other: { path: string }) => one.path.localeCompare(other.path)
    expect((await findOccurrences(folders, new DeletionPattern([secret]))).sort(byPath)).toEqual(expected)
    const kept = await run(folders)
    expect(kept.left.sort(byPath)).toEqual(expected)
    expect(kept.removed).toEqual([])
    const outcome = await run(folders, { deleteOldHistory: true })
    expect(outcome.left).toEqual([])
    expect(outcome.removed.map(({ path }) => path).sort()).toEqual(expected.map(({ path }) => path))
    expect((await readdir(folders.history)).filter((name) => !name.startsWith('aa.'))).toEqual([])
  })

  it('moves a damaged log aside and leaves one of a newer version; both are reported', async () => {
    const folders = await createFolders({ 'a.md': `${secret}\n` })
    await (await openNotes(folders, 'aa')).close()
    await (await openNotes(folders, 'bb')).close()
    await writeFile(logFile(folders, 'aa'), 'not a database'.repeat(100))
    const newer = new Database(logFile(folders, 'bb'))
    newer.pragma('user_version = 99')
    newer.close()
    const found = await findOccurrences(folders, new DeletionPattern([secret]))
    expect(found.filter(({ kind }) => kind === 'history')).toMatchObject([
      { path: 'history/main/aa.sqlite', count: 0 },
      { path: 'history/main/bb.sqlite', count: 0 },
    ])
    const { left } = await run(folders)
    expect(left).toMatchObject([
      { kind: 'oldHistory', path: expect.stringContaining('aa.sqlite.damaged-') as string },
      { kind: 'history', path: 'history/main/bb.sqlite', count: 0 },
    ])
    expect(logContent(logFile(folders, 'bb'))).toMatch(trace)
  })

  it('changes nothing while another process writes to the log, and says so', async () => {
    const folders = await createFolders({ 'a.md': `${secret}\n` })
    await (await openNotes(folders)).close()
    const other = new Database(logFile(folders))
    other.exec('BEGIN IMMEDIATE')
    await expect(run(folders)).rejects.toMatchObject({ code: 'file_busy', data: { path: 'history/main/aa.sqlite' } })
    other.close()
    expect(await readFile(join(folders.workspace, 'a.md'), 'utf8')).toBe(`${secret}\n`)
    expect(await readdir(join(folders.sessions, '..'))).toEqual(['sessions'])
  }, 30_000)

  it('finishes at the next start if another process still reads the text', async () => {
    const folders = await createFolders({ 'a.md': `${secret}\n` })
    await (await openNotes(folders)).close()
    const other = new Database(logFile(folders))
    other.exec('BEGIN')
    other.prepare('SELECT * FROM versions').all()
    await expect(run(folders)).rejects.toMatchObject({ code: 'file_busy' })
    other.close()
    for await (const _ of resumeDeletion(folders));
    expect(logContent(logFile(folders))).not.toMatch(trace)
    const wal = await stat(`${logFile(folders)}-wal`).catch(() => undefined)
    expect(wal?.size ?? 0).toBe(0)
  }, 30_000)

  it('finishes at the next start if the disk of the history was full', async ({ skip }) => {
    const disk = mountSmallDisk(8 * 1024 * 1024)
    if (!disk) return skip('mounting is not permitted')
    onTestFinished(() => disk.unmount())
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`${at}.md`, `${secret}\n${randomBytes(30_000).toString('hex')}\n`]),
    )
    const { workspace } = await createFolders(files)
    const folders = { ...foldersIn(disk.folder), workspace }
    await (await openNotes(folders)).close()
    await mkdir(folders.sessions, { recursive: true })
    disk.fill(400 * 1024)
    await expect(run(folders)).rejects.toMatchObject({ code: 'disk_full' })
    expect(await filesWithSecret(workspace)).toEqual([])
    expect(logContent(logFile(folders))).toMatch(trace)
    disk.makeRoom()
    for await (const _ of resumeDeletion(folders));
    expect(logContent(logFile(folders))).not.toMatch(trace)
    expect(await filesWithSecret(folders.home)).toEqual([])
  })

  it('finishes after kill -9 at any moment', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`${at}.md`, `${many}${secret}\nnote ${at}\n`]),
    )
    const folders = await createFolders(files)
    const { workspace, close } = await openNotes(folders)
    for (const path of Object.keys(files)) await workspace.write(path, `${many}${secret}\nnote ${path}\nlater\n`, user)
    await close()
    const script = fileURLToPath(new URL('../../support/crash-deleter.ts', import.meta.url))
    const request = JSON.stringify({ texts: [secret], keep: [], deleteOldHistory: false })
    for (const delayMs of [40, 160, 200, 110, 140]) {
      const eraser = spawn(process.execPath, [script, JSON.stringify(folders), request], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      // The deletion can end before the kill.
      const closed = once(eraser, 'close')
      await once(eraser.stdout, 'data')
      await sleep(delayMs)
      eraser.kill('SIGKILL')
      await closed
    }
    for await (const _ of resumeDeletion(folders));
    expect(logContent(logFile(folders))).not.toMatch(trace)
    expect(await filesWithSecret(folders.workspace)).toEqual([])
    expect(await filesWithSecret(folders.home)).toEqual([])
    const again = await openNotes(folders)
    expect(again.timeline()).toHaveLength(80)
    expect((await again.workspace.read('7.md')).text).toBe(`${many}note 7.md\nlater\n`)
  }, 120_000)
})
