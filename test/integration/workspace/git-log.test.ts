import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { gitLog } from '../../../src/main/workspace/git/git-log.ts'
import { folderWith, temporaryFolder, writeFiles } from '../../support/folder.ts'

let clock = 1_700_000_000

function git(folder: string, ...args: string[]): string {
  clock += 60
  const date = `${clock} +0000`
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: '/dev/null' }
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgSign=false']
  return execFileSync('git', [...who, '-C', folder, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function commitAll(folder: string, message: string): void {
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', message)
}

/** Creates a repository with the vault in a subfolder. */
async function repository() {
  const top = await folderWith({ 'vault/a b.md': 'one\n', 'vault/other.md': 'x\n', 'elsewhere/old.md': 'far\n' })
  git(top, 'init', '-q', '-b', 'main')
  commitAll(top, 'First')
  await writeFile(join(top, 'vault/a b.md'), 'one\ntwo\n')
  commitAll(top, 'Second: 第二')
  await rename(join(top, 'vault/a b.md'), join(top, 'vault/*new*.md'))
  commitAll(top, 'Moved')
  await writeFile(join(top, 'vault/*new*.md'), 'one\nthree\n')
  commitAll(top, 'Third\n\nwith a body')
  return { top, vault: join(top, 'vault') }
}

function open(workspace: string): ReturnType<typeof gitLog> {
  return gitLog({ workspace, forbidden: [] })
}

describe("Git log of the user's repository", () => {
  it('returns the commits of a file through renames, newest first, in pages, with their diffs', async () => {
    const { vault } = await repository()
    const commits = open(vault)
    const found = await commits.log('*new*.md', { skip: 0, limit: 10 }, undefined)
    expect(found).toMatchObject({ state: 'found', isMore: false })
    expect(
      found.commits.map(({ author, subject, path, from, added, removed }) => [
        author,
        subject,
        path,
        from,
        added,
        removed,
      ]),
    ).toEqual([
      ['Ada', 'Third', '*new*.md', undefined, 1, 1],
      ['Ada', 'Moved', '*new*.md', 'a b.md', 0, 0],
      ['Ada', 'Second: 第二', 'a b.md', undefined, 1, 0],
      ['Ada', 'First', 'a b.md', undefined, 1, 0],
    ])
    const page = await commits.log('*new*.md', { skip: 1, limit: 2 }, undefined)
    expect(page.commits).toEqual(found.commits.slice(1, 3))
    expect(page.isMore).toBe(true)
    const fresh = open(vault)
    const patches = await Promise.all(found.commits.map(({ commit }) => fresh.diff('*new*.md', commit, undefined)))
    const changed = patches.map(({ patch }) => patch.split('\n').filter((line) => /^[+-](?![+-])/.test(line)))
    expect(changed).toEqual([['-two', '+three'], [], ['+two'], ['+one']])
    await expect(fresh.diff('other.md', found.commits[0]?.commit ?? '', undefined)).rejects.toMatchObject({
      code: 'file_not_found',
    })
  }, 60_000)

  it('includes both branches of a merge, and returns none for a folder without a repository', async () => {
    const top = await folderWith({ 'n.md': 'a\n\n\n\nz\n' })
    git(top, 'init', '-q', '-b', 'main')
    expect(await open(top).log('n.md', { skip: 0, limit: 10 }, undefined)).toMatchObject({ commits: [] })
    commitAll(top, 'base')
    git(top, 'checkout', '-qb', 'side')
    await writeFile(join(top, 'n.md'), 'a\n\n\n\nz side\n')
    commitAll(top, 'side')
    git(top, 'checkout', '-q', 'main')
    await writeFile(join(top, 'n.md'), 'a main\n\n\n\nz\n')
    commitAll(top, 'main')
    git(top, 'merge', '-q', '--no-edit', 'side')
    git(top, 'gc', '-q')
    const { commits } = await open(top).log('n.md', { skip: 0, limit: 10 }, undefined)
    expect(commits.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['main', 'side', 'base']))
    const bare = await folderWith({ 'n.md': 'x' })
    expect(await open(bare).log('n.md', { skip: 0, limit: 10 }, undefined)).toMatchObject({ state: 'none' })
  }, 60_000)
})

describe('Git log without Git installed', () => {
  it('reports that Git is missing only if there is a repository', async () => {
    const { vault } = await repository()
    const bare = await folderWith({ 'n.md': 'x' })
    vi.stubEnv('PATH', await temporaryFolder())
    const page = { skip: 0, limit: 10 }
    expect(await open(vault).log('*new*.md', page, undefined)).toMatchObject({ state: 'no_git', commits: [] })
    expect(await open(bare).log('n.md', page, undefined)).toMatchObject({ state: 'none', commits: [] })
    await expect(open(vault).diff('*new*.md', '0'.repeat(40), undefined)).rejects.toMatchObject({
      code: 'file_not_found',
    })
  })
})

describe('an untrusted repository', () => {
  it('runs no program that its configuration names, and writes nothing', async () => {
    const { top, vault } = await repository()
    const trap = join(top, '..', `ran-${Math.random()}`)
    const script = join(top, '.git/trap.sh')
    await writeFile(script, `#!/bin/sh\ntouch '${trap}'\ncat\n`)
    await chmod(script, 0o755)
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.editor',
      'core.askPass',
      'diff.external',
      'diff.trap.textconv',
      'diff.trap.command',
      'filter.trap.clean',
      'filter.trap.smudge',
      'filter.trap.process',
      'gpg.program',
      'pager.log',
      'credential.helper',
    ])
      git(top, 'config', key, script)
    git(top, 'config', 'log.showSignature', 'true')
    git(top, 'config', 'core.hooksPath', join(top, '.git'))
    await writeFiles(top, { 'vault/.gitattributes': '*.md diff=trap filter=trap\n' })
    const listing = async () => (await readdir(join(top, '.git'), { recursive: true })).sort().join('\n')
    const index = await readFile(join(top, '.git/index'))
    const before = await listing()
    const commits = open(vault)
    const { commits: found } = await commits.log('*new*.md', { skip: 0, limit: 10 }, undefined)
    expect(found).toHaveLength(4)
    for (const { commit } of found) await commits.diff('*new*.md', commit, undefined)
    expect(existsSync(trap)).toBe(false)
    expect(await listing()).toBe(before)
    expect((await readFile(join(top, '.git/index'))).equals(index)).toBe(true)
  }, 60_000)

  it.skipIf(process.getuid?.() !== 0)('reports a repository of another user as untrusted', async () => {
    const { top, vault } = await repository()
    await chown(top, 65_534, 65_534)
    await chown(join(top, '.git'), 65_534, 65_534)
    await chown(vault, 65_534, 65_534)
    const found = await open(vault).log('*new*.md', { skip: 0, limit: 10 }, undefined)
    expect(found).toMatchObject({ state: 'untrusted', path: top, commits: [] })
  })
})
