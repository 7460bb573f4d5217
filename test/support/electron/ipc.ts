/** ipcMain, and the page that talks to it. Source: docs/api/ipc-main.md and spec/api-ipc-spec.ts. */
import { EventEmitter } from 'node:events'
import { newEvent } from './events.ts'
import type { ContentsPart, Host, IpcHandler } from './host.ts'
import { type Port, transferred } from './ports.ts'

export class Ipc extends EventEmitter {
  readonly handlers = new Map<string, IpcHandler>()

  /** Source: spec/api-ipc-spec.ts, "forbids multiple handlers". */
  handle(channel: string, handler: IpcHandler): void {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.handlers.set(channel, handler)
  }

  removeHandler(channel: string): void {
    this.handlers.delete(channel)
  }
}

/** The web page of a window: the test acts as the page. A reload makes a new page. */
export class Page {
  /** Messages from the main process. */
  readonly received: { channel: string; args: unknown[]; ports: Port[] }[] = []
  /** Returns true to keep the page, as a `beforeunload` handler does. */
  beforeUnload: (() => boolean) | undefined
  /** Runs when the page unloads, as a `pagehide` handler does. */
  onUnload: (() => void) | undefined
  alive = true
  readonly #instance: Host
  readonly #contents: ContentsPart
  readonly #ports: Port[] = []

  constructor(instance: Host, contents: ContentsPart) {
    this.#instance = instance
    this.#contents = contents
  }

  send(channel: string, ...args: unknown[]): void {
    this.#post(channel, structuredClone(args), [])
  }

  postMessage(channel: string, message: unknown, ports: Port[] = []): void {
    const moved = transferred(ports)
    this.#post(channel, [structuredClone(message)], moved)
  }

  /** "Errors thrown through `handle` are not transparent": the page gets the message only. */
  async invoke(channel: string, ...args: unknown[]): Promise<unknown> {
    const { ipcMain } = this.#instance.electron
    const cloned = structuredClone(args)
    const handler = this.#contents.ipc.handlers.get(channel) ?? ipcMain.handlers.get(channel)
    const failed = `Error invoking remote method '${channel}'`
    // Source: spec/api-ipc-spec.ts, "throws an error if no handler is registered".
    if (handler === undefined) throw new Error(`${failed}: Error: No handler registered for '${channel}'`)
    try {
      return structuredClone(await handler(this.#event([]), ...cloned))
    } catch (error) {
      throw new Error(`${failed}: ${String(error)}`, { cause: error })
    }
  }

  receive(channel: string, args: unknown[], ports: Port[]): void {
    this.#ports.push(...ports)
    this.received.push({ channel, args, ports })
  }

  /** The process of the page ends. Source: spec/api-ipc-spec.ts, "when context destroyed": its ports close. */
  end(): void {
    this.alive = false
    for (const port of this.#ports) port.close()
  }

  /** `contents.ipc` comes before ipcMain. Source: spec/api-ipc-spec.ts, "cascades to ipcMain". */
  #post(channel: string, args: unknown[], ports: Port[]): void {
    this.#instance.later(() => {
      if (!this.alive) return
      const event = this.#event(ports)
      this.#contents.ipc.emit(channel, event, ...args)
      this.#instance.electron.ipcMain.emit(channel, event, ...args)
    })
  }

  #event(ports: Port[]): object {
    const contents = this.#contents
    return newEvent({
      ports,
      sender: contents,
      senderFrame: contents.mainFrame,
      reply: (channel: string, ...args: unknown[]) => contents.send(channel, ...args),
    })
  }
}
