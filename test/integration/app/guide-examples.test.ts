import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cli } from '../../support/built.ts'
import { temporaryFolder } from '../../support/folder.ts'

const run = promisify(execFile)
const guide = new URL('../../../docs/guide/', import.meta.url)
const read = (page: string) => readFileSync(new URL(page, guide), 'utf8')

describe('the examples of the guide', () => {
  it('run in a shell', { timeout: 120_000 }, async () => {
    const home = await temporaryFolder()
    const bin = join(home, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'commonplace'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`)
    await chmod(join(bin, 'commonplace'), 0o755)
    const env = {
      ...process.env,
      GIT_COMMITTER_DATE: '2026-01-19T12:00:00Z',
      HOME: home,
      PATH: `${bin}:${process.env['PATH']}`,
    }
    const shell = async (script: string) => run('sh', ['-ec', script], { env, cwd: home })
    await shell('commonplace remember "The ferry to Elba leaves at nine." && echo "# Memory" > commonplace/MEMORY.md')
    const git = `git -c user.name=A -c user.email=a@example.com -C .commonplace/history/main/repository.git`
    await shell(`${git.replace('-C', 'init -q')} && cp commonplace/MEMORY.md .commonplace/history/main/repository.git`)
    await shell(`${git} add . && ${git} commit -q -m a`)
    const lines = readdirSync(guide)
      .flatMap((page) => [...read(page).matchAll(/```sh\n([\s\S]*?)```/g)])
      .flatMap(([, script = '']) => script.split('\n').filter((line) => line.startsWith('commonplace ')))
    expect(lines.length).toBeGreaterThan(5)
    // The other examples show the imported history.
    lines.sort((a, b) => Number(b.includes(' import ')) - Number(a.includes(' import ')))
    for (const line of lines) await expect(shell(line), line).resolves.toBeDefined()
  })

  it('name commands and options that exist', async () => {
    const [table = ''] = read('command-line.md').split('\n## ')
    const rows = [...table.matchAll(/^\| `(history [a-z]+|[a-z]+).*$/gm)]
    expect(rows.length).toBeGreaterThan(10)
    for (const [row, command = ''] of rows) {
      const help = (await run(process.execPath, [cli, ...command.split(' '), '--help'])).stdout
      const options = [...row.matchAll(/`[^`]*?(--[a-z-]+)/g)].map(([, option = '']) => option)
      expect(options.filter((option) => !help.includes(option))).toEqual([])
    }
  })
})
