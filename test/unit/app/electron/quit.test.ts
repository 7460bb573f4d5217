/** The end of the whole shell, on the stand-in. */
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ContractClient } from '../../../../src/shared/contract/index.ts'
import { plainConfig } from '../../../support/app.ts'
import { ended, startShell as start, openTrayMenu, windowsOf } from '../../../support/electron/shell.ts'
import type { AppRun } from '../../../support/electron/modules.ts'
import type { Platform } from '../../../support/electron/run.ts'
import { temporaryFolder, textsIn } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const { HostProcess } = await import('../../../../src/main/app/instance-lock/host-process.ts')
const platforms: Platform[] = ['linux', 'win32', 'darwin']
const link = 'commonplace://remember?text=hello'
const closeMemory = vi.fn<() => Promise<void>>()
const startShell = (platform: Platform, config?: string) => start({ platform }, config)

beforeEach(() => {
  closeMemory.mockClear()
  const { close } = HostProcess.prototype
  vi.spyOn(HostProcess.prototype, 'close').mockImplementation(async function (this: object) {
    await close.call(this as never)
    await closeMemory()
  })
})

/** Records the steps of the end, in order. */
function recordSteps(run: AppRun): string[] {
  const notes: string[] = []
  const { main, capture } = windowsOf(run)
  main?.on('closed', () => notes.push('main closed'))
  capture.on('closed', () => notes.push('capture closed'))
  run.app.on('quit', (_event, code) => notes.push(`quit ${code}`))
  closeMemory.mockImplementationOnce(async () => {
    notes.push('saving')
    await new Promise((resolve) => setTimeout(resolve, 30))
    notes.push('saved')
  })
  return notes
}

const saved = ['capture closed', 'main closed', 'saving', 'saved', 'quit 0']

