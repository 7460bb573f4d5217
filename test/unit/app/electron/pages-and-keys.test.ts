/** Keys, the tray and pages: what a test cannot do to Electron itself. */
import { describe, expect, test } from 'vitest'
import { started } from '../../../support/electron/started.ts'

describe('keys and the tray', () => {
  test('a shortcut that another application holds cannot be registered', async () => {
    const { computer, instance } = await started('linux')
    const { globalShortcut } = instance.electron
    computer.taken.add('Control+Shift+Space')
    expect(globalShortcut.register('CmdOrCtrl+Shift+space', () => {})).toBe(false)
    expect(globalShortcut.isRegistered('CmdOrCtrl+Shift+Space')).toBe(false)
    let presses = 0
    expect(globalShortcut.register('CommandOrControl+Alt+K', () => (presses += 1))).toBe(true)
    globalShortcut.press('Ctrl+Alt+K')
    globalShortcut.unregister('CmdOrCtrl+Alt+K')
    globalShortcut.press('Ctrl+Alt+K')
    expect(presses).toBe(1)
  })

  test.each([
    ['linux', false],
    ['win32', true],
  ] as const)('a change of a tray item shows on %s without setContextMenu: %s', async (platform, shows) => {
    const { instance, user } = await started(platform)
    const { Menu, nativeImage, Tray } = instance.electron
    const tray = new Tray(nativeImage.createEmpty())
    let clicks = 0
    tray.on('click', () => (clicks += 1))
    const menu = Menu.buildFromTemplate([{ label: 'Pause', click: () => (clicks += 10) }])
    tray.setContextMenu(menu)
    user.choosesTrayItem(instance, 'Pause')
    user.clicksTray(instance)
    expect(clicks).toBe(11)
    const [item] = menu.items
    if (item !== undefined) item.label = 'Go on'
    expect(tray.shownItems()[0]?.label).toBe(shows ? 'Go on' : 'Pause')
    tray.setContextMenu(menu)
    expect(tray.shownItems()[0]?.label).toBe('Go on')
    tray.destroy()
    const other = new Tray(nativeImage.createEmpty())
    tray.destroy()
    expect(user.tray(instance)).toBe(other)
    other.destroy()
    expect(() => user.clicksTray(instance)).toThrow('there is no tray icon')
  })
})

