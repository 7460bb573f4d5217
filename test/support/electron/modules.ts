/** The modules without a life cycle of their own. Each names its documentation page. */
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { emit } from './events.ts'
import type { Host, WindowPart } from './host.ts'
import { spelling } from './keys.ts'

/** Source: docs/api/global-shortcut.md and spec/api-global-shortcut-spec.ts. */
export class GlobalShortcut {
  readonly #mine = new Map<string, () => void>()
  readonly #instance: Host
  #suspended = false

  constructor(instance: Host) {
    this.#instance = instance
    instance.process.on('stopped', () => this.#mine.clear())
  }

  #key(accelerator: string): string {
    // "This module cannot be used before the `ready` event of the app module is emitted."
    this.#instance.needReady('globalShortcut cannot be used before the app is ready')
    return spelling(accelerator, this.#instance.platform) ?? `never: ${accelerator}`
  }

  /**
   * "When the accelerator is already taken by other applications, this call will silently fail."
   * "New shortcut registrations will fail while handling is suspended."
   */
  register(accelerator: string, callback: () => void): boolean {
    const key = this.#key(accelerator)
    if (this.#suspended || this.#taken(key)) return false
    this.#mine.set(key, callback)
    return true
  }

  #taken(key: string): boolean {
    const { computer, platform } = this.#instance
    return [...computer.taken].some((other) => spelling(other, platform) === key)
  }

  registerAll(accelerators: string[], callback: () => void): boolean {
    return accelerators.map((accelerator) => this.register(accelerator, callback)).every(Boolean)
  }

  /** "When the accelerator is already taken by other applications, this call will still return `false`." */
  isRegistered(accelerator: string): boolean {
    return this.#mine.has(this.#key(accelerator))
  }

  unregister(accelerator: string): void {
    this.#mine.delete(this.#key(accelerator))
  }

  unregisterAll(): void {
    this.#mine.clear()
  }

  setSuspended(suspended: boolean): void {
    this.#suspended = suspended
  }

  isSuspended(): boolean {
    return this.#suspended
  }

  /** The user presses keys while any application has the focus. */
  press(accelerator: string): void {
    if (!this.#suspended) this.#mine.get(this.#key(accelerator))?.()
  }
}

/** Source: docs/api/power-monitor.md and spec/api-power-monitor-spec.ts. */
export class PowerMonitor extends EventEmitter {
  readonly #instance: Host

  constructor(instance: Host) {
    super()
    this.#instance = instance
  }

  get onBatteryPower(): boolean {
    return this.#instance.computer.onBattery
  }

  isOnBatteryPower(): boolean {
    return this.onBatteryPower
  }

  getSystemIdleTime(): number {
    return this.#instance.computer.idleSeconds
  }

  /** Source: spec/api-power-monitor-spec.ts, "does not accept non positive integer threshold". */
  getSystemIdleState(threshold: number): string {
    if (!(threshold > 0)) throw new TypeError('Invalid idle threshold, must be greater than 0')
    return this.getSystemIdleTime() >= threshold ? 'idle' : 'active'
  }

  getCurrentThermalState(): string {
    return 'nominal'
  }
}

/** Source: docs/api/native-theme.md and spec/api-native-theme-spec.ts. */
export class NativeTheme extends EventEmitter {
  #source = 'system'
  readonly #instance: Host
  readonly shouldUseHighContrastColors = false
  readonly shouldUseInvertedColorScheme = false
  readonly inForcedColorsMode = false
  readonly prefersReducedTransparency = false

  constructor(instance: Host) {
    super()
    this.#instance = instance
  }

  get themeSource(): string {
    return this.#source
  }

  /** "should not emit the "updated" event when the resulting "shouldUseDarkColors" value is the same". */
  set themeSource(source: string) {
    this.change(() => (this.#source = source))
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'system' ? this.#instance.computer.dark : this.#source === 'dark'
  }

  change(set: () => void): void {
    const before = this.shouldUseDarkColors
    set()
    if (before !== this.shouldUseDarkColors) this.#instance.later(() => this.emit('updated'))
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

  isAsyncEncryptionAvailable(): Promise<boolean> {
    return this.#instance.app.whenReady().then(() => this.isEncryptionAvailable())
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

  encryptStringAsync(text: string): Promise<Buffer> {
    return this.#instance.app.whenReady().then(() => this.encryptString(text))
  }

  decryptStringAsync(encrypted: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> {
    return this.#instance.app
      .whenReady()
      .then(() => ({ result: this.decryptString(encrypted), shouldReEncrypt: false }))
  }

  /** "`unknown` - When the function is called before app has emitted the `ready` event." */
  getSelectedStorageBackend(): string {
    return this.#instance.ready ? (this.#instance.computer.options.storageBackend ?? 'gnome_libsecret') : 'unknown'
  }

  setUsePlainTextEncryption(): void {}
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

  trashItem(path: string): Promise<void> {
    if (!existsSync(path)) return Promise.reject(new Error('Failed to move item to trash'))
    this.#instance.computer.opened.push({ how: 'trash', what: path })
    return Promise.resolve()
  }

  beep(): void {}
}

interface BoxOptions {
  message: string
  buttons?: string[]
  cancelId?: number
  signal?: AbortSignal
  [name: string]: unknown
}

/** Source: docs/api/dialog.md. The test answers with `computer.answers` or `computer.messageBoxes`. */
export class Dialog {
  readonly #instance: Host

  constructor(instance: Host) {
    this.#instance = instance
  }

  showMessageBox(...given: [BoxOptions] | [WindowPart | null | undefined, BoxOptions]) {
    const { window, options } = split<BoxOptions>(given)
    const { promise, resolve } = Promise.withResolvers<{ response: number; checkboxChecked: boolean }>()
    const box = {
      options,
      window,
      answer: (response: number, checkboxChecked = false): void => {
        const { messageBoxes } = this.#instance.computer
        if (messageBoxes.includes(box)) messageBoxes.splice(messageBoxes.indexOf(box), 1)
        resolve({ response, checkboxChecked })
      },
    }
    this.#instance.computer.messageBoxes.push(box)
    // "optionally close the message box, the message box will behave as if it was cancelled by the user".
    options.signal?.addEventListener('abort', () => box.answer(cancelled(options)))
    const next = this.#instance.computer.answers.shift()
    if (next !== undefined) this.#instance.later(() => box.answer(Number(next)))
    return promise
  }

  showMessageBoxSync(...given: [BoxOptions] | [WindowPart | null | undefined, BoxOptions]): number {
    const { options } = split<BoxOptions>(given)
    return Number(this.#instance.computer.answers.shift() ?? cancelled(options))
  }

  /** "If the dialog is cancelled this will be an empty array." */
  showOpenDialog(...given: [object] | [WindowPart | null | undefined, object]) {
    split(given)
    const filePaths = (this.#instance.computer.answers.shift() ?? []) as string[]
    return Promise.resolve({ canceled: filePaths.length === 0, filePaths })
  }

  showOpenDialogSync(...given: [object] | [WindowPart | null | undefined, object]): string[] | undefined {
    split(given)
    return this.#instance.computer.answers.shift() as string[] | undefined
  }

  showSaveDialog(...given: [object] | [WindowPart | null | undefined, object]) {
    split(given)
    const filePath = (this.#instance.computer.answers.shift() ?? '') as string
    return Promise.resolve({ canceled: filePath === '', filePath })
  }

  /** "This API can be called safely before the `ready` event". */
  showErrorBox(title: string, content: string): void {
    this.#instance.computer.errorBoxes.push({ title, content })
  }
}

/** A dialog cannot attach to a destroyed window. Source: spec/api-dialog-spec.ts. */
function split<Options>(given: readonly unknown[]): { window: WindowPart | undefined; options: Options } {
  const window = given.length > 1 ? (given[0] as WindowPart | null | undefined) : undefined
  if (window?.isDestroyed() === true) throw new TypeError('Object has been destroyed')
  return { window: window ?? undefined, options: given.at(-1) as Options }
}

/** "By default this is assigned to the first button with "cancel" or "no" as the label", else 0. */
function cancelled({ cancelId, buttons = [] }: BoxOptions): number {
  const labelled = buttons.findIndex((label) => /^(cancel|no)$/i.test(label))
  return cancelId ?? Math.max(labelled, 0)
}

/** Source: docs/api/notification.md. */
export function notificationClass(instance: Host) {
  return class Notification extends EventEmitter {
    static isSupported(): boolean {
      return true
    }
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
    close(): void {
      const { notifications } = instance.electron
      if (notifications.includes(this)) notifications.splice(notifications.indexOf(this), 1)
      emit(this, 'close')
    }
  }
}
