import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportToGit, type GitExportOptions } from '../../../src/main/workspace/changes/export-git.ts'
import { importFromGit } from '../../../src/main/workspace/changes/import-git.ts'
import { marksBy } from '../../../src/main/workspace/privacy/privacy-rules.ts'
import { folderWith, temporaryFolder } from '../../support/folder.ts'
import { openHistoryOf } from '../../support/history.ts'

const day = (number: number) => new Date(Date.UTC(2026, 0, number, 12))

async function openNotes(files: Record<string, string> = {}, start = day(1)) {
  const root = await temporaryFolder()
  const time = { now: start }
  const options = { files, now: () => time.now }
  return { root, time, ...(await openHistoryOf(join(root, 'notes'), join(root, 'history/log.sqlite'), options)) }
}

type Notes = Awaited<ReturnType<typeof openNotes>>

async function exportNotes(notes: Notes, options: Partial<GitExportOptions> = {}, rules: readonly string[] = []) {
  const folder = join(await temporaryFolder(), 'repository')
  const result = await exportToGit({
    file: notes.file,
    folder,
    agentName: 'Ada',
    includesPrivate: false,
    marks: marksBy([{ prefix: '', privateRules: { roots: [notes.folder], rules } }]),
    read: async (path) =>
      existsSync(join(notes.folder, path))
        ? { path, text: await readFile(join(notes.folder, path), 'utf8') }
        : undefined,
    ...options,
  })
  return { folder, result, git: (...args: string[]) => git(folder, ...args) }
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', TZ: 'UTC' },
  }).trimEnd()
}

describe('export of the history to Git', () => {
  it('writes a sound repository with authors, times, messages, renames and removals', async () => {
    const notes = await openNotes({ 'a.md': 'one\ntwo\nthree\n', 'gone.md': 'gone\n' })
    const { workspace, time } = notes
    time.now = day(2)
    await workspace.write('a.md', 'one\ntwo\nthree\nfour\n', {
      cause: 'agent',
      session: 's1',
      turn: 't1',
      sources: ['web: x.org'],
    })
    time.now = day(3)
    await workspace.runTransaction({ move: { from: 'a.md', to: 'sub q/b 笔记.md' } }, [], { cause: 'user' })
    await workspace.remove('gone.md', { cause: 'client', client: 'claude-code' })
    await workspace.write('sub q/b 笔记.md', 'one\ntwo\nthree\nfour\nfive\n', { cause: 'user', undoes: 0 })
    const { result, git: run, folder } = await exportNotes(notes)
    expect(result).toEqual({ commits: 5, privateVersions: 0, removedVersions: 0 })
    run('fsck', '--strict')
    expect(run('log', '--reverse', '--format=%an|%ae|%as|%s').split('\n')).toEqual([
      'Existing notes|adopted@commonplace.invalid|2026-01-01|adopted: 2 files',
      'Ada|agent@commonplace.invalid|2026-01-02|agent: a.md',
      'You|user@commonplace.invalid|2026-01-03|user: 2 files',
      'claude-code|client@commonplace.invalid|2026-01-03|client: gone.md',
      'You|user@commonplace.invalid|2026-01-03|user: sub q/b 笔记.md',
    ])
    expect(run('log', '-1', '--format=%b', 'HEAD~3').trim()).toBe(
      'Cause: agent\nSession: s1\nTurn: t1\nSource: web: x.org',
    )
    expect(run('log', '--follow', '--format=%s', '--', 'sub q/b 笔记.md').split('\n')).toHaveLength(4)
    expect(run('status', '--porcelain')).toBe('')
    expect(await readFile(join(folder, 'sub q/b 笔记.md'), 'utf8')).toContain('five')
    expect(await readdir(folder)).toEqual(['.git', 'sub q'])
  })

  it('leaves out text that is private now or was when it was written, unless `includesPrivate` is set', async () => {
    const notes = await openNotes({ 'later.md': 'open\n\nthe lawyer is Ms Berg\n', 'rule/x.md': 'rule text one\n' })
    const { workspace } = notes
    const user = { cause: 'user' } as const
    await workspace.write('later.md', 'open\n\nthe lawyer is Ms Berg ^[private]\n', user)
    await workspace.write('copy.md', 'copied\nThe lawyer is Ms Berg.\n', user)
    await workspace.write('section.md', '# Health\n- ok\n\n# Other\nx\n', user)
    await workspace.write('section.md', '# Health ^[private]\n- ok\n- HIV+\n\n# Other\nx\n', user)
    await workspace.write('section.md', '# Other\nx\n- ok\n', user)
    await workspace.write('whole.md', 'wholly open at first\n', user)
    await workspace.write('whole.md', '---\nvisibility: private\n---\nwholly open at first\n', user)
    await workspace.write('removed.md', 'removed secret of Ann ^[private]\n\nrest\n', user)
    await workspace.remove('removed.md', user)
    const { git: run, result } = await exportNotes(notes, {}, [join(notes.folder, 'rule/')])
    run('fsck', '--strict')
    const everything = run('log', '-p', '--all', '--format=%B%an')
    for (const secret of ['Berg', 'HIV', 'Health', 'wholly', 'rule', 'whole.md', 'Ann'])
      expect(everything).not.toContain(secret)
    for (const open of ['copied', 'rest', '- ok', '# Other']) expect(everything).toContain(open)
    expect(result.privateVersions).toBe(3)
    const complete = await exportNotes(notes, { includesPrivate: true })
    expect(complete.git('log', '-p', '--format=%B')).toMatch(/Berg[^]*HIV|HIV[^]*Berg/)
    expect(await readFile(join(complete.folder, 'rule/x.md'), 'utf8')).toBe('rule text one\n')
  })

  it('refuses a folder with files, and removes what it wrote when it is stopped', async () => {
    const notes = await openNotes({ 'a.md': 'a\n' })
    const used = await folderWith({ 'x.txt': 'x' })
    for (const folder of [used, join(used, 'x.txt')])
      await expect(exportNotes(notes, { folder })).rejects.toMatchObject({ code: 'folder_not_empty' })
    const stop = new AbortController()
    const folder = join(used, 'new')
    const stopped = exportNotes(notes, { folder, signal: stop.signal, onProgress: () => stop.abort() })
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
    expect(await readdir(used)).toEqual(['x.txt'])
  })
})

