/** Menu and MenuItem. Source: docs/api/menu.md, docs/api/menu-item.md and docs/tutorial/menus.md. */
import { EventEmitter } from 'node:events'
import type { ContentsPart, Host, ItemPart, MenuPart, Platform, WindowPart } from './host.ts'

export interface ItemOptions {
  label?: string
  role?: string
  type?: string
  id?: string
  accelerator?: string | undefined
  enabled?: boolean
  visible?: boolean
  checked?: boolean
  registerAccelerator?: boolean
  submenu?: ItemOptions[] | Menu
  click?: (item: Item, window: WindowPart | undefined, event: object) => void
  [name: string]: unknown
}

interface Role {
  label: string
  accelerator?: string | undefined
  submenu?: ItemOptions[]
  run?: (instance: Host, window: WindowPart | undefined, contents: ContentsPart | undefined) => void
}

/**
 * Labels and submenus: docs/tutorial/menus.md, "Roles".
 * Accelerators: spec/api-menu-item-spec.ts, "should have a default accelerator for certain roles".
 */
function roleOf(name: string, platform: Platform): Role | undefined {
  const mac = platform === 'darwin'
  const windows = platform === 'win32'
  const edit = { label: '', run: () => {} }
  const roles: Record<string, Role> = {
    quit: {
      label: windows ? 'Exit' : 'Quit',
      accelerator: windows ? undefined : 'CommandOrControl+Q',
      run: (instance) => instance.app.quit(),
    },
    close: {
      label: mac ? 'Close Window' : 'Close',
      accelerator: 'CommandOrControl+W',
      run: (_, window) => window?.close(),
    },
    minimize: {
      label: 'Minimize',
      accelerator: 'CommandOrControl+M',
      run: (_, window) => (window?.minimizable === true ? window.minimize() : undefined),
    },
    hide: { label: 'Hide', accelerator: 'Command+H', run: (instance) => instance.app.hide() },
    hideothers: { label: 'Hide Others', accelerator: 'Command+Alt+H' },
    unhide: { label: 'Show All', run: (instance) => instance.app.unhide() },
    about: { label: 'About', run: (instance) => instance.app.showAboutPanel() },
    reload: { label: 'Reload', accelerator: 'CmdOrCtrl+R', run: (_, __, contents) => contents?.reload() },
    forcereload: {
      label: 'Force Reload',
      accelerator: 'Shift+CmdOrCtrl+R',
      run: (_, __, contents) => contents?.reloadIgnoringCache(),
    },
    toggledevtools: {
      label: 'Toggle Developer Tools',
      accelerator: mac ? 'Alt+Command+I' : 'Ctrl+Shift+I',
      run: (_, __, contents) => contents?.toggleDevTools(),
    },
    togglefullscreen: {
      label: 'Toggle Full Screen',
      accelerator: mac ? 'Control+Command+F' : 'F11',
      run: (_, window) => window?.setFullScreen(!window.isFullScreen()),
    },
    resetzoom: { label: 'Actual Size', accelerator: 'CommandOrControl+0', run: (_, __, c) => c?.setZoomLevel(0) },
    zoomin: {
      label: 'Zoom In',
      accelerator: 'CommandOrControl+Plus',
      run: (_, __, c) => c?.setZoomLevel(c.getZoomLevel() + 0.5),
    },
    zoomout: {
      label: 'Zoom Out',
      accelerator: 'CommandOrControl+-',
      run: (_, __, c) => c?.setZoomLevel(c.getZoomLevel() - 0.5),
    },
    undo: { ...edit, label: 'Undo', accelerator: 'CommandOrControl+Z' },
    redo: { ...edit, label: 'Redo', accelerator: windows ? 'Control+Y' : 'Shift+CommandOrControl+Z' },
    cut: { ...edit, label: 'Cut', accelerator: 'CommandOrControl+X' },
    copy: { ...edit, label: 'Copy', accelerator: 'CommandOrControl+C' },
    paste: { ...edit, label: 'Paste', accelerator: 'CommandOrControl+V' },
    pasteandmatchstyle: { ...edit, label: 'Paste and Match Style' },
    delete: { ...edit, label: 'Delete' },
    selectall: { ...edit, label: 'Select All', accelerator: 'CommandOrControl+A' },
    togglespellchecker: { ...edit, label: 'Check Spelling While Typing' },
    startspeaking: { ...edit, label: 'Start Speaking' },
    stopspeaking: { ...edit, label: 'Stop Speaking' },
    services: { label: 'Services' },
    front: { label: 'Bring All to Front' },
    zoom: { label: 'Zoom' },
    window: { label: 'Window' },
    help: { label: 'Help' },
    appmenu: {
      label: 'Commonplace',
      submenu: ['about', 'services', 'hide', 'hideOthers', 'unhide', 'quit'].map(withRole),
    },
    filemenu: { label: 'File', submenu: [mac ? 'close' : 'quit'].map(withRole) },
    editmenu: { label: 'Edit', submenu: ['undo', 'redo', 'cut', 'copy', 'paste', 'delete', 'selectAll'].map(withRole) },
    viewmenu: {
      label: 'View',
      submenu: [
        ...['reload', 'forceReload', 'toggleDevTools', 'resetZoom', 'zoomIn', 'zoomOut'].map(withRole),
        withRole('togglefullscreen'),
      ],
    },
    windowmenu: { label: 'Window', submenu: ['minimize', 'zoom', mac ? 'front' : 'close'].map(withRole) },
  }
  return roles[name]
}

