import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Log } from '../../../../src/main/platform/logging/log.ts'
import { Outbound } from '../../../../src/main/platform/index.ts'
import { openTestApp } from '../../../support/app.ts'
import { fakeElectron, FakeWindow, resetElectron } from '../../../support/fake-electron.ts'
import { temporaryFolder, until } from '../../../support/folder.ts'

const autoUpdater = vi.hoisted(() => ({ setFeedURL: vi.fn(), checkForUpdatesAndNotify: vi.fn(async () => null) }))
vi.mock('electron', async () => (await import('../../../support/fake-electron.ts')).fakeElectron)
vi.mock('electron-updater', () => ({ default: { autoUpdater } }))

const { openKeyVault } = await import('../../../../src/main/app/electron/key-vault.ts')
const { installContextMenu } = await import('../../../../src/main/app/electron/context-menu.ts')
const { UnreadBadge } = await import('../../../../src/main/app/electron/unread-badge.ts')
const { setLaunchAtLogin } = await import('../../../../src/main/app/electron/login-item.ts')
const { recoverFromCrashes } = await import('../../../../src/main/app/electron/renderer-crashes.ts')
const { followPower } = await import('../../../../src/main/app/electron/power-state.ts')
const { handleWindowClose: decideOnClose } = await import('../../../../src/main/app/electron/close-to-tray.ts')
const { recordDictionaries } = await import('../../../../src/main/app/electron/window-security.ts')
const { checkForUpdates: followUpdates } = await import('../../../../src/main/app/electron/updates.ts')

const platform = process.platform
const pretend = (name: NodeJS.Platform) => Object.defineProperty(process, 'platform', { value: name })

beforeEach(() => {
  vi.clearAllMocks()
  fakeElectron.Notification.shown.length = 0
})
afterEach(() => {
  Object.defineProperty(process, 'platform', { value: platform })
  resetElectron()
})

describe('stored keys', () => {
  it('encrypts the file and reads it again; stores nothing without encryption', async () => {
    const folder = await temporaryFolder()
    const vault = openKeyVault(folder)
    expect(vault?.strength).toBe('keychain')
    expect(await vault?.load()).toEqual({})
    await vault?.save({ anthropic: 'sk-ant-secret' })
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain('sk-ant-secret')
    expect(await openKeyVault(folder)?.load()).toEqual({ anthropic: 'sk-ant-secret' })
    fakeElectron.safeStorage.isEncryptionAvailable.mockReturnValueOnce(false)
    expect(openKeyVault(folder)).toBeUndefined()
  })

  it('reports Linux without a keyring as weak', async () => {
    pretend('linux')
    fakeElectron.safeStorage.getSelectedStorageBackend.mockReturnValueOnce('basic_text')
    expect(openKeyVault(await temporaryFolder())?.strength).toBe('weak')
  })
})

describe('unread answers', () => {
  const ended = (session: string, ms: number, reason: 'done' | 'aborted' | 'error' = 'done') =>
    ({ type: 'turnEnded', agent: 'main', session, reason, ms }) as const

  it('counts them in the badge; notifies only about long ones, with a link to the chat', () => {
    const onOpen = vi.fn()
    let isSeen = false
    const unread = new UnreadBadge({ isWindowFocused: () => isSeen, mayNotify: () => true, onOpen })
    unread.addTurn(ended('a', 1000))
    unread.addTurn(ended('b', 60_000))
    unread.addTurn(ended('c', 60_000, 'aborted'))
    expect(fakeElectron.app.setBadgeCount.mock.calls.at(-1)).toEqual([2])
    expect(fakeElectron.Notification.shown).toHaveLength(1)
    fakeElectron.Notification.shown[0]?.click()
    expect(onOpen).toHaveBeenCalledWith('b')
    unread.clear()
    expect(fakeElectron.app.setBadgeCount.mock.calls.at(-1)).toEqual([0])
    isSeen = true
    unread.addTurn(ended('d', 60_000))
    expect(fakeElectron.Notification.shown).toHaveLength(1)
  })

  it('sends no notifications when they are turned off', () => {
    const unread = new UnreadBadge({ isWindowFocused: () => false, mayNotify: () => false, onOpen: vi.fn() })
    unread.addTurn(ended('a', 60_000))
    expect(fakeElectron.Notification.shown).toEqual([])
  })
})