describe('pages', () => {
  test('a page that prevents its unload cancels the quit, unless the app ignores that', async () => {
    const notes: string[] = []
    const { computer, instance, window } = await started('linux', notes)
    window.webContents.page.beforeUnload = () => true
    instance.app.quit()
    await computer.settled()
    expect(notes).toEqual(['before-quit', 'close'])
    window.webContents.on('will-prevent-unload', (event) => event.preventDefault())
    instance.app.quit()
    await computer.settled()
    expect(notes.slice(-2)).toEqual(['will-quit', 'quit 0'])
  })

  test('a page that has crashed cannot prevent the quit', async () => {
    const { computer, instance, window } = await started('linux')
    window.webContents.page.beforeUnload = () => true
    window.webContents.forcefullyCrashRenderer()
    instance.app.quit()
    await computer.settled()
    expect(instance.exitCode).toBe(0)
  })

  test('ready-to-show comes once, and not for a window that was shown', async () => {
    const { computer, instance, window: shown } = await started('linux')
    const hidden = new instance.electron.BrowserWindow({ show: false })
    let ready = 0
    for (const window of [hidden, shown]) window.on('ready-to-show', () => (ready += 1))
    await Promise.all([hidden.loadURL('data:,a'), shown.loadURL('data:,a')])
    hidden.reload()
    await computer.settled()
    expect(ready).toBe(1)
  })

  test('a page that fails to load rejects, also without a handler', async () => {
    const { computer, window } = await started('linux')
    const { webContents } = window
    webContents.session.failing.set('http://127.0.0.1/', { name: 'ERR_CONNECTION_REFUSED', code: -102 })
    const failures: number[] = []
    webContents.on('did-fail-load', (_event, code) => failures.push(code))
    void window.loadURL('http://127.0.0.1/')
    await computer.settled()
    await expect(window.loadURL('http://127.0.0.1/')).rejects.toThrow('ERR_CONNECTION_REFUSED (-102)')
    expect(failures).toEqual([-102, -102])
  })

  test('will-navigate can prevent a navigation of the page, and does not see loadURL', async () => {
    const { computer, window } = await started('linux')
    await window.loadURL('commonplace://app/')
    const seen: string[] = []
    window.webContents.on('will-navigate', (event, url) => {
      seen.push(url)
      event.preventDefault()
    })
    void window.webContents.pageNavigates('https://example.com/')
    await computer.settled()
    expect(window.webContents.getURL()).toBe('commonplace://app/')
    await window.loadURL('commonplace://app/2')
    expect(seen).toEqual(['https://example.com/'])
  })

  test('a new window opens only if the handler allows it', async () => {
    const { window } = await started('linux')
    const { webContents } = window
    expect(webContents.pageOpens('https://example.com')).toBe('allow')
    webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
    expect(webContents.pageOpens('https://example.com')).toBe('deny')
    webContents.setWindowOpenHandler(() => undefined as unknown as { action: string })
    expect(webContents.pageOpens('https://example.com')).toBe('deny')
  })

  test('a page that hangs tells its window too', async () => {
    const { window } = await started('linux')
    const notes: string[] = []
    for (const name of ['unresponsive', 'responsive']) {
      window.on(name, () => notes.push(`window ${name}`))
      window.webContents.on(name, () => notes.push(`page ${name}`))
    }
    window.webContents.setResponsive(false)
    window.webContents.setResponsive(true)
    expect(notes).toEqual(['page unresponsive', 'window unresponsive', 'page responsive', 'window responsive'])
  })

  test('a message to a crashed page is lost, its ports close, and the new page gets the next ones', async () => {
    const { computer, instance, window } = await started('linux')
    const { webContents } = window
    await window.loadURL('data:,a')
    const { port1, port2 } = new instance.electron.MessageChannelMain()
    let closes = 0
    port1.on('close', () => (closes += 1))
    webContents.postMessage('port', null, [port2])
    await computer.settled()
    expect(webContents.page.received).toHaveLength(1)
    webContents.processGone({ reason: 'oom', exitCode: 5 })
    webContents.send('lost')
    const late = new instance.electron.MessageChannelMain()
    late.port1.on('close', () => (closes += 1))
    webContents.postMessage('port', null, [late.port2])
    await computer.settled()
    expect([webContents.page.received.length, closes]).toEqual([1, 2])
    webContents.reload()
    await computer.settled()
    webContents.send('found')
    await computer.settled()
    expect(webContents.page.received.map(({ channel }) => channel)).toEqual(['found'])
  })

  test('a page calls the handlers of the main process and gets the text of an error', async () => {
    const { computer, instance, window } = await started('linux')
    const { ipcMain } = instance.electron
    const { page } = window.webContents
    ipcMain.handle('double', (_event, number) => (number as number) * 2)
    ipcMain.handle('fails', () => Promise.reject(new Error('no')))
    expect(await page.invoke('double', 4)).toBe(8)
    await expect(page.invoke('fails')).rejects.toThrow("Error invoking remote method 'fails': Error: no")
    await expect(page.invoke('none')).rejects.toThrow("No handler registered for 'none'")
    ipcMain.on('hello', (event, name) => event.reply('answer', `${name} ${event.sender === window.webContents}`))
    page.send('hello', 'page')
    await computer.settled()
    expect(page.received).toEqual([{ channel: 'answer', args: ['page true'], ports: [] }])
  })

  test('a page asks for permissions', async () => {
    const { window } = await started('linux')
    const { session } = window.webContents
    expect(await session.asks('media')).toBe(true)
    session.setPermissionRequestHandler((_contents, permission, callback) => callback(permission === 'notifications'))
    expect([await session.asks('media'), await session.asks('notifications')]).toEqual([false, true])
  })
})
