import { globalShortcut } from 'electron'

export interface CaptureShortcutOptions {
  readonly accelerator: () => string
  readonly onPress: () => void
  /** Called once per accelerator that is invalid or used by another program. */
  readonly onTaken: (accelerator: string) => void
}

export class CaptureShortcut {
  readonly #options: CaptureShortcutOptions
  #registeredAccelerator: string | undefined
  #reportedAccelerator: string | undefined
  #isPaused = false

  constructor(options: CaptureShortcutOptions) {
    this.#options = options
    this.apply()
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.apply()
  }

  apply(): void {
    const nextAccelerator = this.#isPaused ? '' : this.#options.accelerator()
    if (nextAccelerator === this.#registeredAccelerator) return
    if (this.#registeredAccelerator) globalShortcut.unregister(this.#registeredAccelerator)
    this.#registeredAccelerator = undefined
    if (nextAccelerator === '') return
    if (register(nextAccelerator, this.#options.onPress)) this.#registeredAccelerator = nextAccelerator
    else if (this.#reportedAccelerator !== nextAccelerator) {
      this.#reportedAccelerator = nextAccelerator
      this.#options.onTaken(nextAccelerator)
    }
  }

  close(): void {
    if (this.#registeredAccelerator) globalShortcut.unregister(this.#registeredAccelerator)
    this.#registeredAccelerator = undefined
  }
}

/** Electron throws for an invalid accelerator; it counts as taken. */
function register(accelerator: string, onPress: () => void): boolean {
  try {
    return globalShortcut.register(accelerator, onPress)
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
