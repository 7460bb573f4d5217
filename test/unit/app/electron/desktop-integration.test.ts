import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { KeyRing, Outbound } from '../../../../src/main/platform/index.ts'
import { openTestApp } from '../../../support/app.ts'
import { electron, emptyApp, pretend } from '../../../support/electron/shell.ts'
import type { AppRun } from '../../../support/electron/modules.ts'
import { loadHostTexts } from '../../../../src/main/app/texts.ts'
import { temporaryFolder, until } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const { followPower, openKeyVault, setLaunchAtLogin, unreadBadge } =
  await import('../../../../src/main/app/electron/system-integration.ts')
const { installContextMenu, installMenu } = await import('../../../../src/main/app/electron/menus.ts')
const { recordDictionaries, recoverFromCrashes } = await import('../../../../src/main/app/electron/window-security.ts')
const { handleWindowClose: decideOnClose } = await import('../../../../src/main/app/electron/quitting.ts')

let run: AppRun

beforeEach(async () => {
  vi.clearAllMocks()
  run = await emptyApp({ platform: 'linux' })
  run.app.on('window-all-closed', () => {})
})

const openWindow = () => new electron.BrowserWindow()

describe('stored keys', () => {
  it('encrypts the file and reads it again', async () => {
    const folder = await temporaryFolder()
    const vault = await openKeyVault(folder)
    expect(await vault?.load()).toEqual({})
    await vault?.save({ anthropic: 'sk-ant-secret' })
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain('sk-ant-secret')
    expect(await (await openKeyVault(folder))?.load()).toEqual({ anthropic: 'sk-ant-secret' })
  })

  it.each(['basic_text', 'none'] as const)('stores nothing on Linux with the keyring %s', async (storage) => {
    await emptyApp({ platform: 'linux', storage })
    expect(await openKeyVault(await temporaryFolder())).toBeUndefined()
  })

  it('starts while a keyring waits for its password, and stores no keys until then', async () => {
    await emptyApp({ platform: 'linux', storage: 'locked' })
    const { safeStorage } = electron
    const vault = await openKeyVault(await temporaryFolder())
    const loaded = vault?.load()
    safeStorage.unlock()
    expect(await loaded).toEqual({})
    await vault?.save({ openai: 'sk-new' })
    expect(await vault?.load()).toEqual({ openai: 'sk-new' })
  })

  it('does not replace stored keys that the user has not released yet', async () => {
    const released = Promise.withResolvers<Record<string, string>>()
    const save = vi.fn(async () => undefined)
    const keys = new KeyRing({}, { load: () => released.promise, save })
    void keys.load()
    const saved = keys.setKey('openai', 'sk-new')
    released.resolve({ anthropic: 'sk-ant-old' })
    await saved
    expect(save.mock.calls).toEqual([[{ anthropic: 'sk-ant-old', openai: 'sk-new' }]])
  })
})

describe('unread answers', () => {
  const ended = (session: string, ms: number, reason: 'done' | 'aborted' | 'error' = 'done') =>
    ({ type: 'turnEnded', agent: 'main', session, reason, ms }) as const

  it('counts them in the badge; notifies only about long ones, with a link to the chat', () => {
    const onOpen = vi.fn()
    let isSeen = false
    const unread = unreadBadge({ isWindowFocused: () => isSeen, mayNotify: () => true, onOpen })
    unread.addTurn(ended('a', 1000))
    unread.addTurn(ended('b', 60_000))
    unread.addTurn(ended('c', 60_000, 'aborted'))
    expect(run.app.badgeCount).toBe(2)
    expect(electron.state.notifications).toHaveLength(1)
    electron.state.notifications[0]?.emit('click')
    expect(onOpen).toHaveBeenCalledWith('b')
    unread.clear()
    expect(run.app.badgeCount).toBe(0)
    isSeen = true
    unread.addTurn(ended('d', 60_000))
    expect(electron.state.notifications).toHaveLength(1)
  })

  it('sends no notifications when they are turned off', () => {
    const unread = unreadBadge({ isWindowFocused: () => false, mayNotify: () => false, onOpen: vi.fn() })
    unread.addTurn(ended('a', 60_000))
    expect(electron.state.notifications).toEqual([])
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
    const menu = build.mock.results[0]?.value as ReturnType<typeof electron.Menu.buildFromTemplate>
    menu.choose('memory')
    menu.choose('Add to dictionary')
    expect([window.webContents.replacement, window.webContents.session.words]).toEqual(['memory', ['memroy']])
    expect(menu.items.map(({ role }) => role)).toContain('paste')
    window.webContents.emit('context-menu', {}, { ...params, misspelledWord: '', isEditable: false })
    expect(build).toHaveBeenCalledOnce()
  })

  it('the menu is in the language of the app, without developer items in a package', async () => {
    await loadHostTexts('', ['zh-CN'])
    const go = vi.fn()
    installMenu(go)
    const { menu } = electron.state
    expect(
      menu?.items.filter(({ label, type }) => type !== 'separator' && !/\p{Script=Han}/u.test(label ?? '')),
    ).toEqual([])
    expect(menu?.items.map(({ role }) => role)).not.toContain('toggleDevTools')
    menu?.choose('设置…')
    expect(go).toHaveBeenCalledWith('/settings')
    // The page handles its keys; the menu only displays them.
    const own = menu?.items.filter(({ accelerator }) => accelerator !== undefined) ?? []
    expect(new Set(own.map(({ registerAccelerator }) => registerAccelerator))).toEqual(new Set([false]))
  })

  it('reloads a crashed page and tells the user; after a second crash it waits for the user', async () => {
    const { app } = await openTestApp()
    const window = openWindow()
    recoverFromCrashes(window as never, app.log)
    const crash = async () => {
      window.webContents.crash('oom')
      await run.settled()
    }
    await crash()
    expect(window.webContents.isCrashed()).toBe(false)
    expect(run.boxes.splice(0)[0]?.message).toMatch(/Nothing is lost \(log reference \w+\)/)
    await crash()
    expect(window.webContents.isCrashed()).toBe(true)
    run.boxes[0]?.answer(0)
    await run.settled()
    expect(window.webContents.isCrashed()).toBe(false)
  })

  it('asks once about closing, stores the choice, and closes when the app quits', async () => {
    pretend('linux')
    const { app, home } = await openTestApp()
    const window = openWindow()
    const quitting = { isQuitting: false }
    decideOnClose(window as never, app.settings, quitting)
    run.answers.push(0)
    window.close()
    await until(() => !window.isVisible())
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain('closeTo: tray')
    // A further question would stay open.
    window.show()
    window.close()
    expect([window.isVisible(), run.boxes]).toEqual([false, []])
    quitting.isQuitting = true
    window.close()
    await until(() => window.isDestroyed())
  })
})

describe('launch at login and power', () => {
  it('starts at login if configured, on each system', async () => {
    await emptyApp({ platform: 'darwin' })
    await setLaunchAtLogin(true)
    expect(electron.app.getLoginItemSettings().openAtLogin).toBe(true)
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
