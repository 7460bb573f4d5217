/** The whole shell, from its start to its exit, on the stand-in. */
import { EventPublisher } from '@orpc/server'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ended, lockOnly, settled, startShell, windowsOf } from '../../../support/electron/shell.ts'
import { emit } from '../../../support/electron/events.ts'
import type { Platform } from '../../../support/electron/index.ts'
import { folderWith } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const platforms: Platform[] = ['linux', 'win32', 'darwin']
const link = 'commonplace://remember?text=hello'

describe('start', () => {
  it.each(platforms)('is ready, and shows the main window once its page is there, on %s', async (platform) => {
    const run = await startShell(platform)
    const { main, capture } = windowsOf(run)
    expect(run.instance.windows).toHaveLength(2)
    expect([main?.isVisible(), capture.isVisible()]).toEqual([true, false])
    expect(run.instance.electron.protocol.privileged?.map(({ scheme }) => scheme)).toEqual(['app'])
  })

  it('captures the note of a link that starts the app on macOS, before ready', async () => {
    const { main, capture } = windowsOf(await startShell('darwin', '', { openUrl: link }))
    expect([main, capture.isVisible(), capture.webContents.getURL()]).toEqual([
      undefined,
      true,
      'app://commonplace/capture?text=hello',
    ])
  })

  it.each(['linux', 'win32'] as const)('captures the note of a link that starts the app on %s', async (platform) => {
    const { main, capture } = windowsOf(await startShell(platform, '', { args: [link] }))
    expect([main, capture.isVisible()]).toEqual([undefined, true])
  })

  it('captures the note of a second instance that starts while the first still opens the memory', async () => {
    let second: { exitCode: number | undefined } | undefined
    const run = await startShell('linux', '', {}, ({ user }) => {
      second = user.opensLink(link, lockOnly)
    })
    await settled(run)
    expect(second?.exitCode).toBe(0)
    expect(windowsOf(run).capture.webContents.getURL()).toContain('text=hello')
  })

  it.each([
    ['linux', { args: ['--hidden'] }],
    ['win32', { args: ['--hidden'] }],
    ['darwin', { atLogin: true }],
  ] as const)('stays in the tray on %s if the system starts it at login', async (platform, launch) => {
    const run = await startShell(platform, '', structuredClone(launch) as object)
    expect(windowsOf(run).main).toBeUndefined()
    run.user.clicksTray(run.instance)
    const { main } = windowsOf(run)
    await vi.waitUntil(() => main?.isVisible())
  })

  it('lets Windows start it at login with the argument that keeps it in the tray', async () => {
    const run = await startShell('win32', 'desktop: { launchAtLogin: true }\n')
    expect(run.instance.app.getLoginItemSettings({ args: ['--hidden'] })['openAtLogin']).toBe(true)
  })

  it('starts again after an exit', async () => {
    const run = await startShell('linux')
    run.instance.app.quit()
    await ended(run)
    const again = await startShell('linux')
    expect(windowsOf(again).main?.isVisible()).toBe(true)
  })
})

