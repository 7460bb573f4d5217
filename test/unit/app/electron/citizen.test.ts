import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openTestApp } from '../../../support/app.ts'
import { fakeElectron, FakeWindow, resetElectron } from '../../../support/fake-electron.ts'
import { temporaryFolder, until } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/fake-electron.ts')).fakeElectron)

const { openKeyVault } = await import('../../../../src/main/app/electron/key-vault.ts')
const { installContextMenu } = await import('../../../../src/main/app/electron/context-menu.ts')
const { Unread } = await import('../../../../src/main/app/electron/unread-badge.ts')
const { setLaunchAtLogin } = await import('../../../../src/main/app/electron/login-item.ts')
const { recoverFromCrashes } = await import('../../../../src/main/app/electron/renderer-crashes.ts')
const { followPower } = await import('../../../../src/main/app/electron/power-state.ts')
const { decideOnClose } = await import('../../../../src/main/app/electron/close-to-tray.ts')

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

describe('M41 kept keys', () => {
  it('M41: stand in the file encrypted, and are read again; without encryption nothing is kept', async () => {
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

  it('M41: a Linux without a keyring is told to be weak', async () => {
    pretend('linux')
    fakeElectron.safeStorage.getSelectedStorageBackend.mockReturnValueOnce('basic_text')
    expect(openKeyVault(await temporaryFolder())?.strength).toBe('weak')
  })
})

describe('M49 answers that come unseen', () => {
  const ended = (session: string, ms: number, reason: 'done' | 'aborted' | 'error' = 'done') =>
    ({ type: 'turnEnded', agent: 'main', session, reason, ms }) as const

  it('M49: are counted at the icon; only long ones are told of, and lead to their chat', () => {
    const onOpen = vi.fn()
    let isSeen = false
    const unread = new Unread({ isSeen: () => isSeen, mayNotify: () => true, onOpen })
    unread.note(ended('a', 1000))
    unread.note(ended('b', 60_000))
    unread.note(ended('c', 60_000, 'aborted'))
    expect(fakeElectron.app.setBadgeCount.mock.calls.at(-1)).toEqual([2])
    expect(fakeElectron.Notification.shown).toHaveLength(1)
    fakeElectron.Notification.shown[0]?.click()
    expect(onOpen).toHaveBeenCalledWith('b')
    unread.clear()
    expect(fakeElectron.app.setBadgeCount.mock.calls.at(-1)).toEqual([0])
    isSeen = true
    unread.note(ended('d', 60_000))
    expect(fakeElectron.Notification.shown).toHaveLength(1)
  })

  it('M49: are told of by nobody who was asked not to', () => {
    const unread = new Unread({ isSeen: () => false, mayNotify: () => false, onOpen: vi.fn() })
    unread.note(ended('a', 60_000))
    expect(fakeElectron.Notification.shown).toEqual([])
  })
})

describe('M49 windows', () => {
  it('M49: the right button offers spellings in a field, copying elsewhere, and nothing where there is nothing', () => {
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

  it('M49: a page that died is loaded again and the user told; one that dies again waits for a word', async () => {
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

  it('asks once what closing does, keeps the answer, and closes when the app quits', async () => {
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

describe('M49 the computer', () => {
  it('M49: starts with it where that is asked for, in the way of each system', async () => {
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

  it('M49: on a battery nothing is indexed before somebody searches', async () => {
    const changes: boolean[] = []
    const stop = followPower((isSaving) => changes.push(isSaving))
    fakeElectron.powerMonitor.emit('on-battery')
    fakeElectron.powerMonitor.emit('on-ac')
    stop()
    fakeElectron.powerMonitor.emit('on-battery')
    expect(changes).toEqual([true, false])

    const { app, workspace } = await openTestApp()
    // On a battery from the start, before any agent is at work.
    await app.agents.savePower(true)
    const { memory } = await app.agents.get('main')
    await memory.settle(10_000)
    mkdirSync(join(workspace, 'memory'), { recursive: true })
    await (await app.agents.get('main')).workspace.write('memory/zebra.md', 'The zebra naps.\n', { cause: 'user' })
    const chunks = async () => (await memory.status()).chunks
    const before = await chunks()
    // Twice as long as a change waits for the next.
    await sleep(3000)
    expect(await chunks()).toBe(before)
    expect((await memory.search('zebra naps')).results).toHaveLength(1)
  })
})
