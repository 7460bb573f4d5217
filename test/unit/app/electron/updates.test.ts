/** Updates: the real updater classes and a feed on loopback, on the stand-in for Electron. */
import { existsSync } from 'node:fs'
import { chmod, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AppUpdater } from 'electron-updater'
import { Outbound } from '../../../../src/main/platform/index.ts'
import { EventEmitter } from '../../../../src/shared/util/events.ts'
import type { UpdateAction, UpdateState } from '../../../../src/shared/contract/update-state.ts'
import { emptyApp, ended } from '../../../support/electron/shell.ts'
import { folderWith, until, writeFiles } from '../../../support/folder.ts'
import { cacheIn, type Feed, installPackage, newUpdater, openFeed } from '../../../support/update-feed.ts'

const current = vi.hoisted(() => ({ updater: undefined as AppUpdater | undefined }))
vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)
vi.mock('electron-updater', () => ({
  default: {
    get autoUpdater() {
      return current.updater
    },
  },
}))

const { offerUpdates } = await import('../../../../src/main/app/electron/updates.ts')
const { Quitting } = await import('../../../../src/main/app/electron/quitting.ts')

const oldApp = '#!/bin/sh\necho old >> "$STARTS.old"\n'
const newApp = '#!/bin/sh\necho "$0 ${APPIMAGE_EXIT_AFTER_INSTALL:-starts}" >> "$STARTS"\n'

/** Updater, feed file and package of version 1.1.0. */
const packages = {
  linux: ['AppImageUpdater', 'latest-linux.yml', 'Commonplace-1.1.0.AppImage'],
  win32: ['NsisUpdater', 'latest.yml', 'Setup-1.1.0.exe'],
  darwin: ['MacUpdater', 'latest-mac.yml', 'Commonplace-1.1.0.zip'],
} as const

interface Options {
  readonly platform?: keyof typeof packages
  readonly version?: string
  /** Name of the installed AppImage. */
  readonly name?: string
  readonly config?: { feed?: string; channel?: 'stable' | 'beta' }
  readonly packaged?: boolean
}

type Opened = Awaited<ReturnType<typeof open>>

async function open(options: Options = {}, prepare: (feed: Feed) => void = () => {}) {
  const { platform = 'linux', version = '1.0.0', name = 'Commonplace-1.0.0.AppImage', packaged = true } = options
  const feed = await openFeed()
  prepare(feed)
  const folder = await folderWith({ [name]: oldApp })
  /** Path of the installed AppImage. */
  const installed = join(folder, name)
  await chmod(installed, 0o755)
  await installPackage(folder)
  vi.stubEnv('XDG_CACHE_HOME', folder)
  vi.stubEnv('LOCALAPPDATA', folder)
  vi.stubEnv('STARTS', join(folder, 'starts'))
  if (platform === 'linux') vi.stubEnv('APPIMAGE', installed)
  const run = await emptyApp({ platform, isPackaged: packaged, version, folder })
  run.app.requestSingleInstanceLock()
  run.app.on('window-all-closed', () => undefined)
  const log = { file: '', info: vi.fn(), warn: vi.fn(), fault: vi.fn(() => 'ref'), close: vi.fn() }
  const closeMemory = vi.fn(async (): Promise<void> => undefined)
  const quitting = new Quitting(closeMemory, log)
  const { BrowserWindow } = run.electron
  const window = new BrowserWindow()
  await window.webContents.loadURL('app://commonplace/')
  current.updater = newUpdater(packages[platform][0])
  const changes = new EventEmitter()
  const updates = { feed: feed.url, channel: 'stable' as const, ...options.config }
  const settings = { config: { updates }, changes }
  const outbound = new Outbound(join(folder, 'outbound.jsonl'))
  onTestFinished(offerUpdates({ settings: settings as never, log, outbound, quitting }))
  const { page } = window.webContents
  const states = () =>
    page.received.flatMap(([channel, state]) => (channel === 'commonplace:updates' ? [state as UpdateState] : []))
  const state = (): UpdateState => states().at(-1) ?? { stage: 'none' }
  return {
    run,
    feed,
    folder,
    installed,
    log,
    settings,
    closeMemory,
    change(next: Options['config']) {
      Object.assign(settings.config.updates, next)
      changes.emit()
    },
    act: (action: UpdateAction) => page.send('commonplace:updates', action),
    state,
    async reaches(stage: UpdateState['stage']) {
      await until(() => state().stage === stage).catch(() => expect(state()).toMatchObject({ stage }))
      return state()
    },
    starts: () => readFile(join(folder, 'starts'), 'utf8').catch(() => ''),
  }
}