describe('while it runs', () => {
  it.each(['linux', 'win32'] as const)('hides to the tray and comes back on %s', async (platform) => {
    const run = await startShell(platform, 'desktop: { closeTo: tray }\n')
    const { main } = windowsOf(run)
    if (main) run.user.closes(main)
    await settled(run)
    expect([main?.isDestroyed(), main?.isVisible()]).toEqual([false, false])
    run.user.clicksTray(run.instance)
    expect([main?.isVisible(), main?.isFocused()]).toEqual([true, true])
  })

  it('opens its window for a second start, even if minimized', async () => {
    const run = await startShell('win32')
    const { main } = windowsOf(run)
    main?.minimize()
    expect(run.user.startsApp(lockOnly).exitCode).toBe(0)
    await settled(run)
    expect([main?.isVisible(), main?.isFocused()]).toEqual([true, true])
  })

  it('captures on macOS while the main window is closed, and the dock brings it back', async () => {
    const run = await startShell('darwin')
    const { main, capture } = windowsOf(run)
    if (main) run.user.closes(main)
    await settled(run)
    expect([main?.isDestroyed(), run.instance.exited]).toEqual([true, false])
    run.instance.electron.globalShortcut.press('CommandOrControl+Shift+Space')
    expect(capture.isVisible()).toBe(true)
    capture.close()
    await settled(run)
    expect([capture.isVisible(), capture.isDestroyed()]).toEqual([false, false])
    run.user.opensLink(link, lockOnly)
    await settled(run)
    expect([capture.isVisible(), capture.webContents.getURL().endsWith('hello')]).toEqual([true, true])
    run.user.clicksDock(run.instance)
    await settled(run)
    expect(windowsOf(run).main?.isVisible()).toBe(true)
  })

  it.each(platforms)('opens a Markdown file of the memory on %s, at its start and later', async (platform) => {
    const workspace = await folderWith({ 'memory/a b.md': '', 'memory/c.md': '' })
    const config = `agents:\n  list:\n    - { id: main, workspace: '${workspace}' }\n`
    const file = join(workspace, 'memory/a b.md')
    const run = await startShell(platform, config, platform === 'darwin' ? { openFile: file } : { args: [file] })
    const { instance, computer } = run
    await vi.waitUntil(() => windowsOf(run).main !== undefined)
    expect(windowsOf(run).main?.webContents.getURL()).toBe('app://commonplace/file/memory/a%20b.md')
    const places: string[] = []
    vi.spyOn(EventPublisher.prototype, 'publish').mockImplementation((_name, event) => {
      if (event.type === 'goTo') places.push(event.place)
    })
    if (platform === 'darwin') emit(instance.app, 'open-file', {}, join(workspace, 'memory/c.md'))
    else computer.start(lockOnly, { args: [join(workspace, 'memory/c.md')] })
    await vi.waitUntil(() => places.length > 0)
    expect(places).toEqual(['/file/memory/c.md'])
  })

  it('says so if a Markdown file is in no agent’s folder', async () => {
    const folder = await folderWith({ 'a.md': '' })
    const run = await startShell('linux', '', { args: [join(folder, 'a.md')] })
    const { computer } = run
    await vi.waitUntil(() => computer.messageBoxes.length > 0)
    expect(computer.messageBoxes).toMatchObject([
      { options: { message: expect.stringContaining(join(folder, 'a.md')) } },
    ])
    expect(windowsOf(run).main?.webContents.getURL()).toBe('app://commonplace/')
  })

  it('tells the user of a shortcut that another program holds, and works without it', async () => {
    const run = await startShell('linux', '', {}, ({ computer }) => void computer.taken.add('Ctrl+Shift+Space'))
    expect(run.instance.electron.notifications).toMatchObject([{ body: expect.stringContaining('Another program') }])
    run.user.choosesTrayItem(run.instance, 'Quick capture')
    expect(windowsOf(run).capture.isVisible()).toBe(true)
  })

  it('reloads a page that crashes, and the capture window when it is next used', async () => {
    const run = await startShell('linux')
    const { main, capture } = windowsOf(run)
    for (const window of [main, capture]) window?.webContents.processGone({ reason: 'crashed', exitCode: 5 })
    await settled(run)
    expect([main?.webContents.isCrashed(), capture.webContents.isCrashed()]).toEqual([false, true])
    expect(run.computer.messageBoxes).toHaveLength(1)
    run.user.choosesTrayItem(run.instance, 'Quick capture')
    await settled(run)
    expect([capture.webContents.isCrashed(), capture.isVisible()]).toEqual([false, true])
  })

  it('reloads once, without a further message, a page that hangs', async () => {
    const run = await startShell('linux')
    const { main } = windowsOf(run)
    let loads = 0
    main?.webContents.on('did-start-loading', () => (loads += 1))
    run.computer.answers.push(1)
    main?.webContents.setResponsive(false)
    await settled(run)
    expect([loads, main?.webContents.isCrashed(), run.computer.messageBoxes]).toEqual([1, false, []])
    // The next crash is a crash again.
    main?.webContents.processGone({ reason: 'oom', exitCode: 5 })
    await settled(run)
    expect([loads, run.computer.messageBoxes.length]).toEqual([2, 1])
  })

  it('ignores the answer to a message about a page whose window has closed', async () => {
    const run = await startShell('darwin')
    const { main } = windowsOf(run)
    for (const _ of [1, 2]) {
      main?.webContents.processGone({ reason: 'crashed', exitCode: 5 })
      await settled(run)
    }
    main?.webContents.setResponsive(false)
    main?.close()
    await settled(run)
    const faults = vi.spyOn(process, 'emit')
    for (const box of run.computer.messageBoxes.slice()) box.answer(1)
    await settled(run)
    expect(faults.mock.calls.filter(([name]) => String(name).startsWith('unhandled'))).toEqual([])
  })

  it('keeps its windows and its shortcut over sleep and wake', async () => {
    const run = await startShell('linux')
    run.user.sleeps(run.instance)
    await settled(run)
    run.user.wakes(run.instance)
    await settled(run)
    run.instance.electron.globalShortcut.press('CommandOrControl+Shift+Space')
    expect(windowsOf(run).capture.isVisible()).toBe(true)
    expect(windowsOf(run).main?.isVisible()).toBe(true)
  })
})
