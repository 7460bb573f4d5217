/** Menu and MenuItem. Source: docs/api/menu.md, docs/api/menu-item.md and docs/tutorial/menus.md. */
import type { Host, ItemPart, MenuPart, WindowPart } from './host.ts'

interface ItemOptions {
  label?: string
  role?: string
  type?: string
  id?: string
  accelerator?: string
  enabled?: boolean
  visible?: boolean
  checked?: boolean
  registerAccelerator?: boolean
  submenu?: readonly ItemOptions[]
  click?: (item: Item, window: WindowPart | undefined, event: object) => void
}

/** Roles whose items a test clicks. Source: docs/tutorial/menus.md, "Roles". */
const actions: Record<string, (instance: Host, window: WindowPart | undefined) => void> = {
  quit: (instance) => instance.app.quit(),
  close: (_, window) => window?.close(),
}

export class Item implements ItemPart {
  label: string
  readonly role: string | undefined
  readonly accelerator: string | null
  readonly submenu: Menu | undefined
  readonly enabled: boolean
  readonly visible: boolean
  readonly registerAccelerator: boolean
  readonly id: string | undefined
  checked: boolean
  readonly click: ItemPart['click']

  constructor(instance: Host, options: ItemOptions) {
    const role = options.role?.toLowerCase()
    const quit = instance.platform === 'win32' ? 'Exit' : 'Quit'
    this.role = role
    this.label = options.label ?? (role === 'quit' ? quit : '')
    this.accelerator = options.accelerator ?? null
    this.submenu = options.submenu && new Menu(instance, options.submenu)
    this.enabled = options.enabled ?? true
    this.visible = options.visible ?? true
    this.registerAccelerator = options.registerAccelerator ?? true
    this.id = options.id
    this.checked = options.checked ?? false
    this.click = (event = {}, window) => {
      if (options.type === 'checkbox') this.checked = !this.checked
      // "when specified the `click` property will be ignored" (role).
      if (role === undefined) options.click?.(this, window, event)
      else actions[role]?.(instance, window)
    }
  }
}

export class Menu implements MenuPart {
  readonly items: readonly Item[]

  constructor(instance: Host, template: readonly ItemOptions[]) {
    this.items = template.map((options) => new Item(instance, options))
  }

  getMenuItemById(id: string): Item | null {
    return this.allItems().find((item) => item.id === id) ?? null
  }

  popup(): void {}

  allItems(): Item[] {
    return this.items.flatMap((item) => [item, ...(item.submenu?.allItems() ?? [])])
  }
}

export function menuClass(instance: Host) {
  return {
    buildFromTemplate: (template: readonly ItemOptions[]): Menu => new Menu(instance, template),
    setApplicationMenu: (menu: Menu | null): void => void (instance.app.applicationMenu = menu),
    getApplicationMenu: (): Menu | null => instance.app.applicationMenu as Menu | null,
  }
}
