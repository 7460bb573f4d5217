/** Events that only the system or the user can cause. A test cannot cause them in Electron itself. */
import { describe, expect, test } from 'vitest'
import { Computer, type Instance, type Main, type Platform, User } from '../../../support/electron/index.ts'
import { noting, started } from '../../../support/electron/started.ts'

const platforms: Platform[] = ['darwin', 'win32', 'linux']
const notWindows: Platform[] = ['darwin', 'linux']

describe('start', () => {
  test.each(platforms)('ready comes after the whole code of the app on %s', async (platform) => {
    const computer = new Computer({ platform })
    const notes: string[] = []
    computer.start(async ({ app }) => {
      for (const name of ['will-finish-launching', 'ready', 'activate']) app.on(name, () => notes.push(name))
      void app.whenReady().then(() => notes.push('whenReady'))
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      notes.push(`code ${app.isReady()}`)
    })
    await computer.settled()
    const launch = platform === 'darwin' ? ['activate'] : []
    expect(notes).toEqual(['code false', 'will-finish-launching', 'ready', 'whenReady', ...launch])
  })

  test('on macOS a link that starts the app comes before ready, and is lost to a listener that ready adds', async () => {
    const notes: string[] = []
    const computer = new Computer({ platform: 'darwin' })
    const user = new User(computer)
    const instance = user.opensLink('commonplace://a', ({ app }) => {
      app.on('open-url', (_event, url) => notes.push(`${url} ${app.isReady()}`))
      void app.whenReady().then(() => app.on('open-url', (_event, url) => notes.push(`late ${url}`)))
    })
    await computer.settled()
    expect(notes).toEqual(['commonplace://a false'])
    expect(user.opensLink('commonplace://b', () => {})).toBe(instance)
    await computer.settled()
    expect(notes.slice(1)).toEqual(['commonplace://b true', 'late commonplace://b'])
  })

  test('a file that starts the app on macOS comes before ready', async () => {
    const computer = new Computer({ platform: 'darwin' })
    const notes: string[] = []
    const main: Main = ({ app }) => {
      app.on('open-file', (_event, path) => notes.push(`${path} ${app.isReady()}`))
    }
    computer.start(main, { openFile: '/a.md' })
    await computer.settled()
    expect(notes).toEqual(['/a.md false'])
  })

  test.each(['win32', 'linux'] as const)(
    'a link starts a second process with the link last on %s',
    async (platform) => {
      const computer = new Computer({ platform })
      const user = new User(computer)
      const seen: string[][] = []
      const main: Main = ({ app }) => {
        if (!app.requestSingleInstanceLock()) app.quit()
        app.on('open-url', () => seen.push(['open-url']))
        app.on('second-instance', (_event, argv) => seen.push(argv))
      }
      // The second process starts while the first is not ready yet.
      computer.start(main)
      const second = user.opensLink('commonplace://a', main)
      expect(seen).toEqual([])
      await computer.settled()
      expect(second.exitCode).toBe(0)
      expect(seen).toHaveLength(1)
      const [argv = []] = seen
      expect(argv.at(0)).toBe(computer.executable)
      expect(argv.at(-1)).toBe('commonplace://a')
      expect(argv.length).toBeGreaterThan(2)
    },
  )

  test('macOS starts no second process from the icon, and a message of more than 32 MB is lost', async () => {
    const { computer, instance, user } = await started('darwin')
    expect(user.startsApp(() => {})).toBe(instance)
    const seen: unknown[] = []
    instance.app.on('second-instance', () => seen.push(1))
    instance.app.requestSingleInstanceLock()
    const data = 'x'.repeat(33 * 1024 * 1024)
    const second = computer.start(({ app }) => void (app.requestSingleInstanceLock({ data }) || app.exit(1)))
    await computer.settled()
    expect([second.exitCode, seen]).toEqual([1, []])
    expect(user.startsApp(() => {})).toBe(instance)
  })

  test('an exit before ready ends the app without ready', async () => {
    const computer = new Computer({ platform: 'linux' })
    const notes: string[] = []
    const instance = computer.start(noting(notes, ({ app }) => app.quit()))
    await computer.settled()
    expect(notes).toEqual(['before-quit', 'will-quit', 'quit 0'])
    expect(instance.exitCode).toBe(0)
  })

  test('schemes get privileges once, and only before ready', async () => {
    const { instance } = await started('linux')
    const { protocol } = instance.electron
    expect(() => protocol.registerSchemesAsPrivileged([])).toThrow('should be called before app is ready')
    const early = new Computer({ platform: 'linux' }).start(() => {}).electron.protocol
    early.registerSchemesAsPrivileged([])
    expect(() => early.registerSchemesAsPrivileged([])).toThrow('can be called only once')
  })

  test('a quit inside before-quit has no effect', async () => {
    const notes: string[] = []
    const { computer, instance } = await started('linux', notes)
    instance.app.on('before-quit', () => instance.app.quit())
    instance.app.quit()
    await computer.settled()
    expect(notes).toEqual(['before-quit', 'close', 'closed', 'will-quit', 'quit 0'])
  })

  test('relaunch starts one more instance for each call, after the exit', async () => {
    const { computer, instance } = await started('linux')
    instance.app.relaunch()
    instance.app.relaunch({ args: ['--again'] })
    expect(computer.relaunches).toEqual([])
    instance.app.exit()
    expect(computer.relaunches).toEqual([{ args: [] }, { args: ['--again'] }])
  })
})

