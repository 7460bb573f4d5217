/** Sessions and protocols. Source: docs/api/session.md and docs/api/protocol.md. */
import { EventEmitter } from 'node:events'
import type { Host } from './host.ts'

type PermissionHandler = (
  contents: unknown,
  permission: string,
  callback: (granted: boolean) => void,
  details: object,
) => void
type CheckHandler = (contents: unknown, permission: string, origin: string, details: object) => boolean
type ProtocolHandler = (request: Request) => Response | Promise<Response>

export interface LoadError {
  name: string
  code: number
}

export class Protocol {
  readonly handlers = new Map<string, ProtocolHandler>()

  handle(scheme: string, handler: ProtocolHandler): void {
    if (this.handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`)
    this.handlers.set(scheme, handler)
  }
}

export class Session extends EventEmitter {
  readonly protocol = new Protocol()
  permissionRequest: PermissionHandler | null = null
  permissionCheck: CheckHandler | null = null
  devicePermission: ((details: object) => boolean) | null = null
  /** Words of the user in the spelling dictionary. */
  readonly words: string[] = []
  /** Addresses that fail to load. */
  readonly failing = new Map<string, LoadError>()

  setPermissionRequestHandler(handler: PermissionHandler | null): void {
    this.permissionRequest = handler
  }

  setPermissionCheckHandler(handler: CheckHandler | null): void {
    this.permissionCheck = handler
  }

  setDevicePermissionHandler(handler: ((details: object) => boolean) | null): void {
    this.devicePermission = handler
  }

  /** Answers a page's request for a permission. Without a handler, every request is granted. */
  asks(permission: string, contents: unknown = null, details: object = {}): Promise<boolean> {
    const handler = this.permissionRequest
    if (handler === null) return Promise.resolve(true)
    return new Promise((resolve) => void handler(contents, permission, resolve, details))
  }

  getUserAgent(): string {
    return 'Mozilla/5.0 Electron'
  }

  addWordToSpellCheckerDictionary(word: string): boolean {
    this.words.push(word)
    return true
  }

  /** Loads a page. A scheme that the app handles must answer. */
  async load(url: string): Promise<LoadError | undefined> {
    const failure = this.failing.get(url)
    if (failure !== undefined) return failure
    const handler = URL.canParse(url) ? this.protocol.handlers.get(new URL(url).protocol.slice(0, -1)) : undefined
    if (handler === undefined) return undefined
    try {
      await handler(new Request(url))
      return undefined
    } catch {
      return { name: 'ERR_UNEXPECTED', code: -9 }
    }
  }
}

export class Sessions {
  readonly #all = new Map<string, Session>()
  readonly #instance: Host

  constructor(instance: Host) {
    this.#instance = instance
  }

  /** "the default session object of the app, available after `app.whenReady` is called." */
  get defaultSession(): Session {
    return this.fromPartition('')
  }

  fromPartition(partition: string): Session {
    this.#instance.needReady('Session can only be received when app is ready')
    const found = this.#all.get(partition) ?? new Session()
    this.#all.set(partition, found)
    return found
  }

  of(partition: string | undefined, session: unknown): Session {
    return session instanceof Session ? session : this.fromPartition(partition ?? '')
  }
}

/** The `protocol` module handles schemes of the default session. */
export class ProtocolModule {
  /** Schemes with privileges, set before `ready`. */
  privileged: { scheme: string; privileges?: object }[] | undefined
  readonly #instance: Host
  readonly #sessions: Sessions

  constructor(instance: Host, sessions: Sessions) {
    this.#instance = instance
    this.#sessions = sessions
  }

  /** "This method can only be used before the `ready` event of the `app` module and can be called only once." */
  registerSchemesAsPrivileged(schemes: { scheme: string; privileges?: object }[]): void {
    if (this.#instance.ready)
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    if (this.privileged !== undefined) throw new Error('protocol.registerSchemesAsPrivileged can be called only once')
    this.privileged = schemes
  }

  handle(scheme: string, handler: ProtocolHandler): void {
    this.#sessions.defaultSession.protocol.handle(scheme, handler)
  }
}
