import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ContractClient } from '../../../../src/shared/contract/index.ts'
import { openTestResident } from '../../../support/app.ts'
import {
  electron,
  emptyApp,
  inInstance,
  lockOnly,
  type Running,
  settled,
  shell,
  startShell,
  windowsOf,
} from '../../../support/electron/shell.ts'
import { Computer } from '../../../support/electron/index.ts'
import { temporaryFolder, until } from '../../../support/folder.ts'

vi.mock('electron', async () => (await import('../../../support/electron/shell.ts')).electron)

const { acceptPorts, fileFor, interfaceUrl, registerScheme, serveInterface } =
  await import('../../../../src/main/app/electron/message-ports.ts')
const { installMenu } = await import('../../../../src/main/app/electron/menus.ts')
const { McpPort } = await import('../../../../src/main/app/server/mcp-endpoint.ts')

let run: Running

beforeEach(async () => {
  run = await emptyApp()
})

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
    new Computer({ platform: 'linux' }).start(inInstance(registerScheme))
    run = await emptyApp()
    serveInterface(await builtInterface())
    const serve = electron.session.defaultSession.protocol.handlers.get('app')
    const page = await serve?.(new Request(interfaceUrl))
    expect(page?.headers.get('content-security-policy')).toContain("script-src 'self'")
    const other = await serve?.(new Request('app://elsewhere/'))
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
    // The real command would read this process's stdin.
    const served = vi.fn(() => ({}))
    vi.doMock('../../../../src/main/app/cli/cli.ts', served)
    const computer = new Computer({ platform: 'darwin' })
    const instance = computer.start(inInstance(shell), { args: ['mcp', '--client', 'x'] })
    await until(() => instance.exited)
    expect(served).toHaveBeenCalledOnce()
    expect([instance.windows, instance.app.dock?.isVisible()]).toEqual([[], false])
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
  it('shows no developer items in a packaged app', () => {
    const go = vi.fn()
    installMenu(go)
    const items = electron.Menu.getApplicationMenu()?.allItems() ?? []
    expect(items.map(({ role }) => role)).not.toContain('toggledevtools')
    items.find(({ label }) => label === 'Settings…')?.click()
    expect(go).toHaveBeenCalledWith('/settings')
    // The page handles its keys; the menu only displays them.
    const own = items.filter(({ accelerator, role }) => accelerator !== null && role === undefined)
    expect(new Set(own.map(({ registerAccelerator }) => registerAccelerator))).toEqual(new Set([false]))
  })
})

describe('desktop shell: message ports', () => {
  it("speaks the contract over a port of the app's page", async () => {
    acceptPorts(await openTestResident())
    const window = new electron.BrowserWindow()
    await window.loadURL(`${interfaceUrl}chat/x`)
    const { port1, port2 } = new electron.MessageChannelMain()
    window.webContents.page.postMessage('commonplace:connect', null, [port2])
    port1.start()
    const client: ContractClient = createORPCClient(new RPCLink({ port: port1 as never }))
    expect(await client.agents.list()).toMatchObject([{ id: 'main', ready: true }])
    port1.close()
  })
})

describe('desktop shell: start', () => {
  it('restores the position of its window, and shows it for a second start', async () => {
    run = await startShell('linux')
    const { main } = windowsOf(run)
    expect(main?.options).toMatchObject({ name: 'main', windowStatePersistence: true })
    expect(main?.webContents.addresses).toEqual([interfaceUrl])
    main?.blur()
    const second = run.user.startsApp(lockOnly)
    await settled(run)
    expect([second.windows.length, run.instance.windows.length, main?.isFocused()]).toEqual([0, 2, true])
  })

  it('a second instance of the shell exits without a window', async () => {
    run = await startShell('linux')
    const second = run.user.startsApp(inInstance(shell))
    await until(() => second.exited)
    expect([second.exitCode, second.windows]).toEqual([0, []])
  })
})