describe('the system', () => {
  test('a click on the dock activates the app, with or without visible windows', async () => {
    const notes: string[] = []
    const { instance, user, window } = await started('darwin', notes)
    user.clicksDock(instance)
    window.hide()
    user.clicksDock(instance)
    window.show()
    instance.app.hide()
    expect(window.isVisible()).toBe(false)
    instance.app.show()
    window.minimize()
    expect(window.isFocused()).toBe(false)
    user.clicksDock(instance)
    window.restore()
    expect(window.isVisible()).toBe(true)
    expect(notes).toEqual(['activate true', 'activate false', 'activate false'])
  })

  test.each(platforms)('sleep and wake emit suspend and resume on %s', async (platform) => {
    const notes: string[] = []
    const { instance, user } = await started(platform, notes)
    user.sleeps(instance)
    user.wakes(instance)
    expect(notes).toEqual(['suspend', 'resume'])
  })

  test.each(notWindows)('a shutdown of %s that the app does not delay quits the app', async (platform) => {
    const notes: string[] = []
    const { computer, instance, user } = await started(platform, notes)
    expect(user.shutsDown(instance)).toBe(false)
    await computer.settled()
    expect(notes).toEqual(['before-quit', 'close', 'closed', 'will-quit', 'quit 0'])
  })

  test.each(notWindows)('a shutdown of %s waits for an app that delays it, until its limit', async (platform) => {
    const notes: string[] = []
    const { computer, instance, user } = await started(platform, notes, ({ powerMonitor }) => {
      powerMonitor.on('shutdown', (event) => event.preventDefault())
    })
    expect(user.shutsDown(instance)).toBe(true)
    await computer.settled()
    expect([notes, instance.exited]).toEqual([[], false])
    user.powersOff(instance)
    expect([notes, instance.exited]).toEqual([[], true])
  })

  test('Windows ends a session with events of the windows only', async () => {
    const notes: string[] = []
    const { instance, user, window } = await started('win32', notes)
    window.on('query-session-end', ({ reasons }) => notes.push(`query ${reasons}`))
    window.on('session-end', ({ reasons }) => notes.push(`end ${reasons}`))
    instance.electron.powerMonitor.on('shutdown', () => notes.push('shutdown'))
    window.hide()
    expect(user.shutsDown(instance)).toBe(false)
    expect(notes).toEqual(['query shutdown', 'end shutdown'])
    expect([instance.exited, instance.exitCode]).toEqual([true, undefined])
  })

  test('Windows waits for a window that delays the end of the session, but not for session-end', async () => {
    const { instance, user, window } = await started('win32')
    let ends = 0
    window.on('query-session-end', (event) => event.preventDefault())
    window.on('session-end', (event) => {
      ends += 1
      event.preventDefault()
    })
    expect(user.endsSession(instance, ['logoff'])).toBe(true)
    expect([instance.exited, ends]).toEqual([false, 0])
    user.powersOff(instance)
    expect([instance.exited, ends]).toEqual([true, 1])
  })

  test('a process that ended runs nothing more', async () => {
    const notes: string[] = []
    const { computer, instance, window } = await started('linux', notes)
    void window.loadURL('data:,a')
    window.webContents.on('did-finish-load', () => notes.push('loaded'))
    instance.kill()
    await computer.settled()
    expect(notes).toEqual([])
  })

  test('a signal ends the app as a quit does', async () => {
    const notes: string[] = []
    const { computer, instance, user } = await started('linux', notes)
    user.terminates(instance)
    await computer.settled()
    expect(notes[0]).toBe('before-quit')
    expect(instance.exitCode).toBe(0)
  })

  test('dark mode of the system counts only for the theme of the system', async () => {
    const { computer, instance, user } = await started('linux')
    const { nativeTheme } = instance.electron
    let updates = 0
    nativeTheme.on('updated', () => (updates += 1))
    user.setsDark(instance, true)
    await computer.settled()
    expect([nativeTheme.shouldUseDarkColors, updates]).toEqual([true, 1])
    nativeTheme.themeSource = 'light'
    user.setsDark(instance, false)
    user.setsDark(instance, true)
    await computer.settled()
    expect([nativeTheme.shouldUseDarkColors, updates]).toEqual([false, 2])
  })

  test('login items and badges exist where the documentation says', async () => {
    const [mac, windows, linux] = await Promise.all([started('darwin'), started('win32'), started('linux')])
    const [macApp, windowsApp, linuxApp] = [mac.instance.app, windows.instance.app, linux.instance.app]
    for (const app of [macApp, windowsApp]) {
      app.setLoginItemSettings({ openAtLogin: true, args: ['--hidden'] })
      expect(app.getLoginItemSettings({ args: ['--hidden'] })['openAtLogin']).toBe(true)
    }
    expect(windowsApp.getLoginItemSettings()['openAtLogin']).toBe(false)
    macApp.setLoginItemSettings({})
    expect(macApp.getLoginItemSettings()['openAtLogin']).toBe(false)
    expect(linuxApp.setLoginItemSettings).toBeUndefined()
    expect([macApp, windowsApp, linuxApp].map((app) => app.setBadgeCount(1))).toEqual([true, false, true])
    expect([macApp, windowsApp, linuxApp].map((app) => app.dock !== undefined)).toEqual([true, false, false])
  })

  test('macOS registers only schemes of the Info.plist', () => {
    const client = (platform: Platform, plistSchemes: string[]): boolean =>
      new Computer({ platform, plistSchemes }).start(() => {}).app.setAsDefaultProtocolClient('commonplace')
    expect([client('darwin', []), client('darwin', ['commonplace']), client('linux', [])]).toEqual([false, true, true])
  })

  test('paths: a relative path and an unknown name throw, and session data follow the user data', async () => {
    const { instance } = await started('linux')
    expect(() => instance.app.setPath('userData', 'a/b')).toThrow('Path must be absolute')
    expect(() => instance.app.getPath('nowhere')).toThrow("Failed to get 'nowhere' path")
    instance.app.setPath('userData', '/data')
    expect(instance.app.getPath('sessionData')).toBe('/data')
  })

  test('the secret store of Linux has a name once the app is ready', async () => {
    const computer = new Computer({ platform: 'linux', storageBackend: 'basic_text' })
    const instance = computer.start(() => {})
    const { safeStorage } = instance.electron
    expect([safeStorage.isEncryptionAvailable(), safeStorage.getSelectedStorageBackend()]).toEqual([false, 'unknown'])
    await computer.settled()
    expect([safeStorage.isEncryptionAvailable(), safeStorage.getSelectedStorageBackend()]).toEqual([true, 'basic_text'])
    expect(safeStorage.decryptString(safeStorage.encryptString('über'))).toBe('über')
    expect(() => safeStorage.decryptString(Buffer.from('plain'))).toThrow('Error while decrypting')
  })
})

