/**
 * Electron's security checklist (electronjs.org/docs/latest/tutorial/security): starts the whole shell on the
 * stand-in for Electron. Only rules that no run can show are checked in the source.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { contentSecurityPolicy } from '../../../../src/main/app/server/security-headers.ts'
import type { DesktopBridge } from '../../../../src/shared/contract/update-state.ts'
import { electron, startShell, windowsOf } from '../../../support/electron/shell.ts'
import type { AppRun } from '../../../support/electron/modules.ts'
import { emit } from '../../../support/electron/run.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const mainFolder = new URL('../../../../src/main/', import.meta.url)
const ours = 'app://commonplace/'

describe("Electron's checklist", () => {
  let run: AppRun

  beforeEach(async () => {
    run = await startShell({ platform: 'linux' })
  })

  it('every window is isolated and sandboxed, without Node, with web security and no other options', () => {
    expect(run.windows).toHaveLength(2)
    for (const { options } of run.windows)
      expect(options['webPreferences']).toEqual({
        preload: expect.stringMatching(/preload[/\\]index\.cjs$/),
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: true,
      })
  })

  it("every window shows only the app's pages; links open outside after a check", () => {
    for (const { webContents } of run.windows) {
      expect(webContents.addresses.length).toBeGreaterThan(0)
      for (const url of webContents.addresses) expect(url.startsWith(ours), url).toBe(true)
      for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'smb://host/share', 'vscode://x', ' https://x'])
        expect(webContents.pageOpens(url)).toBe(false)
      for (const name of ['will-navigate', 'will-attach-webview'])
        expect(emit(webContents, name, {}, 'file:///etc/passwd'), name).toBe(true)
      expect(run.opened).toEqual([])
      for (const what of ['mailto:ann@example.com', 'https://example.com']) {
        expect(webContents.pageOpens(what)).toBe(false)
        expect(run.opened.splice(0)).toEqual([what])
      }
    }
  })

  it('has two IPC channels, which refuse foreign pages', async () => {
    expect(electron.ipcMain.eventNames().toSorted()).toEqual(['commonplace:connect', 'commonplace:updates'])
    const send = vi.spyOn(windowsOf(run).capture.webContents, 'send')
    const port = { start: vi.fn(), on: vi.fn(), postMessage: vi.fn(), once: vi.fn() }
    for (const url of ['https://evil.example/', 'file:///tmp/x.html', 'app://elsewhere/', 'http://commonplace/'])
      electron.ipcMain.emit('commonplace:connect', { ports: [port], senderFrame: { url, parent: null } })
    electron.ipcMain.emit('commonplace:connect', { ports: [port], senderFrame: { url: ours, parent: {} } })
    electron.ipcMain.emit('commonplace:connect', { ports: [port], senderFrame: null })
    for (const used of Object.values(port)) expect(used).not.toHaveBeenCalled()
    for (const url of ['https://evil.example/', 'app://elsewhere/'])
      electron.ipcMain.emit('commonplace:updates', { senderFrame: { url, parent: null } }, 'state')
    electron.ipcMain.emit('commonplace:updates', { senderFrame: { url: ours, parent: {} } }, 'state')
    expect(send).not.toHaveBeenCalled()
    electron.ipcMain.emit('commonplace:updates', { senderFrame: { url: ours, parent: null } }, 'state')
    expect(send.mock.calls).toEqual([['commonplace:updates', { stage: 'off' }]])
  })

  it('denies permissions and devices, and runs the app sandboxed, once', async () => {
    const { defaultSession } = electron.session
    const ask = (permission: string) =>
      new Promise((resolve) => defaultSession.permissionRequest?.(null, permission, resolve))
    for (const permission of ['media', 'geolocation', 'clipboard-read', 'openExternal', 'fileSystem']) {
      expect(await ask(permission)).toBe(false)
      expect(defaultSession.permissionCheck?.(null, permission)).toBe(false)
    }
    expect(await ask('clipboard-sanitized-write')).toBe(true)
    expect(defaultSession.devicePermission?.()).toBe(false)
    expect([electron.app.isSandboxed, run.hasLock]).toEqual([true, true])
  })
})

describe("Electron's checklist: source code", () => {
  const folder = fileURLToPath(new URL('app/electron/', mainFolder))
  const source = readdirSync(folder)
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n')

  it.each([
    'nodeIntegrationInWorker',
    'nodeIntegrationInSubFrames',
    'allowRunningInsecureContent',
    'experimentalFeatures',
    'enableBlinkFeatures',
    'webviewTag',
    'allowpopups',
    'enableRemoteModule',
    'disable-web-security',
    'ignore-certificate-errors',
    'setCertificateVerifyProc',
    'registerFileProtocol',
  ])('the source contains no %s', (forbidden) => {
    expect(source).toContain('contextIsolation')
    expect(source).not.toContain(forbidden)
  })

  it("the policy allows only the app's scripts, and no frames, plugins or forms", () => {
    const policy = new Map(
      contentSecurityPolicy.split(';').map((part) => {
        const [name = '', ...values] = part.trim().split(/\s+/)
        return [name, values]
      }),
    )
    expect(policy.get('default-src')).toEqual(["'none'"])
    expect(policy.get('script-src')).toEqual(["'self'"])
    expect(policy.get('frame-ancestors')).toEqual(["'none'"])
    expect(policy.get('form-action')).toEqual(["'none'"])
    for (const name of ['frame-src', 'object-src']) expect(policy.get(name) ?? ["'none'"], name).toEqual(["'none'"])
  })
})

describe("Electron's checklist: the preload", () => {
  it('exposes no Electron API to the page, and passes only a port that the page requested', async () => {
    const exposeInMainWorld = vi.fn()
    const [postMessage, send, on, off] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()]
    vi.doMock('electron', () => ({
      contextBridge: { exposeInMainWorld },
      ipcRenderer: { postMessage, send, on, off },
    }))
    const page = new EventTarget()
    vi.stubGlobal('window', page)
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.doUnmock('electron')
    })
    await import('../../../../src/preload/index.ts')
    const bridge = { followUpdates: expect.any(Function), actOnUpdate: expect.any(Function) }
    expect(exposeInMainWorld.mock.calls).toEqual([['commonplaceDesktop', bridge]])
    const [[, exposed]] = exposeInMainWorld.mock.calls as [[string, DesktopBridge]]
    const { followUpdates, actOnUpdate } = exposed
    const states = vi.fn()
    const unsubscribe = followUpdates(states)
    on.mock.calls[0]?.[1]({ sender: 'an Electron object' }, { stage: 'none' })
    expect(states.mock.calls).toEqual([[{ stage: 'none' }]])
    unsubscribe()
    expect(off.mock.calls).toEqual(on.mock.calls)
    actOnUpdate('check')
    expect(send.mock.calls).toEqual([
      ['commonplace:updates', 'state'],
      ['commonplace:updates', 'check'],
    ])
    const { port1 } = new MessageChannel()
    const say = (source: unknown, data: unknown, ports: MessagePort[]) =>
      page.dispatchEvent(Object.assign(new Event('message'), { source, data, ports }))
    say({}, 'commonplace:connect', [port1])
    say(page, 'something else', [port1])
    say(page, 'commonplace:connect', [])
    expect(postMessage).not.toHaveBeenCalled()
    say(page, 'commonplace:connect', [port1])
    expect(postMessage.mock.calls).toEqual([['commonplace:connect', null, [port1]]])
    port1.close()
  })
})
