/** The contract over Electron's message ports, for pages of ours only. */
import { RPCHandler } from '@orpc/server/message-port'
import { ipcMain, type IpcMainEvent } from 'electron'
import type { App } from '../app.ts'
import { createRouter } from '../router.ts'
import { interfaceUrl } from './protocol.ts'

const channel = 'commonplace:connect'

export function acceptPorts(app: App): void {
  const handler = new RPCHandler(createRouter(app))
  ipcMain.on(channel, (event: IpcMainEvent) => {
    const [port] = event.ports
    if (!port || !isOurs(event)) return
    handler.upgrade(port)
    port.start()
  })
}

/** The top frame of a page that we serve; a frame inside it, or anything it was led to, gets nothing. */
function isOurs({ senderFrame }: IpcMainEvent): boolean {
  if (!senderFrame || senderFrame.parent !== null) return false
  const origin = process.env['ELECTRON_RENDERER_URL'] ?? interfaceUrl
  return (
    new URL(senderFrame.url).host === new URL(origin).host &&
    new URL(senderFrame.url).protocol === new URL(origin).protocol
  )
}
