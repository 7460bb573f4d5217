/** Interfaces between the parts of the stand-in. */
import type { EventEmitter } from 'node:events'
import type { Turns } from './events.ts'

export type Platform = 'darwin' | 'win32' | 'linux'

export interface ComputerOptions {
  platform: Platform
  /** Schemes in the Info.plist of the packaged app. macOS only. */
  plistSchemes?: readonly string[]
  /** Result of `safeStorage.getSelectedStorageBackend` on Linux. `basic_text` is no protection. */
  storageBackend?: string
  folders?: Partial<Record<string, string>>
  packaged?: boolean
  version?: string
  locale?: string
}

export interface MessageBox {
  options: { message: string; detail?: string; buttons?: string[]; cancelId?: number; [name: string]: unknown }
  window: unknown
  answer(response: number, checkboxChecked?: boolean): void
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
  readonly protocolClients: Set<string>
  readonly loginItems: Map<string, { args: string[]; path: string; enabled: boolean }>
  readonly relaunches: Launch[]
  readonly opened: { how: 'external' | 'path' | 'folder' | 'trash'; what: string }[]
  readonly errorBoxes: { title: string; content: string }[]
  readonly messageBoxes: MessageBox[]
  readonly answers: unknown[]
  update: string | undefined
  installed: string | undefined
  dark: boolean
  online: boolean
  /** False if an update does not have the signature of the running app. */
  signed: boolean
  onBattery: boolean
  idleSeconds: number
}

export interface ContentsPart extends EventEmitter {
  readonly id: number
  readonly ipc: EventEmitter & { readonly handlers: ReadonlyMap<string, IpcHandler> }
  readonly mainFrame: object
  send(channel: string, ...args: unknown[]): void
  reload(): void
  reloadIgnoringCache(): void
  toggleDevTools(): void
  getZoomLevel(): number
  setZoomLevel(level: number): void
}

export type IpcHandler = (event: object, ...args: unknown[]) => unknown

export interface WindowPart extends EventEmitter {
  readonly webContents: ContentsPart
  readonly minimizable: boolean
  close(): void
  destroy(): void
  isDestroyed(): boolean
  isVisible(): boolean
  isFocused(): boolean
  isFullScreen(): boolean
  setFullScreen(flag: boolean): void
  focus(): void
  blur(): void
  minimize(): void
  getTitle(): string
  setMenu(menu: MenuPart | null): void
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
  hide(): void
  unhide(): void
  showAboutPanel(): void
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
  readonly contents: ContentsPart[]
  focused: WindowPart | undefined
  hidden: boolean
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
