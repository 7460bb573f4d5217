import { createRouterClient, ORPCError } from '@orpc/server'
import { RPCHandler } from '@orpc/server/websocket'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { AppEvent, ContractClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { createApp, openBase, type App, type AppBase, type AppOptions } from '../composition/create-app.ts'
import { systemClock, type Clock, EventEmitter, fromOrpcError } from '#platform'
import type { AppRouter } from '../api/procedure.ts'
import { createRouter } from '../api/router.ts'
import {
  answerRequests,
  type ClientKind,
  clientOf,
  connectToPrimary,
  lockPathsOf,
  type LockPaths,
} from './primary-connection.ts'
import { acquirePrimary, type PrimaryInstance } from './primary-instance.ts'

const retryIntervalMs = 50
/** Time limit for a lock holder that is starting or ending and accepts no connections, ms. */
const startTimeoutMs = 20_000

const maxAttempts = 5

/** Time for the work that a command has started. Less than `startTimeoutMs`, so that the next command can wait for it. */
const finishMs = 15_000

type Role =
  | {
      readonly kind: 'primary'
      readonly app: App
      readonly router: AppRouter
      readonly client: ContractClient
      readonly answer: (socket: WebSocket) => void
      readonly primaryInstance: PrimaryInstance | undefined
    }
  | { readonly kind: 'secondary'; readonly socket: WebSocket; readonly client: ContractClient }

/**
 * Holds the instance lock, or forwards to its holder and takes over when that process ends. A `command` ends after one
 * call; a `resident` runs until it is closed; an `owner` is a resident that only serves programs.
 */
export class HostProcess {
  readonly base: AppBase
  readonly #options: AppOptions
  readonly #kind: ClientKind | 'owner'
  readonly #lockPaths: LockPaths
  #role: Promise<Role>
  #isClosing = false
  readonly #events = new EventEmitter<AppEvent>()
  readonly onEvent = this.#events.subscribe

  private constructor(options: AppOptions, base: AppBase, kind: ClientKind | 'owner') {
    this.#options = options
    this.#kind = kind
    this.base = base
    this.#lockPaths = lockPathsOf(base.folders.home, base.singleFolder?.folder)
    this.#role = this.#acquireRole()
  }

  /** @throws AppError `write_failed`, `owner_silent`, `owner_version` */
  static async open(options: AppOptions, kind: ClientKind | 'owner' = 'resident'): Promise<HostProcess> {
    const base = await openBase(options)
    const hostProcess = new HostProcess(options, base, kind)
    try {
      await hostProcess.#role
      return hostProcess
    } catch (error) {
      base.close()
      throw error
    }
  }

  /** Returns undefined if another process holds the lock. */
  async app(): Promise<App | undefined> {
    const role = await this.#role
    return role.kind === 'primary' ? role.app : undefined
  }

  /**
   * Runs `work` on the primary instance, in this process or another. If that process ends before it answers, `work`
   * runs again on the next one with `isRepeated`: the first attempt may have had its effect.
   * @throws AppError with the code of the primary instance; `owner_silent`, `owner_version`
   */
  async callPrimary<T>(work: (primary: ContractClient, isRepeated: boolean) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const role = await this.#role
      try {
        return await work(role.client, attempt > 1)
      } catch (error) {
        const isEnding = error instanceof ORPCError && error.code === 'owner_gone'
        const isLost = role.kind === 'secondary' && (isEnding || !isOpen(role.socket))
        if (!isLost || this.#isClosing || attempt === maxAttempts) throw fromOrpcError(error)
        await sleep(retryIntervalMs)
      }
    }
  }

  /** Number of programs that this process serves; undefined if another process holds the lock. */
  async programs(): Promise<number | undefined> {
    const role = await this.#role
    return role.kind === 'primary' ? (role.primaryInstance?.programs ?? 0) : undefined
  }

  get now(): Clock {
    return this.#options.now ?? systemClock
  }

  /** Serves the contract on a socket, directly or through the primary instance. Closes it if neither is possible. */
  accept(socket: WebSocket): void {
    socket.pause()
    const connected = this.connect({
      local: (_router, answer) => answer(socket),
      remote: (primarySocket) => {
        forward(socket, primarySocket)
        forward(primarySocket, socket)
      },
    })
    connected.then(
      () => socket.resume(),
      (error: unknown) => {
        // The window reconnects and reaches the next primary instance.
        this.base.log.warn({ reason: String(error) }, 'no primary instance for a window')
        socket.terminate()
      },
    )
  }

  /** Calls one of the handlers. @throws AppError `owner_gone`, `owner_silent`, `owner_version` */
  async connect(handlers: {
    readonly local: (router: AppRouter, answer: (socket: WebSocket) => void) => void
    readonly remote: (socket: WebSocket) => void
  }): Promise<void> {
    const role = await this.#role
    if (role.kind === 'primary') return handlers.local(role.router, role.answer)
    const socket = await connectToPrimary(this.#lockPaths, 'resident')
    if (!socket) throw new AppError('owner_gone', 'the process that had this memory open has ended', {})
    handlers.remote(socket)
  }

  /** Publishes an event of this process. Without the lock, only listeners in this process receive it. */
  publish(event: AppEvent): void {
    void this.app().then((app) => (app ? app.events.publish('event', event) : this.#events.emit(event)))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const role = await this.#role.catch(() => undefined)
    if (role?.kind === 'secondary') role.socket.terminate()
    if (role?.kind === 'primary') {
      if (this.#kind === 'command') await role.primaryInstance?.drain()
      else role.primaryInstance?.pause()
      await role.app.close(this.#kind === 'command' ? finishMs : undefined)
      await role.primaryInstance?.release()
    }
    this.base.close()
  }

  async #acquireRole(): Promise<Role> {
    const deadline = performance.now() + startTimeoutMs
    for (;;) {
      const role = (await this.#becomePrimary()) ?? (await this.#connectToPrimary())
      if (role) return role
      if (performance.now() > deadline)
        throw new AppError('owner_silent', 'another process has this memory open and cannot be reached', { pid: 0 })
      await sleep(retryIntervalMs * (0.5 + Math.random()))
    }
  }

  async #becomePrimary(): Promise<Role | undefined> {
    const { base } = this
    const claim = await acquirePrimary(this.#lockPaths)
    if (!claim) return undefined
    const { primaryInstance, lockFailure } = claim
    try {
      const app = await createApp({ ...this.#options, base })
      // On a file system without locks the app runs unguarded.
      if (lockFailure !== undefined) app.health.report({ part: 'locks', code: 'owner_unguarded', message: lockFailure })
      const router = createRouter(app)
      const answer = answerRequests(new RPCHandler(router), base.log)
      const isResident = this.#kind !== 'command'
      const serve = isResident ? this.#serveProgram.bind(this) : undefined
      const listenFailure = await primaryInstance?.listen(answer, serve, this.#kind === 'owner')
      // Programs could not reach an owner, which would keep the lock from the processes that serve them instead.
      if (listenFailure !== undefined && this.#kind === 'owner') throw new Error(listenFailure)
      if (listenFailure !== undefined)
        app.health.report({ part: 'owner', code: 'owner_unheard', message: listenFailure })
      app.events.subscribe('event', (event) => this.#events.emit(event))
      return { kind: 'primary', app, router, client: createRouterClient(router), answer, primaryInstance }
    } catch (error) {
      await primaryInstance?.release()
      throw error
    }
  }

  async #serveProgram(socket: Duplex, query: URLSearchParams): Promise<void> {
    try {
      // Imported on demand: loading the MCP SDK takes 100 ms.
      const { serveProgram } = await import('./serve-program.ts')
      const isSet = { readOnly: query.has('read-only'), connector: query.has('connector') }
      const flags = { agent: query.get('agent') ?? undefined, client: query.get('client') ?? undefined, ...isSet }
      await serveProgram(Promise.resolve(this), flags, socket)
    } catch (error) {
      this.base.log.fault(error, 'mcp')
    }
    socket.end()
  }

  async #connectToPrimary(): Promise<Role | undefined> {
    const kind = this.#kind === 'command' ? 'command' : 'resident'
    const socket = await connectToPrimary(this.#lockPaths, kind)
    if (!socket) return undefined
    socket.once('close', () => void this.#takeOver())
    const client = clientOf(socket)
    if (kind === 'resident') void this.#forwardEvents(socket, client)
    return { kind: 'secondary', socket, client }
  }

  async #takeOver(): Promise<void> {
    if (this.#isClosing) return
    this.#role = this.#acquireRole()
    try {
      await this.#role
    } catch (error) {
      this.base.log.fault(error, 'taking over the memory')
      await sleep(startTimeoutMs)
      await this.#takeOver()
    }
  }

  async #forwardEvents(socket: WebSocket, client: ContractClient): Promise<void> {
    try {
      for await (const event of await client.events.subscribe()) this.#events.emit(event)
    } catch (error) {
      if (isOpen(socket)) this.base.log.fault(error, 'following the primary instance')
    }
  }
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === socket.OPEN
}

/** If more bytes than this wait to be sent to one side, the other side pauses. */
const maxBufferedBytes = 8 * 1024 * 1024
const drainPollMs = 20

/** WebSocket close code: the window reconnects to the next primary instance. */
const serviceRestart = 1012

function forward(from: WebSocket, to: WebSocket): void {
  from.on('message', (data: Buffer, isBinary) => {
    to.send(data, { binary: isBinary })
    if (to.bufferedAmount < maxBufferedBytes) return
    from.pause()
    const drainTimer = setInterval(() => {
      if (to.bufferedAmount >= maxBufferedBytes && to.readyState === to.OPEN) return
      clearInterval(drainTimer)
      from.resume()
    }, drainPollMs)
  })
  from.on('close', () => to.close(serviceRestart))
  from.on('error', () => from.terminate())
}
