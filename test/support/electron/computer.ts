/** The computer that the app runs on: its system, its other apps and the instances of the app. */
import { Turns } from './events.ts'
import type { ComputerOptions, ComputerState, Host, Launch, MessageBox, Platform } from './host.ts'
import { Instance, type Main } from './instance.ts'

const executables: Record<Platform, string> = {
  darwin: '/Applications/Commonplace.app/Contents/MacOS/Commonplace',
  win32: 'C:\\Program Files\\Commonplace\\Commonplace.exe',
  linux: '/opt/Commonplace/commonplace',
}

export class Computer implements ComputerState {
  readonly turns = new Turns()
  readonly instances: Instance[] = []
  readonly locks = new Map<string, Host>()
  readonly taken = new Set<string>()
  loginItem: readonly string[] | undefined
  /** Started because of app.relaunch or an installed update. The test starts the code with `start`. */
  readonly relaunches: Launch[] = []
  /** Dialogs, and items opened by `shell`. */
  readonly opened: { how: 'external' | 'path' | 'folder'; what: string }[] = []
  readonly messageBoxes: MessageBox[] = []
  /** Answers for the next dialogs, first come first served. A message box without one stays open. */
  readonly answers: number[] = []
  /** Version that the update server offers. */
  update: string | undefined
  installed: string | undefined
  online = true
  signed = true

  readonly options: ComputerOptions

  constructor(options: ComputerOptions) {
    this.options = options
  }

  get platform(): Platform {
    return this.options.platform
  }

  get executable(): string {
    return executables[this.platform]
  }

  /** Starts an instance. Its code runs at once; the `ready` event comes in a later turn. */
  start(main: Main, launch: Launch = {}): Instance {
    const instance = new Instance(this, launch)
    this.instances.push(instance)
    instance.begin(main)
    return instance
  }

  running(): Instance | undefined {
    return this.instances.find((instance) => !instance.exited)
  }

  async settled(): Promise<void> {
    await this.turns.settled()
  }
}
