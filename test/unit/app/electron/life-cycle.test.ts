/** The life cycle of an Electron app: the rules of the stand-in, and of Electron itself where it is installed. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Driver, type Program, type Run, runtime, standIn } from '../../../support/electron/driver.ts'

/** Two windows that note what happens to them and to the app. */
const twoWindows: Program = ({ app, BrowserWindow }, note) => {
  app.on('before-quit', () => note('before-quit'))
  app.on('will-quit', () => note('will-quit'))
  app.on('window-all-closed', () => note('window-all-closed'))
  app.on('quit', (_event, code) => note(`quit ${code}`))
  void app.whenReady().then(() => {
    for (const name of ['one', 'two']) {
      const window = new BrowserWindow({ show: false, title: name })
      window.on('close', () => note(`close ${name}`))
      window.on('closed', () => note(`closed ${name} ${BrowserWindow.getAllWindows().length}`))
    }
  })
}

async function untilNoted(run: Run, notes: readonly string[]): Promise<void> {
  const check = async () => {
    await run.act(() => new Promise((resolve) => setTimeout(resolve, 10)))
    expect(run.notes()).toEqual(notes)
  }
  await vi.waitFor(check, 5000)
}

const drivers: Driver[] = [standIn('darwin'), standIn('win32'), standIn('linux'), runtime()]