/** Opens the app with a downloaded version 1.1.0. */
async function ready(options?: Options): Promise<Opened> {
  const [, feedFile, file] = packages[options?.platform ?? 'linux']
  const opened = await open(options, (feed) => feed.offer(feedFile, '1.1.0', file, newApp))
  await opened.reaches('available')
  opened.act('download')
  await opened.reaches('ready')
  return opened
}

async function quit({ run }: Opened): Promise<void> {
  run.app.quit()
  await ended(run)
}

describe('looking for updates', () => {
  it('offers a newer version with its notes as text, and downloads nothing unasked', async () => {
    const { feed, act, reaches, state } = await open({}, (f) =>
      f.offer('latest-linux.yml', '1.1.0', 'Commonplace-1.1.0.AppImage', newApp),
    )
    const found = await reaches('available')
    expect(found).toMatchObject({ version: '1.1.0', bytes: newApp.length, isEarlier: false })
    expect(found.notes).toContain('Notes of 1.1.0: <img src=')
    act('hide')
    await until(() => state().isHidden === true)
    // The same version stays hidden after a further check; another one is shown.
    act('check')
    await until(() => feed.requested.length === 2)
    expect(state()).toMatchObject({ stage: 'available', isHidden: true })
    feed.offer('latest-linux.yml', '1.2.0', 'Commonplace-1.2.0.AppImage', newApp)
    act('check')
    await until(() => state().version === '1.2.0')
    expect(state().isHidden).toBeUndefined()
    expect(feed.requested).toEqual(Array(3).fill('latest-linux.yml'))
  })

  it('reads the feed file of the channel, at once after a change, and offers no earlier version unasked', async () => {
    const { feed, change, log, state, settings } = await open({ version: '1.0.5' }, (f) => {
      f.offer('latest-linux.yml', '1.0.0', 'a.AppImage', newApp)
      f.offer('beta-linux.yml', '1.1.0-beta.1', 'b.AppImage', newApp)
    })
    await until(() => log.info.mock.calls.length === 1)
    expect(log.info.mock.calls).toEqual([[{ version: '1.0.0' }, 'no newer version in the feed']])
    expect(state().stage).toBe('none')
    change({ feed: feed.url, channel: 'beta' })
    await until(() => state().stage === 'available')
    expect([state().version, feed.requested]).toEqual(['1.1.0-beta.1', ['latest-linux.yml', 'beta-linux.yml']])
    change({ ...settings.config.updates })
    expect(feed.requested).toHaveLength(2)
  })

  it('says that there is no newer version only if the user asks', async () => {
    const { act, feed, reaches, state } = await open({ version: '1.1.0' }, (f) =>
      f.offer('latest-linux.yml', '1.0.9', 'a.AppImage', newApp),
    )
    await until(() => feed.requested.length === 1)
    expect(state().stage).toBe('none')
    act('check')
    await reaches('current')
    act('download')
    expect(feed.requested).not.toContain('a.AppImage')
  })

  it.each([
    ['without an address', { config: { feed: undefined } as never }],
    ['in a checkout', { packaged: false }],
  ])('is off %s', async (_, options) => {
    const { act, feed, reaches } = await open(options)
    act('check')
    await reaches('off')
    expect(feed.requested).toEqual([])
  })

  it('does not look without a connection, and tells that a package cannot update itself', async () => {
    const { act, feed, reaches, run, change } = await open({ config: { feed: undefined } as never })
    run.isOnline = false
    change({ feed: feed.url, channel: 'stable' })
    // A check takes about 20 ms.
    await sleep(200)
    expect(feed.requested).toEqual([])
    vi.stubEnv('APPIMAGE', undefined)
    act('check')
    expect((await reaches('failed')).reason).toBe('This kind of package does not update itself.')
    vi.stubEnv('PORTABLE_EXECUTABLE_FILE', 'C:\\Commonplace.exe')
    act('check')
    await reaches('failed')
    expect(feed.requested).toEqual([])
  })
})

