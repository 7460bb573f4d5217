import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron'
import type { DesktopBridge, UpdateState } from '#shared/contract/update-state.ts'

const channel = 'commonplace:connect'
const updatesChannel = 'commonplace:updates'

const bridge: DesktopBridge = {
  followUpdates(listener) {
    const onState = (_event: IpcRendererEvent, state: UpdateState) => listener(state)
    ipcRenderer.on(updatesChannel, onState)
    ipcRenderer.send(updatesChannel, 'state')
    return () => void ipcRenderer.off(updatesChannel, onState)
  },
  actOnUpdate: (action) => ipcRenderer.send(updatesChannel, action),
}

// If this is set, the page connects over a MessagePort; otherwise over a WebSocket.
contextBridge.exposeInMainWorld('commonplaceDesktop', bridge)

window.addEventListener('message', (event) => {
  const [port] = event.ports
  if (event.source === window && event.data === channel && port) ipcRenderer.postMessage(channel, null, [port])
})
