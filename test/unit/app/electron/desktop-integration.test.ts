import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Outbound } from '../../../../src/main/platform/index.ts'
import { openTestApp } from '../../../support/app.ts'
import type { BaseWindow } from '../../../support/electron/index.ts'
import type { Menu } from '../../../support/electron/menu.ts'
import { electron, emptyApp, pretend, type Running } from '../../../support/electron/shell.ts'
import { temporaryFolder, until } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const { followPower, openKeyVault, setLaunchAtLogin, UnreadBadge } =
  await import('../../../../src/main/app/electron/system-integration.ts')
const { installContextMenu } = await import('../../../../src/main/app/electron/menus.ts')
const { recordDictionaries, recoverFromCrashes } = await import('../../../../src/main/app/electron/window-security.ts')
const { handleWindowClose: decideOnClose } = await import('../../../../src/main/app/electron/quitting.ts')

let run: Running

beforeEach(async () => {
  vi.clearAllMocks()
  run = await emptyApp({ platform: 'linux', folders: { appData: '/nowhere' } })
  run.instance.app.on('window-all-closed', () => {})
})

const openWindow = (): BaseWindow => new electron.BrowserWindow()

describe('stored keys', () => {
  it('encrypts the file and reads it again; stores nothing without encryption', async () => {
    const folder = await temporaryFolder()
    const vault = openKeyVault(folder)
    expect(vault?.strength).toBe('keychain')
    expect(await vault?.load()).toEqual({})
    await vault?.save({ anthropic: 'sk-ant-secret' })
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain('sk-ant-secret')
    expect(await openKeyVault(folder)?.load()).toEqual({ anthropic: 'sk-ant-secret' })
    vi.spyOn(electron.safeStorage, 'isEncryptionAvailable').mockReturnValueOnce(false)
    expect(openKeyVault(folder)).toBeUndefined()
  })

  it('reports Linux without a keyring as weak', async () => {
    await emptyApp({ platform: 'linux', storageBackend: 'basic_text' })
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
    expect(electron.app.getBadgeCount()).toBe(2)
    expect(electron.notifications).toHaveLength(1)
    electron.notifications[0]?.emit('click')
    expect(onOpen).toHaveBeenCalledWith('b')
    unread.clear()
    expect(electron.app.getBadgeCount()).toBe(0)
    isSeen = true
    unread.addTurn(ended('d', 60_000))
    expect(electron.notifications).toHaveLength(1)
  })

  it('sends no notifications when they are turned off', () => {
    const unread = new UnreadBadge({ isWindowFocused: () => false, mayNotify: () => false, onOpen: vi.fn() })
    unread.addTurn(ended('a', 60_000))
    expect(electron.notifications).toEqual([])
  })
})

describe('windows', () => {
  it('the context menu offers spelling in a field, copying elsewhere, and nothing without a selection', () => {
    const window = openWindow()
    installContextMenu(window.webContents as never)
    const params = {
      misspelledWord: 'memroy',
      dictionarySuggestions: ['memory'],
      isEditable: true,
      selectionText: '',
      editFlags: {},
    }
    const build = vi.spyOn(electron.Menu, 'buildFromTemplate')
    window.webContents.emit('context-menu', {}, params)
    const [built] = build.mock.results.map(({ value }) => value as Menu)
    const items = built?.items ?? []
    items[0]?.click()
    expect(window.webContents.replacement).toBe('memory')
    items[1]?.click()
    expect(window.webContents.session.words).toEqual(['memroy'])
    expect(items.map(({ role }) => role)).toContain('paste')
    window.webContents.emit('context-menu', {}, { ...params, misspelledWord: '', isEditable: false })
    expect(build).toHaveBeenCalledOnce()
  })

  it('reloads a crashed page and tells the user; after a second crash it waits for the user', async () => {
    const { app } = await openTestApp()
    const window = openWindow()
    recoverFromCrashes(window as never, app.log)
    const crash = async (): Promise<void> => {
      window.webContents.processGone({ reason: 'oom', exitCode: 5 })
      await run.computer.settled()
    }
    await crash()
    expect(window.webContents.isCrashed()).toBe(false)
    expect(run.computer.messageBoxes.splice(0)[0]?.options.message).toMatch(/Nothing is lost \(log reference \w+\)/)
    await crash()
    expect(window.webContents.isCrashed()).toBe(true)
    run.computer.messageBoxes[0]?.answer(0)
    await run.computer.settled()
    expect(window.webContents.isCrashed()).toBe(false)
    const forced = vi.spyOn(window.webContents, 'forcefullyCrashRenderer')
    run.computer.answers.push(1)
    window.webContents.setResponsive(false)
    await run.computer.settled()
    expect(forced).toHaveBeenCalledOnce()
  })

  it('asks once about closing, stores the choice, and closes when the app quits', async () => {
    pretend('linux')
    const { app, home } = await openTestApp()
    const window = openWindow()
    const quitting = { isQuitting: false }
    decideOnClose(window as never, app.settings, quitting)
    run.computer.answers.push(0)
    window.close()
    await until(() => !window.isVisible())
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain('closeTo: tray')
    // A further question would stay open.
    window.show()
    window.close()
    expect([window.isVisible(), run.computer.messageBoxes]).toEqual([false, []])
    quitting.isQuitting = true
    window.close()
    await until(() => window.isDestroyed())
  })
})

describe('launch at login and power', () => {
  it('starts at login if configured, on each system', async () => {
    await emptyApp({ platform: 'darwin' })
    await setLaunchAtLogin(true)
    expect(electron.app.getLoginItemSettings()['openAtLogin']).toBe(true)
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
    electron.powerMonitor.emit('on-battery')
    electron.powerMonitor.emit('on-ac')
    stop()
    electron.powerMonitor.emit('on-battery')
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

  it('records the download of a spelling dictionary', async () => {
    const outbound = new Outbound(join(await temporaryFolder(), 'outbound.jsonl'))
    recordDictionaries(outbound, () => undefined)
    electron.session.defaultSession.emit('spellcheck-dictionary-download-begin')
    await until(async () => (await outbound.requests(1)).requests[0]?.purpose === 'dictionary')
  })
})