describe('a failed update', () => {
  const offered = ['latest-linux.yml', '1.1.0', 'n.AppImage', newApp] as const

  it.each<[name: string, reason: RegExp, spoil: (feed: Feed) => void]>([
    ['a wrong checksum', /sha512 checksum mismatch/, (f) => f.offer(...offered, 'A'.repeat(88))],
    ['a missing package', /status 404/, (f) => f.files.delete('n.AppImage')],
  ])('%s: the old file stays, and the app says why', async (_, reason, spoil) => {
    const opened = await open({}, (feed) => {
      feed.offer(...offered)
      spoil(feed)
    })
    const { act, installed, log, reaches, run, starts, folder } = opened
    await reaches('available')
    act('download')
    expect((await reaches('failed')).reason).toMatch(reason)
    expect(log.fault).toHaveBeenCalledTimes(1)
    expect(run.hasEnded).toBe(false)
    await quit(opened)
    expect(await readFile(installed, 'utf8')).toBe(oldApp)
    expect(await starts()).toBe('')
    await expect(stat(cacheIn(folder, 'previous.AppImage'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it.each([
    ['a missing feed file', /Cannot find channel "latest-linux.yml"/, undefined],
    ['a broken feed file', /Cannot parse update info/, '{ version: ['],
  ])('%s is told once', async (_, reason, text) => {
    const { act, log, reaches, state } = await open({}, (f) => {
      if (text !== undefined) f.files.set('latest-linux.yml', text)
    })
    const failed = await reaches('failed')
    expect(failed.reason).toMatch(reason)
    expect(failed.reason).not.toContain('\n')
    act('hide')
    act('check')
    await until(() => log.fault.mock.calls.length === 2)
    await until(() => state().isHidden === true)
    expect(state()).toMatchObject({ stage: 'failed', isHidden: true })
  })

  it('sends nothing if the request cannot be recorded', async () => {
    const { change, folder, reaches } = await open({ config: { feed: undefined } as never })
    await writeFiles(folder, { 'outbound.jsonl/in-the-way': '' })
    change({ feed: 'https://updates.invalid/', channel: 'stable' })
    expect((await reaches('failed')).reason).toContain('cannot be recorded')
  })
})

describe('installing', () => {
  it('an AppImage after the memory is closed, and keeps the old one', async () => {
    const opened = await ready()
    const { closeMemory, folder, installed, starts } = opened
    closeMemory.mockImplementationOnce(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(await readFile(installed, 'utf8')).toBe(oldApp)
    })
    await quit(opened)
    const renamed = join(folder, 'Commonplace-1.1.0.AppImage')
    expect(await readFile(renamed, 'utf8')).toBe(newApp)
    // Programs start it by the earlier name.
    expect(await readlink(installed)).toBe('Commonplace-1.1.0.AppImage')
    expect(await readFile(cacheIn(folder, 'previous.AppImage'), 'utf8')).toBe(oldApp)
    expect((await stat(cacheIn(folder, 'previous.AppImage'))).mode & 0o111).toBe(0o111)
    // The new file runs once to integrate itself, and does not stay.
    expect(await starts()).toBe(`${renamed} true\n`)
  })

  it('and restart: the new version starts after the lock is free', async () => {
    const opened = await ready()
    const { act, run, starts } = opened
    const updater = current.updater as AppUpdater
    const install = updater.quitAndInstall.bind(updater)
    const locks = vi.fn()
    vi.spyOn(updater, 'quitAndInstall').mockImplementation((...args) => {
      locks(run.hasLock)
      install(...args)
    })
    act('restart')
    await ended(run)
    await until(async () => (await starts()) !== '')
    expect(await starts()).toContain('Commonplace-1.1.0.AppImage starts\n')
    expect([opened.closeMemory.mock.calls.length, locks.mock.calls]).toEqual([1, [[false]]])
  })

  it('a cancelled restart: the next quit installs without a start', async () => {
    const opened = await ready()
    const { act, run, starts, installed } = opened
    const [window] = run.windows
    if (window) window.webContents.page.beforeUnload = () => true
    act('restart')
    await run.settled()
    expect([run.hasEnded, await readFile(installed, 'utf8')]).toEqual([false, oldApp])
    if (window) window.webContents.page.beforeUnload = undefined
    await quit(opened)
    expect(await starts()).toMatch(/ true\n$/)
  })

  it('puts the old AppImage back if the new one does not arrive', async () => {
    const opened = await ready()
    const { folder, installed, run, act } = opened
    // Simulates a full disk: the move fails after the updater has deleted the old file.
    const bin = await folderWith({ mv: '#!/bin/sh\nexit 1\n' })
    await chmod(join(bin, 'mv'), 0o755)
    vi.stubEnv('PATH', bin)
    act('restart')
    await ended(run)
    expect(await readFile(installed, 'utf8')).toBe(oldApp)
    await expect(stat(join(folder, 'Commonplace-1.1.0.AppImage'))).rejects.toMatchObject({ code: 'ENOENT' })
    // The old version starts again, and the reason is in the log.
    await until(() => existsSync(join(folder, 'starts.old')))
    expect(JSON.stringify(opened.log.warn.mock.calls)).toContain('Command failed: mv')
  })

  it('installs nothing if it cannot save the old AppImage', async () => {
    const opened = await ready()
    await writeFiles(cacheIn(opened.folder, 'previous.AppImage'), { 'in-the-way': '' })
    await quit(opened)
    expect(await readFile(opened.installed, 'utf8')).toBe(oldApp)
    expect(opened.log.fault).toHaveBeenCalledWith(expect.anything(), 'installing an update')
  })

  it('starts no installer while the session ends', async () => {
    const opened = await ready()
    opened.run.shutDown()
    await ended(opened.run)
    expect(await readFile(opened.installed, 'utf8')).toBe(oldApp)
    expect(opened.closeMemory).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['quit', '--updated /S\n'],
    ['restart', '--updated /S --force-run\n'],
  ])('starts the installer of Windows after a %s', async (how, args) => {
    const opened = await ready({ platform: 'win32' })
    const { act, closeMemory, folder, run } = opened
    await chmod(cacheIn(folder, 'pending', 'Setup-1.1.0.exe'), 0o755)
    await writeFiles(cacheIn(folder, 'pending'), { 'Setup-1.1.0.exe': '#!/bin/sh\necho "$@" > "$STARTS"\n' })
    closeMemory.mockImplementationOnce(async () => expect(await opened.starts()).toBe(''))
    if (how === 'quit') run.app.quit()
    else act('restart')
    await ended(run)
    await until(async () => (await opened.starts()) !== '')
    expect(await opened.starts()).toBe(args)
  })
})

describe('updates of macOS', () => {
  const content = 'a zip'
  const found = async () => {
    const opened = await open({ platform: 'darwin' }, (f) =>
      f.offer('latest-mac.yml', '1.1.0', packages.darwin[2], content),
    )
    await opened.reaches('available')
    return opened
  }

  it.each([
    ['quit', 0],
    ['restart', 1],
  ])('are installed by Squirrel after a %s', async (how, restarts) => {
    const { act, closeMemory, reaches, run } = await found()
    act('download')
    await reaches('ready')
    if (how === 'quit') run.app.quit()
    else act('restart')
    await ended(run)
    expect([run.installed, run.relaunches.length]).toEqual([content, restarts])
    expect(closeMemory).toHaveBeenCalledTimes(1)
  })

  it('are not ready if the signature differs, and the reason is shown', async () => {
    const { act, log, reaches, run } = await found()
    run.isSigned = false
    act('download')
    expect((await reaches('failed')).reason).toBe('Code signature did not pass validation')
    expect(log.fault).toHaveBeenCalledTimes(1)
    run.app.quit()
    await ended(run)
    expect(run.installed).toBeUndefined()
  })
})

describe('going back', () => {
  it('offers, downloads and installs the earlier version of the feed', async () => {
    const opened = await open({ version: '1.1.0', name: 'Commonplace-1.1.0.AppImage' }, (f) => {
      f.offer('latest-linux.yml', '1.1.0', 'Commonplace-1.1.0.AppImage', 'unused')
      f.offer('previous-linux.yml', '1.0.0', 'Commonplace-1.0.0.AppImage', newApp)
    })
    const { act, folder, reaches, state } = opened
    // The check at the start still runs.
    act('goBack')
    expect(await reaches('available')).toMatchObject({ version: '1.0.0', isEarlier: true })
    act('download')
    await reaches('ready')
    expect(state().isEarlier).toBe(true)
    await quit(opened)
    expect(await readFile(join(folder, 'Commonplace-1.0.0.AppImage'), 'utf8')).toBe(newApp)
    expect(await readFile(cacheIn(folder, 'previous.AppImage'), 'utf8')).toBe(oldApp)
  })

  it.each([
    ['the same', '1.0.0'],
    ['a newer', '2.0.0'],
  ])('offers nothing if the feed names %s version as the earlier one', async (_, version) => {
    const { act, reaches } = await open({}, (f) => {
      f.offer('latest-linux.yml', '1.0.0', 'a.AppImage', newApp)
      f.offer('previous-linux.yml', version, 'b.AppImage', newApp)
    })
    act('goBack')
    expect((await reaches('current')).isEarlier).toBe(true)
  })
})
