import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeElectron, FakeWindow, resetElectron } from '../../../support/fake-electron.ts'
import { until } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/fake-electron.ts')).fakeElectron)

const { CaptureWindow } = await import('../../../../src/main/app/electron/capture-window.ts')
const { CaptureShortcut } = await import('../../../../src/main/app/electron/capture-shortcut.ts')
const { CaptureTray } = await import('../../../../src/main/app/electron/capture-tray.ts')
const { noteOfArguments, noteOfLink } = await import('../../../../src/main/app/electron/protocol-links.ts')

const openCapture = (isQuitting = () => false) =>
  new CaptureWindow({ url: 'app://commonplace/capture', preload: '/p', isQuitting })

afterEach(() => {
  resetElectron()
  vi.clearAllMocks()
})

describe('quick capture in the shell', () => {
  it('creates the window ahead, shows it on the pointer’s screen, and hides it on close', () => {
    const capture = openCapture()
    const [window] = FakeWindow.all
    expect(window?.options).toMatchObject({ show: false, frame: false, alwaysOnTop: true })
    expect(window?.loadURL).toHaveBeenCalledWith('app://commonplace/capture')
    capture.show()
    expect(window?.setBounds).toHaveBeenCalledWith({ x: 460, y: 220, width: 520, height: 240 })
    expect(window?.show).toHaveBeenCalled()
    window?.close()
    expect(window?.hide).toHaveBeenCalled()
    expect(window?.isDestroyed()).toBe(false)
  })

  it('closes the window when the app quits, and creates another after quitting was cancelled', async () => {
    let isQuitting = true
    const capture = openCapture(() => isQuitting)
    const [window] = FakeWindow.all
    window?.close()
    await until(() => window?.isDestroyed() === true)
    expect(window?.hide).not.toHaveBeenCalled()
    isQuitting = false
    capture.show()
    expect(FakeWindow.getAllWindows()).toHaveLength(1)
    expect(FakeWindow.getAllWindows()[0]?.show).toHaveBeenCalled()
  })

  it('shows a note of another program without saving it', () => {
    const capture = openCapture()
    capture.show('买牛奶 & 面包')
    expect(FakeWindow.all[0]?.loadURL).toHaveBeenLastCalledWith(
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
    expect(noteOfArguments(['/usr/bin/commonplace', '--flag', link])).toBe(note)
  })

  it('the shortcut follows the configuration, can be paused, and reports a taken key once', () => {
    let keys = 'CommandOrControl+Shift+Space'
    const onTaken = vi.fn()
    const shortcut = new CaptureShortcut({ accelerator: () => keys, onPress: vi.fn(), onTaken })
    const { register, unregister } = fakeElectron.globalShortcut
    expect(register).toHaveBeenCalledWith(keys, expect.anything())
    shortcut.setPaused(true)
    expect(unregister).toHaveBeenCalledWith(keys)
    shortcut.setPaused(false)
    expect(register).toHaveBeenCalledTimes(2)
    register.mockReturnValueOnce(false).mockReturnValueOnce(false)
    keys = 'Alt+X'
    shortcut.apply()
    shortcut.apply()
    expect(onTaken).toHaveBeenCalledTimes(1)
    register.mockImplementationOnce(() => {
      throw new TypeError('no such key')
    })
    keys = 'Nonsense'
    shortcut.apply()
    expect(onTaken).toHaveBeenCalledTimes(2)
    shortcut.close()
  })

  it('the tray lists the last captures and opens both windows', () => {
    const [onCapture, onOpen, onPause] = [vi.fn(), vi.fn(), vi.fn()]
    const icons = pathToFileURL('/icons/')
    const tray = new CaptureTray({ icons, onCapture, onOpen, isPaused: () => false, onPause })
    for (let number = 1; number <= 7; number += 1) tray.add(`note ${number}`)
    const menu = fakeElectron.Menu.buildFromTemplate.mock.calls.at(-1)?.[0] as {
      label?: string
      click?: (item: { checked: boolean }) => void
    }[]
    expect(menu.map(({ label }) => label).filter((label) => label?.startsWith('note'))).toEqual([
      'note 7',
      'note 6',
      'note 5',
      'note 4',
      'note 3',
    ])
    for (const { click } of menu) click?.({ checked: true })
    expect(onCapture).toHaveBeenCalled()
    expect(onOpen).toHaveBeenCalled()
    expect(onPause).toHaveBeenCalledWith(true)
    tray.close()
  })
})
