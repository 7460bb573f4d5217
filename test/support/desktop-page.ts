/**
 * Runs the built interface and preload script in a real browser, without Electron. Replaces the `electron` module of
 * the preload; the shell's own port handler serves it. A WebSocket carries the messages that Electron passes between
 * its processes.
 */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Page } from 'playwright-core'
import { listen } from './listen.ts'
import { contentSecurityPolicy } from '../../src/main/app/server/security-headers.ts'
import { interfaceFiles } from '../../src/main/app/server/http-server.ts'

const built = (path: string) => fileURLToPath(new URL(`../../out/${path}`, import.meta.url))

/** @param ipcMain emitter that the shell listens on; receives a port for each connection of the page */
export async function serveDesktopPage(ipcMain: EventEmitter, senderUrl: string): Promise<string> {
  const findFile = interfaceFiles(built('renderer'))
  const server = createServer((request, response) => {
    void findFile(new URL(request.url ?? '/', 'http://localhost').pathname).then((file) => {
      response.setHeader('Content-Security-Policy', contentSecurityPolicy)
      response.writeHead(file ? 200 : 404, { 'Content-Type': file?.type ?? 'text/plain' })
      response.end(file?.bytes)
    })
  })
  const sockets = new WebSocketServer({ server, path: '/port' })
  sockets.on('connection', (socket) => {
    ipcMain.emit('commonplace:connect', { ports: [portOver(socket)], senderFrame: { url: senderUrl, parent: null } })
  })
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
  })
  return `${await listen(server)}/`
}

/** Returns an emitter with the interface of `MessagePortMain`, as Electron's main process gets it. */
function portOver(socket: WebSocket) {
  const port = new EventEmitter()
  socket.on('message', (data, isBinary) => port.emit('message', { data: isBinary ? data : String(data as Buffer) }))
  socket.on('close', () => port.emit('close'))
  return Object.assign(port, { start: () => undefined, postMessage: (data: string | Uint8Array) => socket.send(data) })
}

/** Runs the built preload before the page's own scripts, as Electron does. */
export async function installPreload(page: Page): Promise<void> {
  const preload = readFileSync(built('preload/index.cjs'), 'utf8')
  await page.addInitScript(`(() => {
    // For tests: the other side of ipcRenderer.
    const shell = (window.shell = { listeners: new Set(), received: [] })
    const electron = {
      contextBridge: { exposeInMainWorld: (name, value) => Object.defineProperty(window, name, { value }) },
      ipcRenderer: {
        on: (channel, listener) => void shell.listeners.add(listener),
        off: (channel, listener) => void shell.listeners.delete(listener),
        send: (channel, message) => void shell.received.push(message),
        postMessage(channel, message, [port]) {
          const socket = new WebSocket('ws://' + location.host + '/port')
          socket.binaryType = 'arraybuffer'
          const waiting = []
          port.onmessage = ({ data }) => (socket.readyState === 1 ? socket.send(data) : waiting.push(data))
          socket.onopen = () => waiting.splice(0).forEach((data) => socket.send(data))
          socket.onmessage = ({ data }) => port.postMessage(data)
        },
      },
    }
    const require = (name) => { if (name === 'electron') return electron; throw new Error('sandboxed: no ' + name) }
    const module = { exports: {} }
    ;((require, module, exports) => { ${preload} })(require, module, module.exports)
  })()`)
}