describe('updates', () => {
  async function downloaded(platform: Platform, notes: string[]) {
    const start = await started(platform, notes)
    const { autoUpdater } = start.instance.electron
    const { computer } = start
    for (const name of ['update-available', 'update-downloaded', 'before-quit-for-update'])
      autoUpdater.on(name, () => notes.push(name))
    computer.update = '9.9.9'
    autoUpdater.setFeedURL({ url: 'https://updates.example' })
    autoUpdater.checkForUpdates()
    await computer.settled()
    return { ...start, autoUpdater }
  }

  test.each(['darwin', 'win32'] as const)(
    'quitAndInstall closes the windows before before-quit on %s',
    async (platform) => {
      const notes: string[] = []
      const { autoUpdater, computer, instance } = await downloaded(platform, notes)
      autoUpdater.quitAndInstall()
      await computer.settled()
      const windows = ['before-quit-for-update', 'close', 'closed', 'window-all-closed']
      const quit = ['before-quit', 'will-quit', 'quit 0']
      expect(notes).toEqual(['update-available', 'update-downloaded', ...windows, ...quit])
      expect([instance.exitCode, computer.installed, computer.relaunches.length]).toEqual([0, '9.9.9', 1])
    },
  )

  test('a window that stays stops the update, which the next exit installs', async () => {
    const notes: string[] = []
    const { autoUpdater, computer, instance, window } = await downloaded('darwin', notes)
    let stays = true
    window.on('close', (event) => {
      if (stays) event.preventDefault()
    })
    autoUpdater.quitAndInstall()
    await computer.settled()
    expect(notes.slice(2)).toEqual(['before-quit-for-update', 'close'])
    expect([instance.exited, computer.installed]).toEqual([false, undefined])
    stays = false
    window.close()
    await computer.settled()
    // The update is over: closing the window is no part of it.
    expect(notes.at(-1)).toBe('window-all-closed')
    instance.app.quit()
    expect(computer.installed).toBe('9.9.9')
  })

  test('a downloaded update is installed at any exit, without a restart', async () => {
    const { computer, instance } = await downloaded('darwin', [])
    instance.app.exit()
    expect([computer.installed, computer.relaunches]).toEqual(['9.9.9', []])
  })

  test('without an update, without an address and on Linux there is an error', async () => {
    const errors: string[] = []
    const fail = async (platform: Platform, work: (instance: Instance) => void): Promise<void> => {
      const { computer, instance } = await started(platform)
      instance.electron.autoUpdater.on('error', (error) => errors.push(error.message))
      work(instance)
      await computer.settled()
    }
    await fail('win32', ({ electron }) => electron.autoUpdater.quitAndInstall())
    await fail('win32', ({ electron }) => electron.autoUpdater.checkForUpdates())
    await fail('linux', ({ electron }) => electron.autoUpdater.checkForUpdates())
    expect(errors).toEqual([
      "No update available, can't quit and install",
      'Update URL is not set',
      'Auto update is not supported on Linux',
    ])
  })

  test('no update on the server', async () => {
    const { computer, instance } = await started('darwin')
    const { autoUpdater } = instance.electron
    let none = 0
    autoUpdater.on('update-not-available', () => (none += 1))
    autoUpdater.setFeedURL({ url: 'https://updates.example' })
    autoUpdater.checkForUpdates()
    await computer.settled()
    expect(none).toBe(1)
  })

  test('a utility process has an id while it runs, and its crash reaches the app', async () => {
    const { computer, instance } = await started('linux')
    const gone: string[] = []
    instance.app.on('child-process-gone', (_event, { reason, name }) => gone.push(`${name} ${reason}`))
    const child = instance.electron.utilityProcess.fork('/worker.js', [], { serviceName: 'index' })
    expect([child.pid, child.kill()]).toEqual([undefined, false])
    await computer.settled()
    expect(child.pid).toBeTypeOf('number')
    child.ends('crashed', 1)
    await computer.settled()
    expect([child.pid, gone]).toEqual([undefined, ['index crashed']])
  })
})
