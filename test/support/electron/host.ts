/** Interfaces between the parts of the stand-in. */
import type { EventEmitter } from 'node:events'
import type { Turns } from './events.ts'

export type Platform = 'darwin' | 'win32' | 'linux'

export interface ComputerOptions {
  platform: Platform
  /** Result of `safeStorage.getSelectedStorageBackend` on Linux. `basic_text` is no protection. */
  storageBackend?: string
  folders?: Partial<Record<string, string>>
  packaged?: boolean
  version?: string
  locale?: string
}

export interface MessageBox {
  readonly options: { readonly message: string }
  answer(response: number): void
}

export interface Launch {
  /** Arguments after the executable. */
  args?: string[]
  /** Link or file that starts the app on macOS. */
  openUrl?: string
  openFile?: string
  workingDirectory?: string
  atLogin?: boolean
}

/** Why all windows close. */
export type Closing = 'quit' | 'update' | 'exit'

export interface ComputerState {
  readonly options: ComputerOptions
  readonly platform: Platform
  readonly executable: string
  readonly turns: Turns
  /** Holder of the single instance lock of each data folder. */
  readonly locks: Map<string, Host>
  /** Accelerators that other applications hold. */
  readonly taken: Set<string>
  /** Arguments with which the system starts the app at login. */
  loginItem: readonly string[] | undefined
  readonly relaunches: Launch[]
  readonly opened: { how: 'external' | 'path' | 'folder'; what: string }[]
  readonly messageBoxes: MessageBox[]
  readonly answers: number[]
  update: string | undefined
  installed: string | undefined
  online: boolean
  /** False if an update does not have the signature of the running app. */
  signed: boolean
}

export interface ContentsPart extends EventEmitter {
  readonly id: number
  readonly ipc: EventEmitter & { readonly handlers: ReadonlyMap<string, IpcHandler> }
  readonly mainFrame: object
  send(channel: string, ...args: unknown[]): void
}

export type IpcHandler = (event: object, ...args: unknown[]) => unknown

export interface WindowPart extends EventEmitter {
  readonly webContents: ContentsPart
  close(): void
  destroy(): void
  isDestroyed(): boolean
  isVisible(): boolean
  blur(): void
  pageReady(): void
}

export interface ItemPart {
  readonly label: string
  readonly enabled: boolean
  readonly registerAccelerator: boolean
  readonly accelerator: string | null
  readonly click: (event?: object, window?: WindowPart, contents?: ContentsPart) => void
}

export interface MenuPart {
  allItems(): ItemPart[]
}

export interface AppPart extends EventEmitter {
  name: string
  applicationMenu: MenuPart | null
  quit(): void
  whenReady(): Promise<void>
}

/** One run of the app, as its modules see it. */
export interface Host {
  readonly computer: ComputerState
  readonly launch: Launch
  readonly platform: Platform
  readonly argv: string[]
  readonly ready: boolean
  readonly exited: boolean
  /** Set while all windows close. A window that stays open clears it. */
  closing: Closing | undefined
  readonly windows: WindowPart[]
  focused: WindowPart | undefined
  nextId: number
  readonly app: AppPart
  readonly electron: {
    readonly ipcMain: ContentsPart['ipc']
    readonly trays: object[]
    readonly notifications: object[]
  }
  readonly process: EventEmitter
  /** Runs when the process ends: relaunches and updates. */
  readonly atExit: (() => void)[]
  later(work: () => void): void
  whenReady(work: () => void): void
  needReady(message: string): void
  closeWindows(why: Closing): void
  windowStayed(): void
  windowClosed(): void
  forget(window: WindowPart): void
  end(exitCode: number): void
}
