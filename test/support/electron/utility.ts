/** utilityProcess. Source: docs/api/utility-process.md. */
import { EventEmitter } from 'node:events'
import { emit } from './events.ts'
import type { Host } from './host.ts'

export class Child extends EventEmitter {
  pid: number | undefined
  stdout = null
  stderr = null
  readonly modulePath: string
  readonly args: readonly string[]
  readonly sent: unknown[] = []
  readonly #instance: Host
  readonly #name: string

  constructor(instance: Host, modulePath: string, args: readonly string[], options: { serviceName?: string }) {
    super()
    this.modulePath = modulePath
    this.args = args
    this.#instance = instance
    this.#name = options.serviceName ?? 'Node Utility Process'
    instance.later(() => {
      this.pid = 2000 + instance.nextId++
      this.emit('spawn')
    })
  }

  postMessage(message: unknown): void {
    this.sent.push(structuredClone(message))
  }

  kill(): boolean {
    if (this.pid === undefined) return false
    this.ends('killed', 15)
    return true
  }

  /** The process ends. "`pid` is undefined after the `exit` event is emitted." The app gets `child-process-gone`. */
  ends(reason: string, exitCode: number): void {
    this.#instance.later(() => {
      this.emit('exit', exitCode)
      this.pid = undefined
      const details = { type: 'Utility', reason, exitCode, serviceName: 'node.mojom.NodeService', name: this.#name }
      if (reason !== 'clean-exit') emit(this.#instance.app, 'child-process-gone', {}, details)
    })
  }
}

export class UtilityProcess {
  readonly children: Child[] = []
  readonly #instance: Host

  constructor(instance: Host) {
    this.#instance = instance
  }

  /** "can only be called after the `ready` event has been emitted". Source: spec/fixtures/crash-cases. */
  fork(modulePath: string, args: string[] = [], options: { serviceName?: string } = {}): Child {
    this.#instance.needReady('utilityProcess cannot be created before app is ready')
    const child = new Child(this.#instance, modulePath, args, options)
    this.children.push(child)
    return child
  }
}
