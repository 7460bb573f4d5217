/** Tray. Source: docs/api/tray.md and spec/api-tray-spec.ts. */
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { Image } from './image.ts'
import type { Host } from './host.ts'
import type { Item, Menu } from './menu.ts'

export class Tray extends EventEmitter {
  image: Image
  toolTip = ''
  readonly #instance: Host
  #menu: Menu | null = null
  /** Items of the menu on Linux, as they were when the app set the menu. */
  #shown: { label: string; checked: boolean; enabled: boolean; item: Item }[] = []
  #destroyed = false

  constructor(instance: Host, image: Image | string) {
    super()
    // The examples of the page create a tray after whenReady() only.
    instance.needReady('Cannot create Tray before app is ready')
    this.#instance = instance
    this.image = load(image)
    instance.electron.trays.push(this)
  }

  setToolTip(toolTip: string): void {
    this.toolTip = toolTip
  }

  setContextMenu(menu: Menu | null): void {
    this.#menu = menu
    const items = menu?.allItems() ?? []
    this.#shown = items.map((item) => ({ label: item.label, checked: item.checked, enabled: item.enabled, item }))
  }

  /**
   * Visible items of the menu. On Linux "In order for changes made to individual MenuItems to take effect,
   * you have to call setContextMenu again."
   */
  shownItems(): readonly { label: string; checked: boolean; enabled: boolean; item: Item }[] {
    if (this.#instance.platform !== 'linux') this.setContextMenu(this.#menu)
    return this.#shown.filter(({ item }) => item.visible)
  }

  getBounds(): { x: number; y: number; width: number; height: number } {
    return { x: 0, y: 0, width: 16, height: 16 }
  }

  /** A second call does nothing. Source: the `afterEach` of spec/api-tray-spec.ts. */
  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    const { trays } = this.#instance.electron
    trays.splice(trays.indexOf(this), 1)
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }
}

/** Source: spec/api-tray-spec.ts, "throws a descriptive error for a missing file". */
function load(image: Image | string): Image {
  if (typeof image !== 'string') return image
  if (!existsSync(image)) throw new Error(`Failed to load image from path '${image}'`)
  return new Image(image)
}

export function trayClass(instance: Host) {
  return class extends Tray {
    constructor(image: Image | string) {
      super(instance, image)
    }
  }
}
