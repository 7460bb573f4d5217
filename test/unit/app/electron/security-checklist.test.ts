/**
 * Electron's security checklist (electronjs.org/docs/latest/tutorial/security): starts the whole shell with a fake
 * Electron and checks its calls. Only rules that no run can show are checked in the source.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { contentSecurityPolicy } from '../../../../src/main/app/server/security-headers.ts'
import { electronHandlers, fakeElectron, FakeWindow, resetElectron } from '../../../support/fake-electron.ts'
import { temporaryFolder } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/fake-electron.ts')).fakeElectron)

const { startDesktop } = await import('../../../../src/main/app/electron/desktop.ts')

const mainFolder = new URL('../../../../src/main/', import.meta.url)
const ours = 'app://commonplace/'

async function startShell(): Promise<void> {
  vi.stubEnv('COMMONPLACE_HOME', await temporaryFolder())
  await startDesktop(mainFolder)
}

async function quit(): Promise<void> {
  const hasQuit = once(fakeElectron.app, 'quit')
  fakeElectron.app.quit()
  await hasQuit
}

describe("Electron's checklist", () => {
  beforeEach(startShell)
  afterEach(async () => {
    await quit()
    resetElectron()
    vi.clearAllMocks()
  })

  it('every window is isolated and sandboxed, without Node, with web security and no other options', () => {
    expect(FakeWindow.all).toHaveLength(2)
    for (const { options } of FakeWindow.all)
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
    for (const { loadURL, webContents } of FakeWindow.all) {
      expect(loadURL.mock.calls.length).toBeGreaterThan(0)
      for (const [url] of loadURL.mock.calls) expect(url.startsWith(ours), url).toBe(true)
      const open = webContents.setWindowOpenHandler.mock.calls[0]?.[0]
      for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'smb://host/share', 'vscode://x', ' https://x'])
        expect(open?.({ url })).toEqual({ action: 'deny' })
      for (const event of ['will-navigate', 'will-attach-webview']) {
        const preventDefault = vi.fn()
        webContents.emit(event, { preventDefault }, 'file:///etc/passwd')
        expect(preventDefault, event).toHaveBeenCalledTimes(1)
      }
      expect(fakeElectron.shell.openExternal).not.toHaveBeenCalled()
      open?.({ url: 'mailto:ann@example.com' })
      expect(fakeElectron.shell.openExternal.mock.calls).toEqual([['mailto:ann@example.com']])
      fakeElectron.shell.openExternal.mockClear()
    }
  })

  it('has one IPC channel, which refuses foreign pages', async () => {
    expect(fakeElectron.ipcMain.eventNames()).toEqual(['commonplace:connect'])
    const port = { start: vi.fn(), on: vi.fn(), postMessage: vi.fn(), once: vi.fn() }
    for (const url of ['https://evil.example/', 'file:///tmp/x.html', 'app://elsewhere/', 'http://commonplace/'])
      fakeElectron.ipcMain.emit('commonplace:connect', { ports: [port], senderFrame: { url, parent: null } })
    fakeElectron.ipcMain.emit('commonplace:connect', { ports: [port], senderFrame: { url: ours, parent: {} } })
    fakeElectron.ipcMain.emit('commonplace:connect', { ports: [port], senderFrame: null })
    for (const used of Object.values(port)) expect(used).not.toHaveBeenCalled()
  })

  it('denies permissions and devices, and runs the app sandboxed, once', () => {
    const answer = vi.fn()
    for (const permission of ['media', 'geolocation', 'clipboard-read', 'openExternal', 'fileSystem'] as never[]) {
      electronHandlers.permissionRequest?.(null as never, permission, answer as never)
      expect(electronHandlers.permissionCheck?.(null as never, permission)).toBe(false)
    }
    expect(answer.mock.calls).toEqual([[false], [false], [false], [false], [false]])
    expect(electronHandlers.device?.()).toBe(false)
    expect(fakeElectron.app.enableSandbox).toHaveBeenCalledTimes(1)
    expect(fakeElectron.app.requestSingleInstanceLock).toHaveBeenCalledTimes(1)
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
    'no-sandbox',
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
    const postMessage = vi.fn()
    vi.doMock('electron', () => ({ contextBridge: { exposeInMainWorld }, ipcRenderer: { postMessage } }))
    const page = new EventTarget()
    vi.stubGlobal('window', page)
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.doUnmock('electron')
    })
    await import('../../../../src/preload/index.ts')
    expect(exposeInMainWorld.mock.calls).toEqual([['commonplaceDesktop', true]])
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
