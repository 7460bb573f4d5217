import { execFileSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../support/command.ts'
import { temporaryFolder } from '../../support/folder.ts'

const run = (home: string, args: readonly string[]) =>
  runCommand([...args, '--home', join(home, 'state')], { HOME: home })

describe('history in the terminal', () => {
  it('shows the changes of a note, and its text at a time without private lines', async () => {
    const home = await temporaryFolder()
    await run(home, ['remember', '--private', 'The code is 4711'])
    const [name = ''] = await readdir(join(home, 'commonplace', 'memory'))
    const show = ['history', 'show', `memory/${name}`]
    expect((await run(home, show)).stdout).toMatch(/^[\d-]+T[\d:.]+ {2}\+3 -0 {2}capture {2}memory\/\S+\n$/)
    const later = ['--at', new Date(Date.now() + 1000).toISOString()]
    expect((await run(home, [...show, ...later])).stdout).toMatch(/^# \S+\n\n\[stays on this machine\]\n$/)
    expect((await run(home, [...show, ...later, '--private'])).stdout).toContain('4711')
    expect(await run(home, [...show, '--at', '2001-01-01'])).toMatchObject({ code: 1, stdout: '' })
    expect(await run(home, [...show, '--at', 'noon'])).toMatchObject({ code: 2 })
  })

  it('names an earlier and a damaged history, and imports a repository once', async () => {
    const repository = await temporaryFolder()
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args])
    git('init', '-q')
    await writeFile(join(repository, 'a.md'), 'one\n')
    git('add', 'a.md')
    git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'x')
    const other = await temporaryFolder()
    await run(other, ['remember', 'Later'])
    const history = join(other, 'state', 'history', 'main')
    await mkdir(join(history, 'repository.git'), { recursive: true })
    await writeFile(join(history, 'x.sqlite.damaged-20260101T000000000Z'), '')
    const { stdout } = await run(other, ['status'])
    expect(stdout).toContain(`commonplace history import --git "${join(history, 'repository.git')}"`)
    expect(stdout).toContain(`damaged history, kept aside: ${join(history, 'x.sqlite.damaged-20260101T000000000Z')}`)
    const first = await run(other, ['history', 'import', '--git', repository, '--json'])
    expect(JSON.parse(first.stdout)).toEqual({ changes: 1, notes: 1, skipped: 0, later: 0, isKnown: false })
    expect((await run(other, ['history', 'import', '--git', repository])).stdout).toContain('already')
  })
})
