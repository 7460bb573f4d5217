/** The whole shell, from its start on, on the stand-in for Electron. */
import { EventPublisher } from '@orpc/server'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { HostProcess } from '../../../../src/main/app/instance-lock/host-process.ts'
import type { ContractClient } from '../../../../src/shared/contract/index.ts'
import { AppError } from '../../../../src/shared/util/errors.ts'
import { openTestResident } from '../../../support/app.ts'
import { electron, emptyApp, startShell, openTrayMenu, windowsOf } from '../../../support/electron/shell.ts'
import { emit, type Platform } from '../../../support/electron/run.ts'
import { folderWith, temporaryFolder, until } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const { acceptPorts, fileFor, interfaceUrl, serveInterface } =
  await import('../../../../src/main/app/electron/message-ports.ts')
const { readLoginShell } = await import('../../../../src/main/app/electron/login-shell.ts')

const platforms: Platform[] = ['linux', 'win32', 'darwin']
const link = 'commonplace://remember?text=hello'
const shortcut = 'CommandOrControl+Shift+Space'

describe('start', () => {
  it.each(platforms)('shows the main window once its page is there, on %s', async (platform) => {
    const run = await startShell({ platform })
    const { main, capture } = windowsOf(run)
    expect([main?.isVisible(), capture.isVisible(), run.windows.length]).toEqual([true, false, 2])
    expect(main?.options).toMatchObject({ name: 'main', windowStatePersistence: true, backgroundColor: '#fdfcfa' })
    expect(run.electron.state.schemes.map(({ scheme }) => scheme)).toEqual(['app'])
    // Each home has a separate lock and separate pages.
    expect(run.app.getPath('userData')).toBe(join(process.env['COMMONPLACE_HOME'] ?? '', 'electron'))
  })

  it.each([
    ['linux', { args: [link] }],
    ['win32', { args: ['--no-sandbox', link] }],
    ['darwin', { openUrl: link }],
  ] as const)('captures the note of a link that starts the app on %s', async (platform, options) => {
    const run = await startShell({ platform, ...options })
    const { main, capture } = windowsOf(run)
    expect([main, capture.isVisible()]).toEqual([undefined, true])
    expect(capture.webContents.getURL()).toBe('app://commonplace/capture?text=hello')
  })

  it('captures the note of a second start that comes while the memory opens', async () => {
    const run = await startShell({ platform: 'linux' }, '', (starting) => starting.startAgain(link))
    await run.settled()
    expect(windowsOf(run).capture.webContents.getURL()).toContain('text=hello')
  })

  it('ends without a window if another instance runs', async () => {
    const run = await startShell({ platform: 'linux', isLocked: true })
    expect([run.exitCode, run.windows]).toEqual([0, []])
  })

  it('shows why it cannot start, and ends', async () => {
    vi.spyOn(HostProcess, 'open').mockRejectedValueOnce(new AppError('owner_silent', 'no answer from process 7', {}))
    const run = await startShell({ platform: 'linux' })
    expect([run.exitCode, run.errors]).toEqual([1, ['no answer from process 7']])
  })

  it.each([
    ['linux', { args: ['--hidden'] }],
    ['win32', { args: ['--hidden'] }],
    ['darwin', { isAtLogin: true }],
  ] as const)('stays in the tray on %s if the system starts it at login', async (platform, options) => {
    const run = await startShell({ platform, ...options })
    expect(windowsOf(run).main).toBeUndefined()
    openTrayMenu(run).choose('Open Commonplace')
    const { main } = windowsOf(run)
    await vi.waitUntil(() => main?.isVisible())
  })

  it.each([
    [true, ['--hidden'], [['commonplace', 'D:\\Commonplace.exe']]],
    [false, undefined, []],
  ])('registers links and the start at login only if packaged: %s', async (isPackaged, loginItem, schemes) => {
    vi.stubEnv('PORTABLE_EXECUTABLE_FILE', 'D:\\Commonplace.exe')
    const run = await startShell({ platform: 'win32', isPackaged }, 'desktop: { launchAtLogin: true }\n')
    expect([run.loginItem, run.app.schemes]).toEqual([loginItem, schemes])
  })

  it.each([
    [[], true],
    [['--no-sandbox'], false],
  ])('with %j, the sandbox is enabled: %s', async (args, isSandboxed) => {
    expect((await startShell({ platform: 'linux', args })).app.isSandboxed).toBe(isSandboxed)
  })

  it('takes PATH and unset variables from the login shell', async () => {
    const folder = await folderWith({})
    const shell = join(folder, 'shell')
    writeFileSync(
      shell,
      '#!/bin/sh\necho welcome\nexport PATH=/usr/bin:/bin:/opt/tools A_TOKEN=new B_TOKEN=new COMMONPLACE_X=1\neval "$2"\n',
    )
    chmodSync(shell, 0o755)
    for (const [name, value] of Object.entries({ SHELL: shell, B_TOKEN: 'old', SHLVL: '0' })) vi.stubEnv(name, value)
    const env = { ...process.env }
    await readLoginShell(env)
    expect([env['PATH'], env['A_TOKEN'], env['B_TOKEN']]).toEqual(['/usr/bin:/bin:/opt/tools', 'new', 'old'])
    expect(env['COMMONPLACE_X']).toBeUndefined()
    const unchanged = { SHELL: '/nowhere/sh', PATH: '/bin' }
    await readLoginShell(unchanged)
    expect(unchanged).toEqual({ SHELL: '/nowhere/sh', PATH: '/bin' })
  })

  it.each([
    ['darwin', ['mcp', '--client', 'x']],
    ['linux', ['--no-sandbox', 'mcp']],
  ] as const)('serves the memory over stdio without a window for `mcp` on %s', async (platform, args) => {
    // The real command would read this process's stdin.
    vi.doMock('../../../../src/main/app/cli/cli.ts', () => ({}))
    vi.stubEnv('DISPLAY', ':0')
    const run = await startShell({ platform, args })
    expect([run.windows, run.hasEnded, run.app.isDockHidden]).toEqual([[], true, platform === 'darwin'])
    expect(process.argv.slice(1)).toEqual(args.filter((argument) => argument !== '--no-sandbox'))
    vi.doUnmock('../../../../src/main/app/cli/cli.ts')
  })

  it('starts `mcp` again without a display if there is none', async () => {
    const spawnSync = vi.fn(() => ({ status: 3 }))
    vi.doMock('node:child_process', () => ({ spawn: vi.fn(), spawnSync }))
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`)
    })
    vi.stubEnv('DISPLAY', '')
    vi.stubEnv('WAYLAND_DISPLAY', '')
    const started = startShell({ platform: 'linux', args: ['mcp', '--read-only'] })
    await expect(started).rejects.toThrow('exit 3')
    expect(spawnSync).toHaveBeenCalledWith(process.execPath, ['--ozone-platform=headless', 'mcp', '--read-only'], {
      stdio: 'inherit',
    })
    vi.doUnmock('node:child_process')
  })
})

describe('while it runs', () => {
  it.each(['linux', 'win32'] as const)('hides to the tray and comes back on %s', async (platform) => {
    const run = await startShell({ platform }, 'desktop: { closeTo: tray }\n')
    const { main } = windowsOf(run)
    main?.close()
    await run.settled()
    expect([main?.isDestroyed(), main?.isVisible()]).toEqual([false, false])
    openTrayMenu(run).choose('Open Commonplace')
    expect([main?.isVisible(), main?.isFocused()]).toEqual([true, true])
  })

  it('shows its window for a second start, even if minimized', async () => {
    const run = await startShell({ platform: 'win32' })
    const { main } = windowsOf(run)
    main?.minimize()
    run.startAgain()
    await run.settled()
    expect([main?.isVisible(), main?.isFocused(), run.windows.length]).toEqual([true, true, 2])
  })

  it('captures on macOS while the main window is closed, and the dock brings it back', async () => {
    const run = await startShell({ platform: 'darwin' })
    windowsOf(run).main?.close()
    await run.settled()
    expect([windowsOf(run).main, run.hasEnded]).toEqual([undefined, false])
    electron.globalShortcut.press(shortcut)
    expect(windowsOf(run).capture.isVisible()).toBe(true)
    emit(run.app, 'open-url', {}, link)
    expect(windowsOf(run).capture.webContents.getURL()).toMatch(/hello$/)
    emit(run.app, 'activate')
    await run.settled()
    expect(windowsOf(run).main?.isVisible()).toBe(true)
  })

  it('has a capture window ready after the page has closed one', async () => {
    const run = await startShell({ platform: 'linux' })
    electron.globalShortcut.press(shortcut)
    const { capture } = windowsOf(run)
    // The page calls `window.close()`.
    capture.destroy()
    await run.settled()
    const { capture: next } = windowsOf(run)
    expect([next === capture, next.isVisible(), next.webContents.addresses.length]).toEqual([false, false, 1])
    electron.globalShortcut.press(shortcut)
    expect(next.isVisible()).toBe(true)
  })

  it.each(platforms)('opens a Markdown file of the memory on %s, at its start and later', async (platform) => {
    const workspace = await folderWith({ 'memory/a b.md': '', 'memory/c.md': '' })
    const config = `agents:\n  list:\n    - { id: main, workspace: '${workspace}' }\n`
    const [file, later] = [join(workspace, 'memory/a b.md'), join(workspace, 'memory/c.md')]
    const run = await startShell(
      { platform, ...(platform === 'darwin' ? { openFile: file } : { args: [file] }) },
      config,
    )
    await vi.waitUntil(() => windowsOf(run).main !== undefined)
    expect(windowsOf(run).main?.webContents.getURL()).toBe('app://commonplace/file/memory/a%20b.md')
    const places: string[] = []
    vi.spyOn(EventPublisher.prototype, 'publish').mockImplementation((_name, event) => {
      if (event.type === 'goTo') places.push(event.place)
    })
    if (platform === 'darwin') emit(run.app, 'open-file', {}, later)
    else run.startAgain(later)
    await vi.waitUntil(() => places.length > 0)
    expect(places).toEqual(['/file/memory/c.md'])
  })

  it('says so if a Markdown file is in no agent’s folder', async () => {
    const file = join(await folderWith({ 'a.md': '' }), 'a.md')
    const run = await startShell({ platform: 'linux', args: [file] })
    await vi.waitUntil(() => run.boxes.length > 0)
    expect(run.boxes).toMatchObject([{ message: expect.stringContaining(file) }])
    expect(windowsOf(run).main?.webContents.getURL()).toBe('app://commonplace/')
  })

  it('reports a shortcut that another program holds until it works', async () => {
    const opened: HostProcess[] = []
    const { open } = HostProcess
    vi.spyOn(HostProcess, 'open').mockImplementation(async (...args) => {
      const hostProcess = await open.apply(HostProcess, args)
      opened.push(hostProcess)
      return hostProcess
    })
    const run = await startShell({ platform: 'linux' }, '', ({ takenKeys }) => takenKeys.add(shortcut))
    const app = await opened[0]?.app()
    await until(() => app?.health.problems().some(({ code }) => code === 'shortcut_taken') === true)
    openTrayMenu(run).choose('Quick capture')
    expect(windowsOf(run).capture.isVisible()).toBe(true)
    await app?.settings.set([['capture', 'shortcut'], 'Alt+F9'])
    await until(() => app?.health.problems().some(({ code }) => code === 'shortcut_taken') === false)
  })

  it('reloads a page that crashes, and the capture window when it is next used', async () => {
    const run = await startShell({ platform: 'linux' })
    const { main, capture } = windowsOf(run)
    for (const window of [main, capture]) window?.webContents.crash('crashed')
    await run.settled()
    expect([main?.webContents.isCrashed(), capture.webContents.isCrashed()]).toEqual([false, true])
    expect(run.boxes).toHaveLength(1)
    openTrayMenu(run).choose('Quick capture')
    await run.settled()
    expect([capture.webContents.isCrashed(), capture.isVisible()]).toEqual([false, true])
  })

  it('reloads once, without a further message, a page that hangs', async () => {
    const run = await startShell({ platform: 'linux' })
    const { main } = windowsOf(run)
    run.answers.push(1)
    main?.webContents.hang()
    await run.settled()
    expect([main?.webContents.addresses.length, main?.webContents.isCrashed(), run.boxes]).toEqual([2, false, []])
    // The next crash is a crash again.
    main?.webContents.crash('oom')
    await run.settled()
    expect([main?.webContents.addresses.length, run.boxes.length]).toEqual([3, 1])
  })

  it('offers to load a page again that could not be loaded', async () => {
    const run = await startShell({ platform: 'linux' })
    const { main } = windowsOf(run)
    const { failing } = run.electron.session.defaultSession
    failing.set(interfaceUrl, -6)
    main?.webContents.reload()
    await run.settled()
    expect(run.boxes).toMatchObject([{ message: 'The window could not be loaded (ERR_FAILED).' }])
    failing.clear()
    run.boxes[0]?.answer(0)
    await run.settled()
    expect([run.boxes, main?.webContents.addresses.length]).toEqual([[], 3])
  })

  it('ignores the answer to a message about a page whose window has closed', async () => {
    const run = await startShell({ platform: 'darwin' })
    const { main } = windowsOf(run)
    for (const _ of [1, 2]) {
      main?.webContents.crash('crashed')
      await run.settled()
    }
    main?.webContents.hang()
    main?.close()
    await run.settled()
    const faults = vi.spyOn(process, 'emit')
    for (const box of run.boxes.slice()) box.answer(1)
    await run.settled()
    expect(faults.mock.calls.filter(([name]) => String(name).startsWith('unhandled'))).toEqual([])
  })
})

describe('the pages of the app', () => {
  it('are served with the headers of the browser host; other hosts are refused', async () => {
    const folder = await temporaryFolder()
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<html>')
    writeFileSync(join(folder, 'assets/a.js'), 'js')
    const files = pathToFileURL(`${folder}/`)
    expect(fileFor(files, '/assets/a.js').pathname).toMatch(/assets\/a\.js$/)
    for (const path of ['/', '/chat/x', '/file/MEMORY.md', '/%2e%2e/%2e%2e/etc/passwd', '/../../etc/passwd'])
      expect(fileFor(files, path).pathname).toMatch(/index\.html$/)
    await emptyApp()
    serveInterface(files)
    const serve = electron.protocol.handlers.get('app')
    const page = await serve?.(new Request(interfaceUrl))
    expect(page?.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect((await serve?.(new Request('app://elsewhere/')))?.status).toBe(404)
  })

  it('speak the contract over a port', async () => {
    await emptyApp()
    acceptPorts(await openTestResident())
    const window = new electron.BrowserWindow()
    await window.loadURL(`${interfaceUrl}chat/x`)
    const { port1, port2 } = new electron.MessageChannelMain()
    window.webContents.page.postMessage('commonplace:connect', null, [port2])
    port1.start()
    const client: ContractClient = createORPCClient(new RPCLink({ port: port1 as never }))
    expect(await client.agents.list()).toMatchObject([{ id: 'main', ready: true }])
  })

  it('have the colours that the window shows before', () => {
    const style = readFileSync(new URL('../../../../src/renderer/styles.css', import.meta.url), 'utf8')
    expect(style).toContain('--paper: light-dark(#fdfcfa, #1a1917)')
  })
})
