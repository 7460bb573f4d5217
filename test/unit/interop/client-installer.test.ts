import { mkdir, readFile, readlink, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ClientInstaller } from '../../../src/main/interop/client-setup/client-installer.ts'
import { isOwnEntry } from '../../../src/main/interop/client-setup/known-clients.ts'
import { folderWith } from '../../support/folder.ts'

const mainFolder = new URL('../../../src/main/', import.meta.url)

async function openFor(text: string, app = mainFolder) {
  const home = await folderWith({})
  const file = join(home, '.cursor/mcp.json')
  await mkdir(join(home, '.cursor'))
  await writeFile(file, text)
  const connections = new ClientInstaller({
    mainFolder: app,
    env: { HOME: home },
    home: undefined,
    launcher: undefined,
    version: '0',
  })
  return { connections, read: () => readFile(file, 'utf8') }
}

describe('registering this memory with another program', () => {
  it('keeps another server of the same name and uses the second name; disconnecting removes only its own entry', async () => {
    const theirs =
      '{\n  "mcpServers": {\n    "commonplace": {\n      "command": "uvx",\n      "args": ["notes"]\n    }\n  }\n}\n'
    const { connections, read } = await openFor(theirs)
    expect(await connections.inspect('cursor', {})).toMatchObject({ state: 'none', problem: null })
    expect(await connections.previewRemoval('cursor')).toBe('')
    await connections.connect('cursor', {})
    expect(JSON.parse(await read())).toMatchObject({
      mcpServers: {
        commonplace: { command: 'uvx', args: ['notes'] },
        'commonplace-memory': { command: process.execPath },
      },
    })
    expect(await connections.inspect('cursor', {})).toMatchObject({ state: 'connected' })
    await connections.connect('cursor', { isReadOnly: true })
    expect((await read()).match(/--read-only/g)).toHaveLength(1)
    await connections.disconnect('cursor')
    expect(JSON.parse(await read())).toEqual(JSON.parse(theirs))
    await connections.disconnect('cursor')
    expect(JSON.parse(await read())).toEqual(JSON.parse(theirs))
  })

  it('writes nothing if both names are taken, and gives the reason', async () => {
    const other = { command: 'uvx', args: [] }
    const text = JSON.stringify({ mcpServers: { commonplace: other, 'commonplace-memory': other } })
    const { connections, read } = await openFor(text)
    await expect(connections.connect('cursor', {})).rejects.toThrow(
      'commonplace and commonplace-memory are names of other servers',
    )
    expect((await connections.inspect('cursor', {})).problem).toContain('names of other servers; rename one')
    expect(await read()).toBe(text)
  })

  it.skipIf(process.platform === 'win32')('keeps a symbolic link, even to a missing file', async () => {
    const home = await folderWith({})
    await mkdir(join(home, '.cursor'))
    await mkdir(join(home, 'dotfiles'))
    const file = join(home, '.cursor/mcp.json')
    const connections = new ClientInstaller({
      mainFolder,
      env: { HOME: home },
      home: undefined,
      launcher: undefined,
      version: '0',
    })
    await symlink('../dotfiles/mcp.json', file)
    await connections.connect('cursor', {})
    expect(await readlink(file)).toBe('../dotfiles/mcp.json')
    expect(await readFile(join(home, 'dotfiles/mcp.json'), 'utf8')).toContain('mcpServers')
    await unlink(file)
    await symlink('../missing/mcp.json', file)
    await expect(connections.connect('cursor', {})).rejects.toThrow('a link to ../missing/mcp.json, and the folder')
    expect(await readlink(file)).toBe('../missing/mcp.json')
  })

  it.each([
    [new URL('file:///tmp/.mount_x/resources/app.asar/out/main/'), '/home/ann/Commonplace.AppImage'],
    // Another program that runs as an AppImage has started this one.
    [mainFolder, process.execPath],
  ])('the app in %s is started as %s', async (app, command) => {
    vi.stubEnv('APPIMAGE', '/home/ann/Commonplace.AppImage')
    const { connections, read } = await openFor('{}', app)
    await connections.connect('cursor', {})
    expect(JSON.parse(await read())).toMatchObject({ mcpServers: { commonplace: { command } } })
  })

  it.each([
    [{ command: 'commonplace', args: ['mcp'] }, true],
    [{ command: 'node', args: ['/x/out/main/cli/index.js', 'mcp'] }, true],
    [{ command: 'node', args: ['/home/ann/commonplace/server.js'] }, false],
    [{ command: 'uvx', args: ['mcp'] }, false],
    [{ url: 'https://example.com/mcp' }, false],
  ])('%j is an entry of Commonplace: %s', (entry, is) => {
    expect(isOwnEntry(entry)).toBe(is)
  })
})