describe('quit', () => {
  it.each(platforms)('from the menu: closes the windows, saves, then ends, on %s', async (platform) => {
    const run = await startShell(platform, 'desktop: { closeTo: tray }\n')
    const notes = recordSteps(run)
    run.electron.state.menu?.choose('Quit')
    await ended(run)
    expect(notes).toEqual(saved)
    expect(run.exitCode).toBe(0)
  })

  it.each(platforms)('from the tray, with the window hidden, on %s', async (platform) => {
    const run = await startShell(platform, 'desktop: { closeTo: tray }\n')
    const notes = recordSteps(run)
    windowsOf(run).main?.close()
    await run.settled()
    openTrayMenu(run).choose('Quit')
    await ended(run)
    expect(notes).toEqual(
      platform === 'darwin' ? ['main closed', ...saved.filter((note) => note !== 'main closed')] : saved,
    )
  })

  it.each(['linux', 'win32'] as const)('with the close button and closeTo: quit on %s', async (platform) => {
    const run = await startShell(platform, 'desktop: { closeTo: quit }\n')
    const notes = recordSteps(run)
    windowsOf(run).main?.close()
    await ended(run)
    expect(notes).toEqual(['main closed', ...saved.filter((note) => note !== 'main closed')])
  })

  it('stores what a page sends while its window closes', async () => {
    const workspace = await temporaryFolder()
    const run = await startShell('linux', plainConfig.replaceAll('{{workspace}}', workspace))
    const { main } = windowsOf(run)
    if (main === undefined) throw new Error('there is no main window')
    const { page } = main.webContents
    const { port1, port2 } = new run.electron.MessageChannelMain()
    page.postMessage('commonplace:connect', null, [port2])
    await run.settled()
    const client: ContractClient = createORPCClient(new RPCLink({ port: port1 as never }))
    port1.start()
    const save = (text: string) => client.chats.saveDraft({ agent: 'main', draft: { text, attachments: [] } })
    await save('typed first')
    page.onUnload = () => void save('typed last')
    run.app.quit()
    await ended(run)
    const stored = JSON.stringify(await textsIn(process.env['COMMONPLACE_HOME'] ?? ''))
    expect(stored).toContain('typed last')
  })

  it.each(platforms)('delays a shutdown of %s until all is saved', async (platform) => {
    const run = await startShell(platform, 'desktop: { closeTo: tray }\n')
    const notes = recordSteps(run)
    expect(run.shutDown()).toBe(true)
    await ended(run)
    expect(notes).toEqual(saved)
    expect(run.exitCode).toBe(0)
  })

  it('saves at once if Windows no longer waits', async () => {
    const run = await startShell('win32')
    const { capture } = windowsOf(run)
    const show = vi.spyOn(capture, 'show')
    capture.once('session-end', () => run.app.emit('second-instance', {}, [link]))
    for (const window of run.windows.slice()) window.emit('session-end')
    await vi.waitUntil(() => closeMemory.mock.calls.length === 1)
    expect(show).not.toHaveBeenCalled()
  })

  it.each(['darwin', 'win32'] as const)('for an update that closes the windows first, on %s', async (platform) => {
    const run = await startShell(platform, 'desktop: { closeTo: tray }\n')
    const notes = recordSteps(run)
    const { autoUpdater } = run.electron
    autoUpdater.quitAndInstall()
    await ended(run)
    expect(notes).toEqual(saved)
    expect(run.relaunches).toHaveLength(1)
  })

  it('hides to the tray again after an update that a page stopped', async () => {
    const run = await startShell('win32', 'desktop: { closeTo: tray }\n')
    const { main } = windowsOf(run)
    const { autoUpdater } = run.electron
    if (main) main.webContents.page.beforeUnload = () => true
    autoUpdater.quitAndInstall()
    await run.settled()
    expect([main?.isDestroyed(), closeMemory.mock.calls.length]).toEqual([false, 0])
    main?.close()
    await run.settled()
    expect([main?.isDestroyed(), main?.isVisible()]).toEqual([false, false])
  })

  it.each(['activate', 'second-instance', 'open-url'])(
    'opens no window for %s once the quit has begun',
    async (name) => {
      const run = await startShell('linux')
      const windows = vi.fn()
      run.app.on('browser-window-created', windows)
      const emit = (): void => void run.app.emit(name, { preventDefault: vi.fn() }, name === 'open-url' ? link : [])
      run.app.once('before-quit', () => setImmediate(emit))
      closeMemory.mockImplementationOnce(async () => emit())
      run.app.quit()
      await ended(run)
      expect(windows).not.toHaveBeenCalled()
    },
  )

  it('shows that it saves, if that takes long, and ends after a limit', async () => {
    const run = await startShell('linux')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    closeMemory.mockImplementationOnce(() => new Promise(() => {}))
    run.app.quit()
    await vi.waitUntil(() => closeMemory.mock.calls.length === 1)
    expect(run.windows).toEqual([])
    await vi.advanceTimersByTimeAsync(1000)
    expect(run.windows.map((window) => [window.options.title, window.isVisible()])).toEqual([['Saving…', true]])
    // A further quit does not shorten the wait.
    run.app.quit()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(run.hasEnded).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    vi.useRealTimers()
    await ended(run)
    expect(run.exitCode).toBe(0)
  })

  it('ends once, even if quitting is requested again while the memory closes', async () => {
    const run = await startShell('linux')
    const exits = vi.fn()
    run.app.on('quit', exits)
    closeMemory.mockImplementationOnce(async () => {
      for (const _ of [1, 2]) {
        run.app.quit()
        await run.settled()
      }
    })
    run.app.quit()
    await ended(run)
    await run.settled()
    expect([exits.mock.calls.length, closeMemory.mock.calls.length]).toEqual([1, 1])
  })

  it('ends even if closing the memory fails', async () => {
    const run = await startShell('linux')
    closeMemory.mockRejectedValueOnce(new Error('a full disk'))
    run.app.quit()
    await ended(run)
    expect(run.exitCode).toBe(0)
  })

  it('keeps the memory open if a window prevents its close, and hides to the tray again', async () => {
    const run = await startShell('linux', 'desktop: { closeTo: tray }\n')
    const { main, capture } = windowsOf(run)
    main?.once('close', (event: Event) => event.preventDefault())
    run.app.quit()
    await run.settled()
    expect([main?.isDestroyed(), capture.isDestroyed(), closeMemory.mock.calls.length]).toEqual([false, true, 0])
    main?.close()
    await run.settled()
    expect([main?.isDestroyed(), main?.isVisible()]).toEqual([false, false])
    run.app.emit('open-url', { preventDefault: vi.fn() }, link)
    expect(run.windows).toHaveLength(2)
    run.app.quit()
    await ended(run)
    expect(closeMemory).toHaveBeenCalledOnce()
  })

  it('stays without a main window on macOS after a cancelled quit', async () => {
    const run = await startShell('darwin')
    const { main } = windowsOf(run)
    main?.once('close', (event: Event) => event.preventDefault())
    run.app.quit()
    await run.settled()
    main?.close()
    await run.settled()
    expect([windowsOf(run).main, closeMemory.mock.calls.length]).toEqual([undefined, 0])
    run.app.emit('activate')
    expect(windowsOf(run).main).toBeDefined()
  })

  it('stays if a page asks to stay, and hides to the tray again', async () => {
    const run = await startShell('linux', 'desktop: { closeTo: tray }\n')
    const { main } = windowsOf(run)
    if (main) main.webContents.page.beforeUnload = () => true
    run.app.quit()
    await run.settled()
    main?.close()
    await run.settled()
    expect([main?.isDestroyed(), main?.isVisible(), closeMemory.mock.calls.length]).toEqual([false, false, 0])
  })

  it('stays if a listener prevents before-quit, and both windows hide again', async () => {
    const run = await startShell('linux', 'desktop: { closeTo: tray }\n')
    run.app.once('before-quit', (event: Event) => event.preventDefault())
    run.app.quit()
    await run.settled()
    for (const window of run.windows.slice()) {
      window.show()
      window.close()
    }
    await run.settled()
    expect(run.windows.map((window) => window.isVisible())).toEqual([false, false])
    expect(closeMemory).not.toHaveBeenCalled()
  })
})
