import { contextBridge, ipcRenderer } from 'electron'

const channel = 'commonplace:connect'

// The page asks for a port where it sees this mark, and for a WebSocket where it does not.
contextBridge.exposeInMainWorld('commonplaceDesktop', true)

window.addEventListener('message', (event) => {
  const [port] = event.ports
  if (event.source === window && event.data === channel && port) ipcRenderer.postMessage(channel, null, [port])
})
