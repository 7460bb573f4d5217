import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../support/command.ts'
import { folderWith, temporaryFolder } from '../../support/folder.ts'

const run = (home: string, args: readonly string[], input?: string | Uint8Array) =>
  runCommand([...args, '--home', join(home, 'state')], { HOME: home }, input)

describe('notes in the terminal', () => {
  it('prints a note or its lines, and lists and undoes changes', async () => {
    const home = await temporaryFolder()
    const place = (await run(home, ['remember', 'The ferry leaves at noon'])).stdout.trim()
    const path = place.replace(/:\d+$/, '')
    await run(home, ['remember', '--private', 'The code is 4711'])
    expect((await run(home, ['get', place])).stdout).toMatch(/^- \d\d:\d\d The ferry leaves at noon\n$/)
    const open = await run(home, ['get', `${path}:3-99`])
    expect(open.stdout).toMatch(/The ferry leaves at noon\n[^]*\[stays on this machine\]\n$/)
    expect((await run(home, ['get', path, '--private', '--json'])).stdout).toContain('4711')
    expect(await run(home, ['get', `${path}:99`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no line 99'),
    })
    await writeFile(join(home, 'commonplace', 'mine.md'), '---\nvisibility: private\n---\n\nThe PIN\n')
    expect(await run(home, ['get', 'mine.md'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('mine.md is private'),
    })
    expect((await run(home, ['get', 'mine.md', '--private'])).stdout).toContain('The PIN')
    expect(await run(home, ['get', 'nowhere.md'])).toMatchObject({ code: 1, stdout: '' })

    const listed = (await run(home, ['recent', '--private'])).stdout.split('\n')
    const [, number = ''] =
      /^#(\d+) {2}[\d-]+T[\d:.]+ {2}\+\d+ -0 {2}capture {2}memory\/\S+$/.exec(listed[1] ?? '') ?? []
    expect((await run(home, ['undo', number])).stdout).toBe(`undid change #${number} in 1 note\n`)
    expect((await run(home, ['get', path])).stdout).not.toContain('ferry')
    expect((await run(home, ['undo'])).stdout).toContain('undid change #')
    expect((await run(home, ['get', path])).stdout).toContain('ferry')
    expect(await run(home, ['undo', 'ferry'])).toMatchObject({ code: 2 })
  }, 90_000)

  it('imports a folder after a plan, and undoes the import', async () => {
    const home = await temporaryFolder()
    await run(home, ['remember', 'First'])
    const source = await folderWith({
      'trip.md': '# Trip\n\nThe hut is closed.\n',
      'deep/b.md': 'b\n',
      'sheet.docx': 'x',
    })
    const plan = (await run(home, ['import', source, '--dry-run'])).stdout
    expect(plan).toMatch(/^2 files to add\n1 file is not imported\n.*\.docx.*\n$/)
    const { stdout, code } = await run(home, ['import', source, '--into', 'trips'])
    const [, change = ''] = /\n2 files imported\.\n`undo (\d+)` removes the import\n$/.exec(stdout) ?? []
    expect([code, change]).toEqual([0, expect.stringMatching(/^\d+$/)])
    const imported = join(home, 'commonplace', 'trips/trip.md')
    expect(await readFile(imported, 'utf8')).toContain('The hut is closed.')
    await run(home, ['undo', change])
    await expect(readFile(imported)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await run(home, ['import', join(source, 'none')])).toMatchObject({ code: 1, stdout: '' })
  }, 90_000)

  it('says on stderr that nothing is found, and prints results as grep does', async () => {
    const home = await temporaryFolder()
    const place = (await run(home, ['remember', 'The ferry leaves at noon'])).stdout.trim()
    const grep = await run(home, ['search', 'When does the ferry leave', '--grep'])
    expect(grep.stdout).toMatch(new RegExp(`^${place}:\\d\\d:\\d\\d The ferry leaves at noon\n`))
    const nothing = { stdout: '', stderr: expect.stringMatching(/Nothing found\.\n$/) }
    expect(await run(home, ['search', 'zyxwv', '--grep'])).toMatchObject({ code: 0, ...nothing })
    expect(await run(home, ['search', 'zyxwv', '--grep', '--fail-empty'])).toMatchObject({ code: 1, ...nothing })
    expect(await run(home, ['serch', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/did you mean search\?/),
    })
  }, 90_000)

  it('reads UTF-16 with a byte order mark from standard input, and refuses other encodings', async () => {
    const home = await temporaryFolder()
    await run(home, ['remember'], Buffer.from('\uFEFFCafé Zürich', 'utf16le'))
    expect((await run(home, ['search', 'Zürich'])).stdout).toContain('Café Zürich')
    const refused = await run(home, ['remember'], Buffer.from('Café', 'latin1'))
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('not UTF-8') })
  }, 60_000)

  it.skipIf(process.platform === 'win32')(
    'completes commands and their options in bash',
    async () => {
      const home = await temporaryFolder()
      const script = join(home, 'completion.sh')
      const complete = async (shell: string) => (await runCommand(['completion', shell], { HOME: home })).stdout
      await writeFile(script, await complete('bash'))
      const completed = (...words: readonly string[]) =>
        execFileSync(
          'bash',
          [
            '-c',
            'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _commonplace; echo "${COMPREPLY[*]}"',
            script,
            'commonplace',
            ...words,
          ],
          { encoding: 'utf8' },
        )
      expect(completed('se')).toBe('search sessions serve\n')
      expect(completed('search', '--fa')).toBe('--fail-empty\n')
      for (const shell of ['zsh', 'fish', 'powershell']) expect(await complete(shell), shell).toContain('fail-empty')
    },
    60_000,
  )
})
