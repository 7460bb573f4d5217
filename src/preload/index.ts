import { contextBridge, ipcRenderer } from 'electron'

const channel = 'commonplace:connect'

// With this flag set, the page connects over a MessagePort; otherwise over a WebSocket.
contextBridge.exposeInMainWorld('commonplaceDesktop', true)

window.addEventListener('message', (event) => {
  const [port] = event.ports
  if (event.source === window && event.data === channel && port) ipcRenderer.postMessage(channel, null, [port])
})