for (const driver of drivers) {
  const title = driver.missing === undefined ? driver.name : `${driver.name} (${driver.missing})`
  describe.skipIf(driver.missing !== undefined)(title, () => {
    const runs: Run[] = []
    const start = async (program: Program, options?: { folder?: string; args?: string[] }): Promise<Run> => {
      const run = await driver.start(program, options)
      runs.push(run)
      return run
    }
    afterEach(() => {
      for (const run of runs.splice(0)) run.stop()
    })

    test('a quit asks the app, closes each window, asks again and ends', async () => {
      const run = await start(twoWindows)
      await run.act(({ app }) => app.quit())
      const notes = run.notes()
      expect(notes[0]).toBe('before-quit')
      expect(notes.slice(1, -2).toSorted()).toEqual(['close one', 'close two', 'closed one 1', 'closed two 0'])
      expect(notes.indexOf('close one')).toBeLessThan(notes.indexOf('closed one 1'))
      expect(notes.slice(-2)).toEqual(['will-quit', 'quit 0'])
      expect(run.exitCode()).toBe(0)
    })

    test('a quit that before-quit prevents closes no window, and the next quit asks again', async () => {
      const run = await start(({ app, BrowserWindow }, note) => {
        let prevented = true
        app.on('before-quit', (event) => {
          note('before-quit')
          if (prevented) event.preventDefault()
          prevented = false
        })
        void app.whenReady().then(() => {
          new BrowserWindow({ show: false }).on('close', () => note('close'))
        })
      })
      await run.act(({ app }) => app.quit())
      expect(run.notes()).toEqual(['before-quit'])
      await run.act(({ app }) => app.quit())
      expect(run.notes()).toEqual(['before-quit', 'before-quit', 'close'])
      expect(run.exitCode()).toBe(0)
    })

    test('a window that prevents its close cancels the quit', async () => {
      const run = await start(({ app, BrowserWindow }, note) => {
        app.on('before-quit', () => note('before-quit'))
        app.on('will-quit', () => note('will-quit'))
        app.on('window-all-closed', () => note('window-all-closed'))
        void app.whenReady().then(() => {
          let prevented = true
          new BrowserWindow({ show: false }).on('close', (event) => {
            if (prevented) event.preventDefault()
            prevented = false
          })
        })
      })
      await run.act(({ app }) => app.quit())
      expect(run.notes()).toEqual(['before-quit'])
      expect(run.exitCode()).toBeUndefined()
      // The quit is over: closing the window is no longer part of it.
      await run.act(({ BrowserWindow }) => BrowserWindow.getAllWindows().at(0)?.close())
      expect(run.notes()).toEqual(['before-quit', 'window-all-closed'])
    })

    test('a quit that will-quit prevents leaves the app without windows', async () => {
      const run = await start(({ app, BrowserWindow }, note) => {
        let prevented = true
        app.on('will-quit', (event) => {
          note(`will-quit ${BrowserWindow.getAllWindows().length}`)
          if (prevented) event.preventDefault()
          prevented = false
        })
        void app.whenReady().then(() => void new BrowserWindow({ show: false }))
      })
      await run.act(({ app }) => app.quit())
      expect(run.notes()).toEqual(['will-quit 0'])
      expect(run.exitCode()).toBeUndefined()
      await run.act(({ app }) => app.quit())
      expect(run.exitCode()).toBe(0)
    })

    test('the last window ends the app only if nothing listens for window-all-closed', async () => {
      const quits = await start(({ app, BrowserWindow }, note) => {
        app.on('before-quit', () => note('before-quit'))
        void app.whenReady().then(() => void new BrowserWindow({ show: false }))
      })
      await quits.act(({ BrowserWindow }) => BrowserWindow.getAllWindows().at(0)?.close())
      expect(quits.notes()).toEqual(['before-quit'])
      expect(quits.exitCode()).toBe(0)
      const stays = await start(twoWindows)
      await stays.act(({ BrowserWindow }) => BrowserWindow.getAllWindows().forEach((window) => window.close()))
      expect(stays.notes().at(-1)).toBe('window-all-closed')
      expect(stays.exitCode()).toBeUndefined()
    })

    test('exit asks no window and no listener', async () => {
      const run = await start(twoWindows)
      await run.act(({ app }) => app.exit(7))
      expect(run.notes().filter((note) => !note.startsWith('closed'))).toEqual(['quit 7'])
      expect(run.exitCode()).toBe(7)
    })

    test('destroy closes a window without a close event, and its methods throw from then on', async () => {
      const run = await start(({ app, BrowserWindow }, note) => {
        app.on('window-all-closed', () => {})
        void app.whenReady().then(() => {
          const window = new BrowserWindow({ show: false })
          const contents = window.webContents
          const attempt = (work: () => unknown): string => {
            try {
              return String(work())
            } catch (error) {
              return String(error)
            }
          }
          window.on('close', () => note('close'))
          window.on('closed', () => {
            note(`closed ${window.isDestroyed()} ${typeof window.id}`)
            note(attempt(() => window.show()))
            setTimeout(() => note(attempt(() => contents.getProcessId())), 10)
          })
          window.destroy()
        })
      })
      const error = 'TypeError: Object has been destroyed'
      await untilNoted(run, ['closed true number', error, error])
    })

    test('a window that hides on close stays, and a quit does not close it either', async () => {
      const run = await start(({ app, BrowserWindow }, note) => {
        void app.whenReady().then(() => {
          const window = new BrowserWindow({ show: true })
          window.on('hide', () => note('hide'))
          window.on('show', () => note('show'))
          window.on('close', (event) => {
            event.preventDefault()
            window.hide()
          })
        })
      })
      await run.act(({ BrowserWindow }) => BrowserWindow.getAllWindows().at(0)?.close())
      await run.act(({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows()
        if (window?.isVisible() !== false || window.isFocused()) throw new Error('the window is not hidden')
        window.show()
        if (!window.isVisible()) throw new Error('the window is not shown')
      })
      expect(run.notes()).toEqual(['hide', 'show'])
      await run.act(({ app }) => app.quit())
      expect(run.exitCode()).toBeUndefined()
    })

    test('a second instance gets no lock and sends its arguments to the first, after ready', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'electron-lock-'))
      const program: Program = ({ app }, note) => {
        if (!app.requestSingleInstanceLock({ from: 'second' })) return app.exit(3)
        app.on('second-instance', (_event, argv: string[], _folder: string, data: unknown) =>
          note(`${app.isReady()} ${argv.at(-1)} ${JSON.stringify(data)}`),
        )
        return undefined
      }
      const first = await start(program, { folder })
      const second = await start(program, { folder, args: ['commonplace://note/1'] })
      await first.act(() => {})
      expect(second.exitCode()).toBe(3)
      expect(first.notes()).toEqual(['true commonplace://note/1 {"from":"second"}'])
      await first.act(({ app }) => app.quit())
      const third = await start(program, { folder })
      expect(third.exitCode()).toBeUndefined()
    })

    test('a page that crashes says so, and a reload brings it back', async () => {
      const run = await start(({ app, BrowserWindow }, note) => {
        app.on('render-process-gone', (_event, _contents, { reason }) => note(`app: ${reason !== 'clean-exit'}`))
        void app.whenReady().then(async () => {
          const window = new BrowserWindow({ show: false })
          await window.loadURL('data:text/html,a')
          window.webContents.on('render-process-gone', () => note(`crashed ${window.webContents.isCrashed()}`))
          window.webContents.forcefullyCrashRenderer()
        })
      })
      await untilNoted(run, ['crashed true', 'app: true'])
      await run.act(async ({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows()
        if (window === undefined) throw new Error('there is no window')
        const { webContents } = window
        const loaded = new Promise((resolve) => webContents.once('did-finish-load', resolve))
        webContents.reload()
        await loaded
        if (webContents.isCrashed()) throw new Error('the page is still crashed')
        webContents.forcefullyCrashRenderer()
      })
      // A page that has crashed cannot keep its window.
      await run.act(({ app }) => app.quit())
      expect(run.exitCode()).toBe(0)
    })

    // Electron leaves these roles to macOS, where a click of the item alone does nothing (docs/tutorial/menus.md).
    test.skipIf(driver.name === 'Electron itself' && driver.platform === 'darwin')(
      'the menu roles close and quit work as the methods, and a click of a role is ignored',
      async () => {
        const run = await start(({ app, BrowserWindow, Menu }, note) => {
          app.on('before-quit', () => note('before-quit'))
          app.on('window-all-closed', () => note('window-all-closed'))
          void app.whenReady().then(() => {
            const items = (['close', 'quit'] as const).map((role) => ({ role, id: role, click: () => note('click') }))
            Menu.setApplicationMenu(Menu.buildFromTemplate([{ label: 'App', submenu: items }]))
            note(`window ${new BrowserWindow({ show: false }).isDestroyed()}`)
          })
        })
        await run.act(({ Menu, BrowserWindow }) => {
          const [window] = BrowserWindow.getAllWindows()
          Menu.getApplicationMenu()?.getMenuItemById('close')?.click({}, window, window?.webContents)
        })
        expect(run.notes()).toEqual(['window false', 'window-all-closed'])
        await run.act(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('quit')?.click({}))
        expect(run.notes()).toEqual(['window false', 'window-all-closed', 'before-quit'])
        expect(run.exitCode()).toBe(0)
      },
    )

    test('what needs ready throws before it', async () => {
      const run = await start(({ app, BrowserWindow, globalShortcut, protocol, safeStorage, session }, note) => {
        const attempt = (name: string, work: () => unknown): void => {
          try {
            work()
            note(`${name} works`)
          } catch (error) {
            note(name === 'window' ? String(error) : `${name} throws`)
          }
        }
        attempt('window', () => new BrowserWindow())
        attempt('shortcut', () => globalShortcut.register('CommandOrControl+F9', () => {}))
        attempt('storage', () => safeStorage.encryptString('a'))
        attempt('session', () => session.defaultSession.getUserAgent())
        attempt('schemes', () => protocol.registerSchemesAsPrivileged([]))
        attempt('sandbox', () => app.enableSandbox())
        void app.whenReady().then(() => {
          note('ready')
          attempt('schemes', () => protocol.registerSchemesAsPrivileged([]))
          attempt('sandbox', () => app.enableSandbox())
          attempt('session', () => session.defaultSession.getUserAgent())
        })
      })
      const before = [
        'Error: Cannot create BrowserWindow before app is ready',
        'shortcut throws',
        'storage throws',
        'session throws',
      ]
      const after = ['ready', 'schemes throws', 'sandbox throws', 'session works']
      expect(run.notes()).toEqual([...before, 'schemes works', 'sandbox works', ...after])
    })

    test('a port keeps its messages until start, and tells the other end of its close', async () => {
      const run = await start(({ app, MessageChannelMain }, note) => {
        void app.whenReady().then(() => {
          const { port1, port2 } = new MessageChannelMain()
          port2.on('message', ({ data }) => note(`message ${data}`))
          port2.on('close', () => note('close'))
          port1.postMessage('early')
          setTimeout(() => {
            note('start')
            port2.start()
            setTimeout(() => port1.close(), 20)
          }, 20)
        })
      })
      await untilNoted(run, ['start', 'message early', 'close'])
    })

    test('a channel has one handler', async () => {
      const run = await start(({ ipcMain }, note) => {
        ipcMain.handle('a', () => 1)
        try {
          ipcMain.handle('a', () => 2)
        } catch {
          note('throws')
        }
        ipcMain.removeHandler('a')
        ipcMain.handle('a', () => 3)
        note('replaced')
      })
      expect(run.notes()).toEqual(['throws', 'replaced'])
    })

    test('a tray icon needs its image, and can be destroyed twice', async () => {
      const run = await start(({ app, nativeImage, Tray }, note) => {
        void app.whenReady().then(() => {
          try {
            note(`no error: ${new Tray('/no/such/image.png').isDestroyed()}`)
          } catch (error) {
            note(String(error).includes('Failed to load image from path') ? 'throws' : String(error))
          }
          const tray = new Tray(nativeImage.createEmpty())
          tray.destroy()
          tray.destroy()
          note(`destroyed ${tray.isDestroyed()}`)
        })
      })
      expect(run.notes()).toEqual(['throws', 'destroyed true'])
    })
  })
}
