/** Electron's security checklist (electronjs.org/docs/latest/tutorial/security), as far as it can be read off the code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy } from '../../../src/main/host/headers.ts'

const folder = fileURLToPath(new URL('../../../src/main/electron/', import.meta.url))
const sources = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const all = sources.map(({ text }) => text).join('\n')
const preload = readFileSync(join(folder, '../../preload/index.ts'), 'utf8')

describe("M49 Electron's checklist", () => {
  it('M49: every window is isolated, sandboxed, without Node, with web security', () => {
    const windows = sources.flatMap(({ name, text }) =>
      [...text.matchAll(/new BrowserWindow\(\{[\s\S]*?\n {4}\}\)/g)].map(([code]) => ({ name, code })),
    )
    expect(windows.map(({ name }) => name).sort()).toEqual(['capture-window.ts', 'main-window.ts'])
    for (const { name, code } of windows)
      for (const wanted of ['contextIsolation: true', 'sandbox: true', 'nodeIntegration: false', 'webSecurity: true'])
        expect(code, name).toContain(wanted)
  })

  it.each([
    'nodeIntegrationInWorker: true',
    'nodeIntegrationInSubFrames: true',
    'allowRunningInsecureContent',
    'experimentalFeatures',
    'enableBlinkFeatures',
    'webviewTag: true',
    'allowpopups',
    'enableRemoteModule',
    "loadURL('http:",
    'disable-web-security',
    'no-sandbox',
    'ignore-certificate-errors',
    'setCertificateVerifyProc',
    'registerFileProtocol',
  ])('M49: nowhere is there %s', (forbidden) => {
    expect(all).not.toContain(forbidden)
  })

  it('M49: every window keeps its page inside; links open outside only after a look at them', () => {
    for (const name of ['main-window.ts', 'capture-window.ts'])
      expect(sources.find((source) => source.name === name)?.text).toContain('keepInside(window.webContents)')
    const openers = sources.filter(({ text }) => text.includes('openExternal('))
    expect(openers.map(({ name }) => name)).toEqual(['security.ts'])
    expect(openers[0]?.text).toMatch(/if \(\/\^\(https\?\|mailto\):\/i\.test\(url\)\) void shell\.openExternal\(url\)/)
  })

  it('M49: there is one channel, its sender is checked, and the preload hands nothing of Electron to the page', () => {
    expect([...all.matchAll(/ipcMain\.(\w+)\(/g)].map(([, method]) => method)).toEqual(['on'])
    expect(sources.find(({ name }) => name === 'ports.ts')?.text).toContain('!isOurs(event)')
    expect(preload).not.toMatch(/exposeInMainWorld\([^)]*(ipcRenderer|electron|process|require)/)
  })

  it('M49: permissions and devices are refused, the app runs sandboxed, once', () => {
    for (const wanted of [
      'setPermissionRequestHandler',
      'setPermissionCheckHandler',
      'setDevicePermissionHandler',
      'app.enableSandbox()',
      'requestSingleInstanceLock()',
    ])
      expect(all).toContain(wanted)
  })

  it('M49: the policy lets no script in but our own, and no frame, plugin or form at all', () => {
    expect(contentSecurityPolicy).toContain("default-src 'none'")
    expect(contentSecurityPolicy).toContain("script-src 'self';")
    expect(contentSecurityPolicy).not.toMatch(/script-src[^;]*unsafe/)
    expect(contentSecurityPolicy).toContain("frame-ancestors 'none'")
    expect(contentSecurityPolicy).toContain("form-action 'none'")
  })
})