function withRole(role: string): ItemOptions {
  return { role }
}

export class Item implements ItemPart {
  label: string
  readonly role: string | undefined
  readonly type: string
  readonly accelerator: string | null
  readonly submenu: Menu | undefined
  enabled: boolean
  visible: boolean
  registerAccelerator: boolean
  id: string | undefined
  menu: Menu | undefined
  readonly click: (event?: object, window?: WindowPart, contents?: ContentsPart) => void
  #checked: boolean

  constructor(instance: Host, options: ItemOptions) {
    const { platform } = instance
    this.role = options.role?.toLowerCase()
    const role = this.role === undefined ? undefined : roleOf(this.role, platform)
    const submenu = options.submenu ?? role?.submenu
    this.submenu = submenu === undefined || submenu instanceof Menu ? submenu : build(instance, submenu)
    this.type = options.type ?? (this.submenu === undefined ? 'normal' : 'submenu')
    if (!['normal', 'separator', 'submenu', 'checkbox', 'radio', 'header', 'palette'].includes(this.type))
      throw new Error(`Unknown menu item type: ${this.type}`)
    this.label = options.label ?? role?.label ?? ''
    this.accelerator = options.accelerator ?? role?.accelerator ?? null
    this.enabled = options.enabled ?? true
    this.visible = options.visible ?? true
    this.registerAccelerator = options.registerAccelerator ?? true
    this.id = options.id
    this.#checked = options.checked ?? false
    this.click = (event = {}, window, contents) => {
      if (this.type === 'checkbox') this.#checked = !this.#checked
      if (this.type === 'radio') this.checked = true
      // "when specified the `click` property will be ignored" (role).
      if (role?.run !== undefined) role.run(instance, window, contents)
      else options.click?.(this, window, event)
    }
  }

  get checked(): boolean {
    return this.#checked
  }

  /** "will turn off that property for all adjacent items in the same menu." */
  set checked(checked: boolean) {
    const items = this.menu?.items ?? []
    const at = items.indexOf(this)
    if (this.type === 'radio' && checked && at >= 0)
      for (const step of [1, -1])
        for (let near = at + step, item = items[near]; item?.type === 'radio'; near += step, item = items[near])
          item.#checked = false
    this.#checked = checked
  }
}

export class Menu extends EventEmitter implements MenuPart {
  readonly items: Item[] = []

  append(item: Item): void {
    this.insert(this.items.length, item)
  }

  insert(at: number, item: Item): void {
    if (at < 0 || at > this.items.length) throw new RangeError(`Position ${at} is out of range`)
    item.menu = this
    this.items.splice(at, 0, item)
  }

  getMenuItemById(id: string): Item | null {
    return this.allItems().find((item) => item.id === id) ?? null
  }

  /** Source: spec/api-menu-spec.ts, "should emit menu-will-show event" and "menu-will-close". */
  popup(options: { callback?: () => void } = {}): void {
    this.emit('menu-will-show')
    this.#closed = options.callback
  }

  closePopup(): void {
    this.emit('menu-will-close')
    this.#closed?.()
    this.#closed = undefined
  }

  allItems(): Item[] {
    return this.items.flatMap((item) => [item, ...(item.submenu?.allItems() ?? [])])
  }

  #closed: (() => void) | undefined
}

/** Source: spec/api-menu-spec.ts, "does throw exception for object without role, label, or type attribute". */
function build(instance: Host, template: readonly (ItemOptions | Item)[]): Menu {
  if (!Array.isArray(template)) throw new TypeError('Invalid template for Menu: Menu template must be an array')
  const menu = new Menu()
  for (const options of template) {
    if (options instanceof Item) {
      menu.append(options)
      continue
    }
    if (
      options === null ||
      typeof options !== 'object' ||
      !('label' in options || 'role' in options || 'type' in options)
    )
      throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type')
    menu.append(new Item(instance, options))
  }
  return menu
}

export function menuClasses(instance: Host) {
  /** "The default menu will be created automatically if the app does not set one." */
  const defaultRoles = [
    ...(instance.platform === 'darwin' ? ['appMenu'] : []),
    'fileMenu',
    'editMenu',
    'viewMenu',
    'windowMenu',
  ]
  instance.app.once('will-finish-launching', () => {
    if (!set) BoundMenu.setApplicationMenu(build(instance, defaultRoles.map(withRole)))
  })
  let set = false
  class BoundMenu extends Menu {
    static buildFromTemplate(template: readonly (ItemOptions | Item)[]): Menu {
      return build(instance, template)
    }

    /** "On Windows and Linux, the `menu` will be set as each window's top menu." */
    static setApplicationMenu(menu: Menu | null): void {
      set = true
      instance.app.applicationMenu = menu
      if (instance.platform !== 'darwin') for (const window of instance.windows) window.setMenu(menu)
    }

    static getApplicationMenu(): Menu | null {
      return instance.app.applicationMenu as Menu | null
    }

    static sendActionToFirstResponder(): void {}
  }
  class BoundItem extends Item {
    constructor(options: ItemOptions) {
      super(instance, options)
    }
  }
  return { Menu: BoundMenu, MenuItem: BoundItem }
}
