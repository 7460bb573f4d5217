import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { electron, emptyApp, openTrayMenu } from '../../../support/electron/shell.ts'
import type { AppRun } from '../../../support/electron/modules.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const { CaptureShortcut, captureTray, captureWindow } = await import('../../../../src/main/app/electron/capture.ts')
const { noteOfLink, targetOf } = await import('../../../../src/main/app/electron/protocol-links.ts')

const openCapture = (isQuitting = () => false) =>
  captureWindow({ url: 'app://commonplace/capture', preload: '/p', isQuitting })

let run: AppRun

beforeEach(async () => {
  run = await emptyApp({ platform: 'linux' })
  run.app.on('window-all-closed', () => {})
})

describe('quick capture in the shell', () => {
  it('creates the window ahead, shows it on the pointer’s screen, and hides it on close', () => {
    const show = openCapture()
    const [window] = run.windows
    expect(window?.options).toMatchObject({ show: false, frame: false, alwaysOnTop: true })
    expect(window?.webContents.addresses).toEqual(['app://commonplace/capture'])
    show()
    expect(window?.getBounds()).toEqual({ x: 700, y: 280, width: 520, height: 240 })
    expect(window?.isVisible()).toBe(true)
    window?.close()
    expect([window?.isVisible(), window?.isDestroyed()]).toEqual([false, false])
  })

  it('closes the window when the app quits, and creates another after quitting was cancelled', async () => {
    let isQuitting = true
    const show = openCapture(() => isQuitting)
    const [window] = run.windows
    window?.close()
    await run.settled()
    expect(window?.isDestroyed()).toBe(true)
    isQuitting = false
    show()
    expect(run.windows.map((open) => open.isVisible())).toEqual([true])
  })

  it('shows a note of another program without saving it', () => {
    const show = openCapture()
    show('买牛奶 & 面包')
    expect(run.windows[0]?.webContents.getURL()).toBe(
      `app://commonplace/capture?text=${encodeURIComponent('买牛奶 & 面包')}`,
    )
  })

  it.each([
    ['commonplace://remember?text=hello%20there', 'hello there'],
    ['commonplace://remember?text=', undefined],
    ['commonplace://forget?text=x', undefined],
    ['https://remember/?text=x', undefined],
    ['not a link', undefined],
  ])('the link %s contains %j', (link, note) => {
    expect(noteOfLink(link)).toBe(note)
    expect(noteOfLink(targetOf(['/usr/bin/commonplace', '--flag', link], '/'))).toBe(note)
  })

  it.each([
    [['notes/a.md'], '/home/notes/a.md'],
    [['--flag', '/tmp/A.MD', '/tmp/b.md'], '/tmp/A.MD'],
    [['file:///tmp/a%20b.md'], '/tmp/a b.md'],
    [['--load=/tmp/a.md', '/tmp/a.txt'], ''],
    [[], ''],
  ])('the arguments %j name the file %j', (args, file) => {
    expect(targetOf(['/opt/a.md', ...args], '/home')).toBe(file)
  })

  it('the shortcut follows the configuration, can be paused, and reports keys that do not work', () => {
    let keys = 'CommandOrControl+Shift+Space'
    const [onTaken, onPress] = [vi.fn(), vi.fn()]
    const shortcut = new CaptureShortcut({ accelerator: () => keys, onPress, onTaken })
    const { globalShortcut } = electron
    const unregister = vi.spyOn(globalShortcut, 'unregisterAll').mockImplementation(() => undefined)
    shortcut.setPaused(true)
    // Wayland keeps the keys in this way.
    globalShortcut.press(keys)
    expect(onPress).not.toHaveBeenCalled()
    unregister.mockRestore()
    shortcut.setPaused(false)
    globalShortcut.press(keys)
    expect(onPress).toHaveBeenCalledOnce()
    run.takenKeys.add('Alt+X')
    keys = 'Alt+X'
    shortcut.apply()
    shortcut.apply()
    vi.spyOn(globalShortcut, 'register').mockImplementationOnce(() => {
      throw new TypeError('no such key')
    })
    keys = 'Nonsense'
    shortcut.apply()
    expect(onTaken.mock.calls).toEqual([[''], [''], [''], ['Alt+X'], ['Nonsense']])
    shortcut.close()
  })

  it.each(['linux', 'darwin'] as const)(
    'a click on the tray captures; its menu has the rest, on %s',
    async (platform) => {
      run = await emptyApp({ platform })
      const [onCapture, onOpen, onPause] = [vi.fn(), vi.fn(), vi.fn()]
      const icons = pathToFileURL('/icons/')
      const tray = captureTray({ icons, onCapture, onOpen, isPaused: () => false, onPause })
      for (let number = 1; number <= 7; number += 1) tray.add(`note ${number}`)
      const [icon] = run.electron.state.trays
      icon?.emit('click')
      expect(onCapture).toHaveBeenCalledOnce()
      // On macOS, a menu that belongs to the icon would open at the click, too.
      expect(icon?.menu === undefined).toBe(platform === 'darwin')
      const menu = openTrayMenu(run)
      const labels = menu.items.flatMap(({ label = '' }) => (label.startsWith('note') ? [label] : []))
      expect(labels).toEqual(['note 7', 'note 6', 'note 5', 'note 4', 'note 3'])
      for (const label of ['Quick capture', 'Open Commonplace', 'Pause shortcut']) menu.choose(label)
      expect([onCapture.mock.calls.length, onOpen.mock.calls.length, onPause.mock.calls]).toEqual([2, 1, [[true]]])
      tray.close()
    },
  )
})
