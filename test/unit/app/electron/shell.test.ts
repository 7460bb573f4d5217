import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ContractClient } from '../../../../src/shared/contract/index.ts'
import { openTestResident } from '../../../support/app.ts'
import { electronHandlers, fakeElectron, FakeWindow, resetElectron } from '../../../support/fake-electron.ts'
import { temporaryFolder, until } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/fake-electron.ts')).fakeElectron)

const { acceptPorts } = await import('../../../../src/main/app/electron/message-ports.ts')
const { fileFor, interfaceUrl, registerScheme, serveInterface } =
  await import('../../../../src/main/app/electron/app-protocol.ts')
const { denyPermissions, blockNavigation: keepInside } =
  await import('../../../../src/main/app/electron/window-security.ts')
const { installMenu } = await import('../../../../src/main/app/electron/app-menu.ts')
const { McpPort } = await import('../../../../src/main/app/electron/mcp-port.ts')
const { startDesktop } = await import('../../../../src/main/app/electron/desktop.ts')

afterEach(() => {
  resetElectron()
})

interface MenuItem {
  readonly label?: string
  readonly submenu?: MenuItem[]
  readonly accelerator?: string
  readonly registerAccelerator?: boolean
  readonly click?: () => void
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function builtInterface(): Promise<URL> {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<html>')
  writeFileSync(join(folder, 'assets/a.js'), 'js')
  return pathToFileURL(`${folder}/`)
}

describe('desktop shell: the app:// protocol', () => {
  it('serves assets as they are, and the single page for other addresses', async () => {
    const folder = await builtInterface()
    expect(fileFor(folder, '/assets/a.js').pathname).toMatch(/assets\/a\.js$/)
    for (const path of ['/', '/chat/x', '/file/MEMORY.md', '/%2e%2e/%2e%2e/etc/passwd', '/../../etc/passwd']) {
      expect(fileFor(folder, path).pathname).toMatch(/index\.html$/)
    }
  })

  it('sends the headers of the browser host and refuses other hosts', async () => {
    registerScheme()
    serveInterface(await builtInterface())
    const page = await electronHandlers.protocol?.(new Request(interfaceUrl))
    expect(page?.headers.get('content-security-policy')).toContain("script-src 'self'")
    const other = await electronHandlers.protocol?.(new Request('app://elsewhere/'))
    expect(other?.status).toBe(404)
  })
})

describe('desktop shell: MCP over HTTP', () => {
  it('answers at the configured port with a token, and at none by default', async () => {
    const resident = await openTestResident()
    const port = new McpPort(resident)
    onTestFinished(() => port.close())
    await port.apply()
    expect(port.address).toBeUndefined()
    const free = await freePort()
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: free }))
    await port.apply()
    expect(port.address).toBe(`http://127.0.0.1:${free}/mcp`)
    const { token } = await resident.callPrimary((owner) =>
      owner.clients.issueToken({ client: 'x', name: 'X', agent: 'main' }),
    )
    const ask = (path: string, bearer: string, host = `127.0.0.1:${free}`) =>
      fetch(`http://127.0.0.1:${free}${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${bearer}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Origin: `http://${host}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      })
    const answered = await ask('/mcp', token)
    expect(answered.status).toBe(200)
    expect(await answered.text()).toContain('memory_search')
    expect((await ask('/mcp', 'wrong')).status).toBe(401)
    expect((await ask('/mcp', token, 'evil.example')).status).toBe(403)
    expect((await ask('/', token)).status).toBe(404)
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: null }))
    await port.apply()
    expect(port.address).toBeUndefined()
    await expect(ask('/mcp', token)).rejects.toThrow()
  })

  it('`Commonplace mcp` serves the memory over stdio without a window', async () => {
    const { argv } = process
    onTestFinished(() => void (process.argv = argv))
    process.argv = ['Commonplace', 'mcp', '--client', 'x']
    fakeElectron.app.isPackaged = true
    fakeElectron.app.exit.mockClear()
    // The real command would read this process's stdin.
    const served = vi.fn(() => ({}))
    vi.doMock('../../../../src/main/app/cli/cli.ts', served)
    await import('../../../../src/main/index.ts')
    await until(() => fakeElectron.app.exit.mock.calls.length === 1)
    expect(served).toHaveBeenCalledOnce()
    expect(FakeWindow.all).toEqual([])
  })

  it('reports a port in use, and another one can be configured', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port: busy } = taken.address() as { port: number }
    const resident = await openTestResident()
    const faults: unknown[] = []
    resident.onEvent((event) => event.type === 'fault' && faults.push(event))
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: busy }))
    const port = new McpPort(resident)
    onTestFinished(() => port.close())
    await port.apply()
    await until(() => faults.length === 1)
    expect(port.address).toBeUndefined()
    const free = await freePort()
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: free }))
    await port.apply()
    expect(port.address).toContain(String(free))
  })
})

