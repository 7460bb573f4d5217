/** The modules without a life cycle of their own. Each names its documentation page. */
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { emit } from './events.ts'
import type { Host, MessageBox, WindowPart } from './host.ts'
import { spelling } from './keys.ts'

/** Source: docs/api/global-shortcut.md and spec/api-global-shortcut-spec.ts. */
export class GlobalShortcut {
  readonly #mine = new Map<string, () => void>()
  readonly #instance: Host

  constructor(instance: Host) {
    this.#instance = instance
    instance.process.on('stopped', () => this.#mine.clear())
  }

  #key(accelerator: string): string {
    // "This module cannot be used before the `ready` event of the app module is emitted."
    this.#instance.needReady('globalShortcut cannot be used before the app is ready')
    return spelling(accelerator, this.#instance.platform) ?? `never: ${accelerator}`
  }

  /** "When the accelerator is already taken by other applications, this call will silently fail." */
  register(accelerator: string, callback: () => void): boolean {
    const key = this.#key(accelerator)
    if (this.#taken(key)) return false
    this.#mine.set(key, callback)
    return true
  }

  #taken(key: string): boolean {
    const { computer, platform } = this.#instance
    return [...computer.taken].some((other) => spelling(other, platform) === key)
  }

  /** "When the accelerator is already taken by other applications, this call will still return `false`." */
  isRegistered(accelerator: string): boolean {
    return this.#mine.has(this.#key(accelerator))
  }

  unregister(accelerator: string): void {
    this.#mine.delete(this.#key(accelerator))
  }

  /** The user presses keys while any application has the focus. */
  press(accelerator: string): void {
    this.#mine.get(this.#key(accelerator))?.()
  }
}

/** Source: docs/api/power-monitor.md. */
export class PowerMonitor extends EventEmitter {
  isOnBatteryPower(): boolean {
    return false
  }
}

/** Source: docs/api/safe-storage.md and spec/fixtures/crash-cases/safe-storage. */
export class SafeStorage {
  readonly #instance: Host

  constructor(instance: Host) {
    this.#instance = instance
  }

  /** On Linux and Windows "true once the app has emitted the `ready` event". */
  isEncryptionAvailable(): boolean {
    return this.#instance.platform === 'darwin' || this.#instance.ready
  }

  encryptString(text: string): Buffer {
    this.#instance.needReady('safeStorage cannot be used before app is ready')
    return Buffer.concat([Buffer.from('v10'), Buffer.from(text).map((byte) => byte ^ 90)])
  }

  /** Source: spec/api-safe-storage-spec.ts, "unencrypted input should throw". */
  decryptString(encrypted: Buffer): string {
    this.#instance.needReady('safeStorage cannot be used before app is ready')
    if (encrypted.subarray(0, 3).toString() !== 'v10')
      throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptString.')
    return Buffer.from(encrypted.subarray(3).map((byte) => byte ^ 90)).toString('utf8')
  }

  /** "`unknown` - When the function is called before app has emitted the `ready` event." */
  getSelectedStorageBackend(): string {
    return this.#instance.ready ? (this.#instance.computer.options.storageBackend ?? 'gnome_libsecret') : 'unknown'
  }
}

/** Source: docs/api/shell.md. */
export class Shell {
  readonly #instance: Host

  constructor(instance: Host) {
    this.#instance = instance
  }

  openExternal(url: string): Promise<void> {
    this.#instance.computer.opened.push({ how: 'external', what: url })
    return Promise.resolve()
  }

  /** "a string containing the error message corresponding to the failure if a failure occurred, otherwise "" " */
  openPath(path: string): Promise<string> {
    if (!existsSync(path)) return Promise.resolve('Failed to open path')
    this.#instance.computer.opened.push({ how: 'path', what: path })
    return Promise.resolve('')
  }

  showItemInFolder(path: string): void {
    this.#instance.computer.opened.push({ how: 'folder', what: path })
  }
}

/** Source: docs/api/dialog.md. The test answers with `computer.answers` or `computer.messageBoxes`. */
export class Dialog {
  readonly #instance: Host

  constructor(instance: Host) {
    this.#instance = instance
  }

  /** A dialog cannot attach to a destroyed window. Source: spec/api-dialog-spec.ts. */
  showMessageBox(...given: [MessageBox['options']] | [WindowPart, MessageBox['options']]) {
    const window = given.length === 2 ? given[0] : undefined
    const options = given.length === 2 ? given[1] : given[0]
    if (window?.isDestroyed() === true) throw new TypeError('Object has been destroyed')
    const { promise, resolve } = Promise.withResolvers<{ response: number }>()
    const box: MessageBox = {
      options,
      answer: (response) => {
        const { messageBoxes } = this.#instance.computer
        if (messageBoxes.includes(box)) messageBoxes.splice(messageBoxes.indexOf(box), 1)
        resolve({ response })
      },
    }
    this.#instance.computer.messageBoxes.push(box)
    const next = this.#instance.computer.answers.shift()
    if (next !== undefined) this.#instance.later(() => box.answer(next))
    return promise
  }

  showErrorBox(): void {}
}

/** Source: docs/api/notification.md. */
export function notificationClass(instance: Host) {
  return class Notification extends EventEmitter {
    title: string
    body: string
    constructor(options: { title?: string; body?: string } = {}) {
      super()
      this.title = options.title ?? ''
      this.body = options.body ?? ''
    }
    show(): void {
      instance.electron.notifications.push(this)
      emit(this, 'show')
    }
  }
}