/** Commits files as another program does. A null text removes the file. */
async function commit(folder: string, at: Date, files: Record<string, string | null>, message = 'edit'): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    if (text === null) await rm(join(folder, path))
    else await writeFile(join(folder, path), text)
  }
  git(folder, 'add', '--all')
  const date = [`GIT_COMMITTER_DATE=${at.toISOString()}`, `GIT_AUTHOR_DATE=${at.toISOString()}`]
  execFileSync('env', [
    ...date,
    'git',
    '-C',
    folder,
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@x',
    'commit',
    '-qm',
    message,
  ])
}

async function newRepository(): Promise<string> {
  const folder = await temporaryFolder()
  git(folder, 'init', '-q')
  return folder
}

const earlier = (number: number) => new Date(Date.UTC(2025, 0, number, 12))

describe('import of a Git history', () => {
  it('takes in a repository of Commonplace before the log, with timeline, blame and version at a time', async () => {
    const repository = await newRepository()
    await commit(repository, earlier(1), { 'a.md': 'one\n', 'gone.md': 'gone\n' }, 'adopted: 2 files\n\nCause: adopted')
    const trailers = 'Cause: agent\nSession: s1\nTurn: t1\nClient: c1\nSource: web: x.org\nUndo: yes\nJournal: 9'
    await commit(repository, earlier(2), { 'a.md': 'one\ntwo\n' }, `agent: a.md\n\n${trailers}`)
    const move = JSON.stringify({ path: 'b.md', from: 'a.md', added: 3, removed: 2, before: 'x', after: 'y' })
    await commit(
      repository,
      earlier(3),
      { 'a.md': null, 'b.md': 'all\nnew\nlines\n' },
      `user: b.md\n\nCause: user\nFile: ${move}`,
    )
    await commit(
      repository,
      earlier(4),
      { 'gone.md': null, 'image.png': '\0', 'left.md': 'left\n' },
      'client: x\n\nCause: client',
    )
    const notes = await openNotes({ 'b.md': 'all\nnew\nlines\n', 'new.md': 'new\n' })
    const { history, workspace, timeline, file } = notes
    await workspace.write('b.md', 'all\nnew\nlines\nlast\n', { cause: 'user' })
    // The app kept it beside the notes; its work tree is gone.
    const stored = join(notes.root, 'repository.git')
    await rename(join(repository, '.git'), stored)
    git(stored, 'config', 'core.worktree', '/gone/notes')
    const result = await importFromGit({ file, folder: stored })
    expect(result).toMatchObject({ changes: 5, skipped: 0, later: 0, isKnown: false })
    expect(timeline('b.md')).toEqual(['user b.md +1 -0', 'user b.md +3 -2', 'agent a.md +1 -0', 'adopted a.md +1 -0'])
    expect(timeline()).toEqual([
      'user b.md +1 -0',
      'adopted new.md +1 -0',
      'outside left.md +0 -1',
      'client left.md +1 -0',
      'client gone.md +0 -1',
      'user b.md +3 -2',
      'agent a.md +1 -0',
      'adopted gone.md +1 -0',
      'adopted a.md +1 -0',
    ])
    const [change] = history.timeline({ session: 's1', limit: 5 })
    expect(change).toMatchObject({
      at: earlier(2).getTime(),
      turn: 't1',
      client: 'c1',
      sources: ['web: x.org'],
      isUndo: true,
      now: 'b.md',
    })
    expect(history.textAt('b.md', earlier(2).getTime())).toBe('one\ntwo\n')
    expect(history.textAt('gone.md', earlier(3).getTime())).toBe('gone\n')
    expect((await history.blame('b.md')).map(({ at }) => at)).toEqual([
      ...Array(3).fill(earlier(3).getTime()),
      day(1).getTime(),
    ])
    await history.applySettings()
    expect(timeline()).toHaveLength(9)
    expect(await importFromGit({ file, folder: stored })).toMatchObject({ changes: 0, isKnown: true })
    expect(timeline()).toHaveLength(9)
    await workspace.write('left.md', 'again\n', { cause: 'user' })
    expect(timeline('left.md')).toEqual(['user left.md +1 -0', 'outside left.md +0 -1', 'client left.md +1 -0'])
  })

  it('takes in an ordinary repository: merges, renames, edits since its last commit, and no commit since the log began', async () => {
    const repository = await newRepository()
    await commit(repository, earlier(1), {
      'docs/a.md': 'one\ntwo\nthree\nfour\n',
      'docs/code.ts': 'x',
      'other/o.md': 'o\n',
      'docs/bad.md': 'a\0b',
    })
    git(repository, 'switch', '-qc', 'side')
    await commit(repository, earlier(2), { 'docs/side.md': 'side\n' })
    git(repository, 'switch', '-q', '-')
    await rename(join(repository, 'docs/a.md'), join(repository, 'docs/ä b.md'))
    await commit(repository, earlier(3), { 'docs/ä b.md': 'one\ntwo\nthree\nFOUR\n' })
    execFileSync('env', [
      `GIT_COMMITTER_DATE=${earlier(4).toISOString()}`,
      'git',
      '-C',
      repository,
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@x',
      'merge',
      '-q',
      'side',
    ])
    await commit(repository, day(9), { 'docs/side.md': 'later\n' })
    const notes = await openNotes({ 'ä b.md': 'one\ntwo\nthree\nFOUR\nfive\n', 'side.md': 'side\n' })
    const result = await importFromGit({ file: notes.file, folder: join(repository, 'docs') })
    expect(result).toMatchObject({ changes: 4, skipped: 1, later: 1 })
    expect(notes.timeline('ä b.md')).toEqual(['outside ä b.md +1 -0', 'outside ä b.md +1 -1', 'outside a.md +4 -0'])
    expect(notes.timeline('side.md')).toEqual(['outside side.md +1 -0'])
    expect(notes.timeline('o.md')).toEqual([])
    await notes.history.applySettings()
    expect(notes.timeline()).toHaveLength(4)
  })

  it('leaves the log unchanged if the folder is no repository or the import is stopped', async () => {
    const notes = await openNotes({ 'a.md': 'a\n' })
    const count = () => notes.history.log.log.run(({ db }) => db.prepare('SELECT count(*) FROM versions').pluck().get())
    await expect(importFromGit({ file: notes.file, folder: notes.folder })).rejects.toMatchObject({
      code: 'git_failed',
    })
    const repository = await newRepository()
    for (const number of [1, 2, 3]) await commit(repository, earlier(number), { 'b.md': `${number}\n` })
    const stop = new AbortController()
    const onProgress = (done: number) => done === 2 && stop.abort()
    const stopped = importFromGit({ file: notes.file, folder: repository, signal: stop.signal, onProgress })
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
    expect([notes.timeline(), count()]).toEqual([['adopted a.md +1 -0'], 1])
  })
})
