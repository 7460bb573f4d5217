import { globalShortcut } from 'electron'

export interface CaptureShortcutOptions {
  readonly accelerator: () => string
  readonly onPress: () => void
  /** Called once per accelerator that is invalid or used by another program. */
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

/** Electron throws for an invalid accelerator; it counts as taken. */
function register(accelerator: string, onPress: () => void): boolean {
  try {
    return globalShortcut.register(accelerator, onPress)
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
