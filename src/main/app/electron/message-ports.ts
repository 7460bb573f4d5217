import { RPCHandler } from '@orpc/server/message-port'
import { ipcMain, type IpcMainEvent, type MessagePortMain } from 'electron'
import type { WebSocket } from 'ws'
import type { HostProcess } from '../instance-lock/host-process.ts'
import { interfaceUrl } from './app-protocol.ts'

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
          forwardMessages(port, primarySocket)
        },
      })
      .then(() => port.start())
      .catch((error: unknown) => hostProcess.base.log.fault(error, 'connecting a window'))
  })
}

function forwardMessages(port: MessagePortMain, socket: WebSocket): void {
  port.on('message', ({ data }: { data: string | ArrayBuffer }) => socket.send(data))
  port.on('close', () => socket.close())
  socket.on('message', (data: Buffer, isBinary) => port.postMessage(isBinary ? data : data.toString()))
}

/** Returns true for the top frame of the app's own page, not for frames inside it or foreign pages. */
export function isFromAppPage({ senderFrame }: IpcMainEvent): boolean {
  if (!senderFrame || senderFrame.parent !== null) return false
  const [page, own] = [new URL(senderFrame.url), new URL(interfaceUrl)]
  return page.host === own.host && page.protocol === own.protocol
}
