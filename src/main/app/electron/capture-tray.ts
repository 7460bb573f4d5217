import { Menu, nativeImage, Tray, type MenuItemConstructorOptions } from 'electron'
import { fileURLToPath } from 'node:url'
import { systemTexts } from './system-texts.ts'

const maxRecentNotes = 5

export interface TrayOptions {
  readonly icons: URL
  readonly onCapture: () => void
  readonly onOpen: () => void
  readonly isPaused: () => boolean
  readonly onPause: (isPaused: boolean) => void
}

export class CaptureTray {
  readonly #options: TrayOptions
  readonly #tray: Tray
  #recentNotes: readonly string[] = []

  constructor(options: TrayOptions) {
    this.#options = options
    const name = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
    this.#tray = new Tray(nativeImage.createFromPath(fileURLToPath(new URL(name, options.icons))))
    this.#tray.setToolTip('Commonplace')
    this.#tray.on('click', options.onOpen)
    this.refresh()
  }

  add(note: string): void {
    this.#recentNotes = [note, ...this.#recentNotes].slice(0, maxRecentNotes)
    this.refresh()
  }

  refresh(): void {
    const { onCapture, onOpen, isPaused, onPause } = this.#options
    const texts = systemTexts()
    const noteItems: MenuItemConstructorOptions[] = this.#recentNotes.map((label) => ({ label, enabled: false }))
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: texts.capture, click: onCapture },
        { label: texts.open, click: onOpen },
        { type: 'separator' },
        ...noteItems,
        ...(noteItems.length > 0 ? [{ type: 'separator' as const }] : []),
        { label: texts.pause, type: 'checkbox', checked: isPaused(), click: ({ checked }) => onPause(checked) },
        { label: texts.quit, role: 'quit' },
      ]),
    )
  }

  close(): void {
    this.#tray.destroy()
  }
}
