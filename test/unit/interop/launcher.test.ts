import { execFile } from 'node:child_process'
import { readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ClientInstaller } from '../../../src/main/interop/client-setup/client-installer.ts'
import { renewLauncher } from '../../../src/main/interop/client-setup/launcher.ts'
import { folderWith } from '../../support/folder.ts'

const run = promisify(execFile)

/** An app whose command prints its arguments. @returns URL of its main folder */
async function appIn(path: string): Promise<URL> {
  const folder = await folderWith({ [`${path}/cli/index.js`]: 'console.log(JSON.stringify(process.argv.slice(2)))' })
  return pathToFileURL(`${join(folder, path)}/`)
}

async function installerFor(mainFolder: URL, path: string) {
  const home = await folderWith({ '.local/bin/ls': '', '.cursor/mcp.json': '{}' })
  const launcher = join(home, '.commonplace/bin/commonplace')
  const local = join(home, '.local/bin')
  const env = { HOME: home, PATH: path.replace('LOCAL', local) }
  return {
    installer: new ClientInstaller({ mainFolder, env, home: undefined, launcher, version: '0' }),
    launcher,
    config: join(home, '.cursor/mcp.json'),
    link: join(local, 'commonplace'),
  }
}

describe.skipIf(process.platform === 'win32')('the launcher', () => {
  it('starts the app where it was started last, and says so if it is gone', async () => {
    const [first, second] = [await appIn("it's here/out/main"), await appIn('out/main')]
    const launcher = join(await folderWith({}), 'bin/commonplace')
    await renewLauncher(launcher, first)
    expect((await run(launcher, ['search', 'a "b" $c'])).stdout).toBe('["search","a \\"b\\" $c"]\n')
    await renewLauncher(launcher, second)
    await rm(first, { recursive: true })
    expect((await run(launcher, ['get'])).stdout).toBe('["get"]\n')
    await rm(second, { recursive: true })
    await expect(run(launcher)).rejects.toMatchObject({ code: 127, stderr: expect.stringContaining('start it once') })
  })

  it('of an installed app stays if a checkout starts, as long as that app is there', async () => {
    const launcher = join(await folderWith({}), 'bin/commonplace')
    await renewLauncher(launcher, await appIn('app.asar/out/main'))
    const ofApp = await readFile(launcher, 'utf8')
    await renewLauncher(launcher, await appIn('out/main'))
    expect(await readFile(launcher, 'utf8')).toBe(ofApp)
    await writeFile(launcher, ofApp.replaceAll(process.execPath, '/gone/commonplace'))
    await renewLauncher(launcher, await appIn('out/main'))
    expect(await readFile(launcher, 'utf8')).toContain('(checkout)')
  })

  it('becomes a command of the shells once it is listed, and never replaces another program', async () => {
    const { installer, launcher, link } = await installerFor(await appIn('out/main'), '/usr/bin:LOCAL')
    expect(await installer.command()).toEqual({ creates: link, needsPath: false })
    await installer.installCommand()
    expect(await readlink(link)).toBe(launcher)
    expect(await installer.command()).toEqual({ creates: null, needsPath: false })
    expect((await run(link, ['x'])).stdout).toBe('["x"]\n')
    await rm(link)
    await writeFile(link, 'other')
    await expect(installer.installCommand()).rejects.toMatchObject({ code: 'file_exists' })
    const unlisted = await installerFor(await appIn('out/main'), '/usr/bin')
    expect(await unlisted.installer.command()).toEqual({ creates: unlisted.link, needsPath: true })
  })

  it('stands in the entries of programs; an entry that starts a missing app is repaired with its options', async () => {
    const { installer, launcher, config } = await installerFor(await appIn('out/main'), '')
    const options = ['mcp', '--client', 'cursor', '--agent', 'work']
    const gone = { command: '/gone/node', args: ['/gone/index.js', ...options], envFile: '.env' }
    await writeFile(config, JSON.stringify({ mcpServers: { commonplace: gone } }))
    expect(await installer.inspect('cursor', {})).toMatchObject({ state: 'broken', problem: null })
    await installer.connect('cursor', {})
    expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({
      mcpServers: { commonplace: { command: launcher, args: options, envFile: '.env' } },
    })
    expect(await installer.inspect('cursor', { agent: 'work' })).toMatchObject({ state: 'connected' })
    expect(await installer.inspect('cursor', {})).toMatchObject({ state: 'other' })
    await installer.connect('cursor', {})
    expect(await installer.inspect('cursor', {})).toMatchObject({ state: 'connected' })
  })
})

it('is a script of the Windows shell there, with its signs escaped', async () => {
  const launcher = join(await folderWith({}), 'commonplace.cmd')
  const app = await appIn('100%/out/main')
  await renewLauncher(launcher, app, 'win32')
  const text = await readFile(launcher, 'utf8')
  expect(text).toMatch(/^@echo off\r\n/)
  expect(text).toMatch(/^".+" "--max-semi-space-size=4" ".*100%%\/out\/main\/cli\/index\.js" %\*\r$/m)
  expect(text).toContain('exit /b 127')
})
