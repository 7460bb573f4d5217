/** A port in the form that Electron's have. With the form of the web's, Node loads all of the web's network for its events. */
import type { MessagePort } from 'node:worker_threads'

export function plainPort(port: MessagePort) {
  return {
    postMessage: (data: unknown, transfer?: readonly unknown[]) => port.postMessage(data, transfer as never),
    on(event: string, listener: (event?: { readonly data: unknown }) => void) {
      if (event === 'message') port.on('message', (data: unknown) => listener({ data }))
      else port.on('close', () => listener())
    },
  }
}
