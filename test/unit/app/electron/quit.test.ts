import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeElectron, FakeWindow, resetElectron } from '../../../support/fake-electron.ts'
import { temporaryFolder, until, writeFiles } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/fake-electron.ts')).fakeElectron)

const { HostProcess } = await import('../../../../src/main/app/instance-lock/host-process.ts')
const { startDesktop } = await import('../../../../src/main/app/electron/desktop.ts')

const { app } = fakeElectron
const platform = process.platform
const pretend = (name: NodeJS.Platform) => Object.defineProperty(process, 'platform', { value: name })
const closeMemory = vi.fn<() => Promise<void>>()

/** Long enough for pending events. */
const settle = () => sleep(100)

interface Windows {
  readonly main: FakeWindow
  readonly capture: FakeWindow
}

async function start(closeTo: 'tray' | 'quit' = 'tray'): Promise<Windows> {
  const home = await temporaryFolder()
  await writeFiles(home, { 'config.yaml': `desktop: { closeTo: ${closeTo} }\n` })
  vi.stubEnv('COMMONPLACE_HOME', home)
  await startDesktop(new URL('../../../../src/main/', import.meta.url))
  const [capture, main] = FakeWindow.all
  if (!main || !capture) throw new Error('the desktop opens two windows')
  return { main, capture }
}

async function quit(): Promise<void> {
  const hasQuit = once(app, 'quit')
  app.quit()
  await hasQuit
}

describe('quitting the desktop app', () => {
  beforeEach(() => {
    pretend('linux')
    const { close } = HostProcess.prototype
    vi.spyOn(HostProcess.prototype, 'close').mockImplementation(async function (this: object) {
      await close.call(this as never)
      await closeMemory()
    })
  })
  afterEach(async () => {
    for (const window of FakeWindow.all) {
      window.asksToStay = false
      window.removeAllListeners('close')
    }
    if (app.listenerCount('will-quit') > 0 && closeMemory.mock.calls.length === 0) await quit()
    resetElectron()
    vi.clearAllMocks()
    pretend(platform)
  })

  it.each(['linux', 'win32', 'darwin'] as const)(
    'closes both windows, then the memory, then ends on %s',
    async (name) => {
      pretend(name)
      const { main, capture } = await start()
      const order: string[] = []
      main.once('closed', () => order.push('main window'))
      capture.once('closed', () => order.push('capture window'))
      closeMemory.mockImplementationOnce(async () => {
        order.push('memory closing')
        await sleep(20)
        order.push('memory closed')
      })
      app.once('quit', () => order.push('quit'))
      await quit()
      await settle()
      expect(order.toSorted()).toEqual(['capture window', 'main window', 'memory closed', 'memory closing', 'quit'])
      expect(order.slice(2)).toEqual(['memory closing', 'memory closed', 'quit'])
      expect(main.hide).not.toHaveBeenCalled()
      expect(capture.hide).not.toHaveBeenCalled()
    },
  )

  it('ends once, even if quitting is requested again while the memory closes', async () => {
    await start()
    const ended = vi.fn()
    app.on('quit', ended)
    closeMemory.mockImplementationOnce(async () => {
      app.quit()
      await sleep(20)
      app.quit()
      app.quit()
    })
    await quit()
    await settle()
    expect(ended).toHaveBeenCalledOnce()
    expect(closeMemory).toHaveBeenCalledOnce()
  })

  it('ends even if closing the memory fails', async () => {
    await start()
    closeMemory.mockRejectedValueOnce(new Error('a full disk'))
    await quit()
  })

  it('opens no window while the memory closes', async () => {
    await start()
    app.once('will-quit', () => {
      app.emit('activate')
      app.emit('second-instance', {}, [])
      app.emit('open-url', { preventDefault: vi.fn() }, 'commonplace://remember?text=x')
    })
    await quit()
    expect(FakeWindow.all).toHaveLength(2)
  })

  it('ends when the main window closes and closeTo is quit', async () => {
    const { main, capture } = await start('quit')
    const hasQuit = once(app, 'quit')
    main.close()
    await hasQuit
    expect(capture.isDestroyed()).toBe(true)
  })

  it('keeps running with an open memory when a window prevents closing, and hides to the tray again', async () => {
    const { main, capture } = await start()
    main.once('close', (event: Event) => event.preventDefault())
    app.quit()
    await until(() => capture.isDestroyed())
    await settle()
    expect(main.isDestroyed()).toBe(false)
    expect(closeMemory).not.toHaveBeenCalled()
    main.close()
    await settle()
    expect(main.isDestroyed()).toBe(false)
    expect(main.hide).toHaveBeenCalledOnce()
    app.emit('open-url', { preventDefault: vi.fn() }, 'commonplace://remember?text=x')
    expect(FakeWindow.getAllWindows()).toHaveLength(2)
    await quit()
    expect(closeMemory).toHaveBeenCalledOnce()
  })

  it('keeps running when a page asks to stay, and hides to the tray again', async () => {
    const { main } = await start()
    main.asksToStay = true
    app.quit()
    await settle()
    expect(closeMemory).not.toHaveBeenCalled()
    main.close()
    expect(main.hide).toHaveBeenCalledOnce()
  })

  it('keeps running when a listener prevents before-quit, and hides to the tray again', async () => {
    const { main, capture } = await start()
    app.once('before-quit', (event: Event) => event.preventDefault())
    app.quit()
    await settle()
    for (const window of [main, capture]) {
      window.close()
      expect(window.hide).toHaveBeenCalledOnce()
    }
    expect(closeMemory).not.toHaveBeenCalled()
  })

  it('closes the memory when Windows ends the session without before-quit', async () => {
    const { capture } = await start()
    const hasQuit = once(app, 'quit')
    capture.emit('session-end')
    await hasQuit
    expect(closeMemory).toHaveBeenCalledOnce()
  })
})