describe('windows', () => {
  it('the context menu offers spelling in a field, copying elsewhere, and nothing without a selection', () => {
    const window = new FakeWindow({})
    installContextMenu(window.webContents as never)
    const params = {
      misspelledWord: 'memroy',
      dictionarySuggestions: ['memory'],
      isEditable: true,
      selectionText: '',
      editFlags: {},
    }
    window.webContents.emit('context-menu', {}, params)
    const items = fakeElectron.Menu.buildFromTemplate.mock.calls.at(-1)?.[0] as {
      label?: string
      role?: string
      click?: () => void
    }[]
    items[0]?.click?.()
    expect(window.webContents.replaceMisspelling).toHaveBeenCalledWith('memory')
    items[1]?.click?.()
    expect(window.webContents.session.addWordToSpellCheckerDictionary).toHaveBeenCalledWith('memroy')
    expect(items.map(({ role }) => role)).toContain('paste')
    const calls = fakeElectron.Menu.buildFromTemplate.mock.calls.length
    window.webContents.emit('context-menu', {}, { ...params, misspelledWord: '', isEditable: false })
    expect(fakeElectron.Menu.buildFromTemplate.mock.calls).toHaveLength(calls)
  })

  it('reloads a crashed page and tells the user; after a second crash it waits for the user', async () => {
    const { app } = await openTestApp()
    const window = new FakeWindow({})
    recoverFromCrashes(window as never, app.log)
    window.webContents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 5 })
    expect(window.webContents.reload).toHaveBeenCalledTimes(1)
    expect(fakeElectron.dialog.showMessageBox.mock.calls[0]?.[1].message).toMatch(
      /Nothing is lost \(log reference \w+\)/,
    )
    window.webContents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 5 })
    expect(window.webContents.reload).toHaveBeenCalledTimes(1)
    await until(() => window.webContents.reload.mock.calls.length === 2)
    fakeElectron.dialog.showMessageBox.mockResolvedValueOnce({ response: 1 })
    window.emit('unresponsive')
    await until(() => window.webContents.forcefullyCrashRenderer.mock.calls.length === 1)
  })

  it('asks once about closing, stores the choice, and closes when the app quits', async () => {
    pretend('linux')
    const { app, home } = await openTestApp()
    const window = new FakeWindow({})
    const quitting = { isQuitting: false }
    decideOnClose(window as never, app.settings, quitting)
    window.close()
    await until(() => window.hide.mock.calls.length === 1)
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain('closeTo: tray')
    window.close()
    expect(window.hide).toHaveBeenCalledTimes(2)
    expect(fakeElectron.dialog.showMessageBox).toHaveBeenCalledTimes(1)
    quitting.isQuitting = true
    window.close()
    await until(() => window.isDestroyed())
    expect(window.hide).toHaveBeenCalledTimes(2)
  })
})

