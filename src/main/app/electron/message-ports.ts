import { RPCHandler } from '@orpc/server/message-port'
import { ipcMain, type IpcMainEvent, net, protocol } from 'electron'
import type { HostProcess } from '../instance-lock/host-process.ts'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { securityHeaders } from '../server/security-headers.ts'
import { isInside } from '#workspace'

const channel = 'commonplace:connect'

export function acceptPorts(hostProcess: HostProcess): void {
  ipcMain.on(channel, (event: IpcMainEvent) => {
    const [port] = event.ports
    if (!port || !isFromAppPage(event)) return
    hostProcess
      .connect({
        local: (router) => new RPCHandler(router).upgrade(port),
        remote(primarySocket) {
          primarySocket.once('close', () => !event.sender.isDestroyed() && event.sender.reload())
          port.on('message', ({ data }: { data: string | ArrayBuffer }) => primarySocket.send(data))
          port.on('close', () => primarySocket.close())
          primarySocket.on('message', (data: Buffer, isBinary) => port.postMessage(isBinary ? data : data.toString()))
        },
      })
      .then(() => port.start())
      .catch((error: unknown) => hostProcess.base.log.fault(error, 'connecting a window'))
  })
}

/** Returns false for frames inside the page and for foreign pages. */
export function isFromAppPage({ senderFrame }: IpcMainEvent): boolean {
  if (!senderFrame || senderFrame.parent !== null) return false
  const [page, own] = [new URL(senderFrame.url), new URL(interfaceUrl)]
  return page.host === own.host && page.protocol === own.protocol
}

const scheme = 'app'
const host = 'commonplace'
/** During development, the address of Vite's server. */
export const interfaceUrl = process.env['ELECTRON_RENDERER_URL'] ?? `${scheme}://${host}/`

/** Registers the scheme of the interface. Must run before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

export function serveInterface(folder: URL): void {
  protocol.handle(scheme, async (request) => {
    const url = new URL(request.url)
    if (url.host !== host || request.method !== 'GET') return new Response('not found', { status: 404 })
    const response = await net.fetch(fileFor(folder, url.pathname).href)
    const headers = new Headers(response.headers)
    for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value)
    return new Response(response.body, { status: response.status, headers })
  })
}

export function fileFor(folder: URL, pathname: string): URL {
  const index = new URL('index.html', folder)
  const file = new URL(`.${pathname}`, folder)
  const isAsset = pathname !== '/' && isInside(fileURLToPath(folder), fileURLToPath(file)) && existsSync(file)
  return isAsset ? file : index
}
