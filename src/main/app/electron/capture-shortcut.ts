import { globalShortcut } from 'electron'

export interface CaptureShortcutOptions {
  readonly accelerator: () => string
  readonly onPress: () => void
  /** Another program has the key. */
  readonly onTaken: (accelerator: string) => void
}

export class CaptureShortcut {
  readonly #options: CaptureShortcutOptions
  #registered: string | undefined
  #told: string | undefined
  #isPaused = false

  constructor(options: CaptureShortcutOptions) {
    this.#options = options
    this.apply()
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.apply()
  }

  /** Takes over what the configuration says now. */
  apply(): void {
    const wanted = this.#isPaused ? '' : this.#options.accelerator()
    if (wanted === this.#registered) return
    if (this.#registered) globalShortcut.unregister(this.#registered)
    this.#registered = undefined
    if (wanted === '') return
    if (register(wanted, this.#options.onPress)) this.#registered = wanted
    else if (this.#told !== wanted) {
      this.#told = wanted
      this.#options.onTaken(wanted)
    }
  }

  close(): void {
    if (this.#registered) globalShortcut.unregister(this.#registered)
    this.#registered = undefined
  }
}

/** A name that is no accelerator throws; that is the user's mistake like a key that is taken. */
function register(accelerator: string, onPress: () => void): boolean {
  try {
    return globalShortcut.register(accelerator, onPress)
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