describe('desktop shell: safety', () => {
  it('refuses permissions and devices', () => {
    denyPermissions()
    const answer = vi.fn()
    electronHandlers.permissionRequest?.(null as never, 'media' as never, answer as never)
    expect(answer).toHaveBeenCalledWith(false)
    expect(electronHandlers.permissionCheck?.(null as never, 'geolocation' as never)).toBe(false)
    expect(electronHandlers.device?.()).toBe(false)
  })

  it('opens only web links outside', () => {
    const window = new FakeWindow({})
    keepInside(window.webContents as never)
    const open = window.webContents.setWindowOpenHandler.mock.calls[0]?.[0]
    expect(open?.({ url: 'https://example.com' })).toEqual({ action: 'deny' })
    expect(open?.({ url: 'file:///etc/passwd' })).toEqual({ action: 'deny' })
    const event = { preventDefault: vi.fn() }
    window.webContents.emit('will-navigate', event, 'javascript:alert(1)')
    expect(event.preventDefault).toHaveBeenCalled()
    expect(fakeElectron.shell.openExternal.mock.calls).toEqual([['https://example.com']])
  })

  it('shows no developer items in a packaged app', () => {
    const go = vi.fn()
    installMenu(go)
    const template = fakeElectron.Menu.buildFromTemplate.mock.calls.at(-1)?.[0] as MenuItem[]
    expect(JSON.stringify(template)).not.toContain('toggleDevTools')
    const items = template.flatMap(({ submenu = [] }) => submenu)
    items.find(({ label }) => label === 'Settings…')?.click?.()
    expect(go).toHaveBeenCalledWith('/settings')
    // The page handles its keys; the menu only displays them.
    const registered = items.flatMap((item) => (item.accelerator ? [item.registerAccelerator] : []))
    expect(new Set(registered)).toEqual(new Set([false]))
  })
})

describe('desktop shell: message ports', () => {
  const eventFrom = (url: string, port: unknown, parent: unknown = null) => ({
    ports: [port],
    senderFrame: { url, parent },
  })

  it("speaks the contract over a port of the app's page", async () => {
    acceptPorts(await openTestResident())
    const { port1, port2 } = new MessageChannel()
    const port = Object.assign(port2, { start: () => port2.ref() })
    fakeElectron.ipcMain.emit('commonplace:connect', eventFrom(`${interfaceUrl}chat/x`, port))
    port1.start()
    const client: ContractClient = createORPCClient(new RPCLink({ port: port1 as never }))
    expect(await client.agents.list()).toMatchObject([{ id: 'main', ready: true }])
    port1.close()
  })

  it('ignores ports of other pages and of frames', async () => {
    acceptPorts(await openTestResident())
    const port = { start: vi.fn(), on: vi.fn(), postMessage: vi.fn() }
    fakeElectron.ipcMain.emit('commonplace:connect', eventFrom('https://evil.example/', port))
    fakeElectron.ipcMain.emit('commonplace:connect', eventFrom(interfaceUrl, port, {}))
    expect(port.start).not.toHaveBeenCalled()
  })
})

describe('desktop shell: start', () => {
  it('a second instance exits, and the first shows its window', async () => {
    fakeElectron.app.requestSingleInstanceLock.mockReturnValueOnce(false)
    await startDesktop(new URL('../../../../src/main/', import.meta.url))
    expect(fakeElectron.app.quit).toHaveBeenCalled()
    expect(FakeWindow.all).toHaveLength(0)
  })

  it('opens one sandboxed window and restores its position', async () => {
    const home = await temporaryFolder()
    vi.stubEnv('COMMONPLACE_HOME', home)
    await startDesktop(new URL('../../../../src/main/', import.meta.url))
    const window = FakeWindow.all.find(({ options }) => options['minWidth'] !== undefined)
    expect(window?.options['webPreferences']).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
    })
    expect(window?.options).toMatchObject({ name: 'main', windowStatePersistence: true })
    expect(window?.loadURL).toHaveBeenCalledWith(interfaceUrl)
    fakeElectron.app.emit('second-instance', {}, [])
    expect(FakeWindow.all).toHaveLength(2)
    expect(window?.focus).toHaveBeenCalled()
    window?.close()
    const hasQuit = once(fakeElectron.app, 'quit')
    fakeElectron.app.quit()
    await hasQuit
  })
})