describe('launch at login and power', () => {
  it('starts at login if configured, on each system', async () => {
    pretend('darwin')
    await setLaunchAtLogin(true)
    expect(fakeElectron.app.setLoginItemSettings).toHaveBeenCalledWith({ openAtLogin: true })
    pretend('linux')
    const folder = join(await temporaryFolder(), 'autostart')
    await setLaunchAtLogin(true, folder)
    expect(readFileSync(join(folder, 'commonplace.desktop'), 'utf8')).toContain('--hidden')
    await setLaunchAtLogin(false, folder)
    expect(existsSync(join(folder, 'commonplace.desktop'))).toBe(false)
  })

  it('on battery, indexes nothing before the first search', async () => {
    const changes: boolean[] = []
    const stop = followPower((isSaving) => changes.push(isSaving))
    fakeElectron.powerMonitor.emit('on-battery')
    fakeElectron.powerMonitor.emit('on-ac')
    stop()
    fakeElectron.powerMonitor.emit('on-battery')
    expect(changes).toEqual([true, false])

    const { app, workspace } = await openTestApp()
    // On battery from the start, before any agent is open.
    await app.agents.savePower(true)
    const { memory } = await app.agents.get('main')
    await memory.settle(10_000)
    mkdirSync(join(workspace, 'memory'), { recursive: true })
    await (await app.agents.get('main')).workspace.write('memory/zebra.md', 'The zebra naps.\n', { cause: 'user' })
    const units = async () => (await memory.status()).units
    const before = await units()
    // Twice the debounce of the indexer.
    await sleep(3000)
    expect(await units()).toBe(before)
    expect((await memory.search('zebra naps')).results).toHaveLength(1)
  })

  it('checks for updates only in a packaged app with a configured feed', async () => {
    const url = 'https://example.org/feed?key=abc'
    const outbound = new Outbound(join(await temporaryFolder(), 'outbound.jsonl'))
    const onChange = () => () => undefined
    const log = { fault: vi.fn(() => '') } as unknown as Log
    const look = async (feed: string | undefined, isPackaged: boolean) => {
      fakeElectron.app.isPackaged = isPackaged
      followUpdates({ feed: () => feed, onChange, log, outbound })()
      await vi.dynamicImportSettled()
    }
    await look(undefined, true)
    await look(url, false)
    expect(autoUpdater.setFeedURL).not.toHaveBeenCalled()
    expect(autoUpdater.checkForUpdatesAndNotify).not.toHaveBeenCalled()
    await look(url, true)
    expect(autoUpdater.setFeedURL.mock.calls).toEqual([[{ provider: 'generic', url }]])
    await until(() => autoUpdater.checkForUpdatesAndNotify.mock.calls.length === 1)
    await until(async () => (await outbound.requests(1)).requests[0]?.outcome === 'ok')
    expect((await outbound.requests(9)).requests).toMatchObject([{ purpose: 'update', host: 'https://example.org' }])
    expect(log.fault).not.toHaveBeenCalled()
  })

  it('does not check if the check cannot be recorded', async () => {
    const log = { fault: vi.fn(() => '') } as unknown as Log
    const outbound = new Outbound(await temporaryFolder())
    followUpdates({ feed: () => 'https://example.org/feed', onChange: () => () => undefined, log, outbound })()
    await until(() => vi.mocked(log.fault).mock.calls.length === 1)
    expect(vi.mocked(log.fault).mock.calls[0]?.[0]).toMatchObject({ code: 'outbound_unrecorded' })
    expect(autoUpdater.checkForUpdatesAndNotify).not.toHaveBeenCalled()
  })

  it('records the download of a spelling dictionary', async () => {
    const outbound = new Outbound(join(await temporaryFolder(), 'outbound.jsonl'))
    recordDictionaries(outbound, () => undefined)
    const [event, begin] = fakeElectron.session.defaultSession.on.mock.calls[0] ?? []
    expect(event).toBe('spellcheck-dictionary-download-begin')
    begin?.()
    await until(async () => (await outbound.requests(1)).requests[0]?.purpose === 'dictionary')
  })

  it('logs an unreachable feed', async () => {
    const outbound = new Outbound(join(await temporaryFolder(), 'outbound.jsonl'))
    const log = { fault: vi.fn(() => '') } as unknown as Log
    const onChange = () => () => undefined
    autoUpdater.checkForUpdatesAndNotify.mockRejectedValueOnce(new Error('no network'))
    followUpdates({ feed: () => 'https://example.org/feed', onChange, log, outbound })()
    await until(() => vi.mocked(log.fault).mock.calls.length === 1)
  })

  it('checks a new feed at once', () => {
    const outbound = new Outbound('/nowhere/outbound.jsonl')
    const told: (() => void)[] = []
    let address: string | undefined
    const feed = vi.fn(() => address)
    const stopped = vi.fn()
    const onChange = (listener: () => void) => {
      told.push(listener)
      return stopped
    }
    fakeElectron.app.isPackaged = false
    const log = { file: '', info: vi.fn(), warn: vi.fn(), fault: () => '', close: vi.fn() }
    const stop = followUpdates({ feed, onChange, log, outbound })
    const change = (to: string | undefined) => {
      address = to
      feed.mockClear()
      for (const listener of told) listener()
      return feed.mock.calls.length
    }
    // One call compares the feed, a second one checks it.
    expect([change(undefined), change('https://example.org/a'), change('https://example.org/a')]).toEqual([1, 2, 1])
    stop()
    fakeElectron.app.isPackaged = true
    expect(stopped).toHaveBeenCalledOnce()
  })
})
