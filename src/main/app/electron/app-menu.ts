import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import { systemTexts } from './system-texts.ts'

/** @param onNavigate gets the path of a view, such as `/settings` */
export function installMenu(onNavigate: (place: string) => void): void {
  const isMac = process.platform === 'darwin'
  const texts = systemTexts()
  // The page handles these keys; the menu only displays them.
  const viewItem = (label: string, keys: string, place: string): MenuItemConstructorOptions => ({
    label,
    accelerator: `CommandOrControl+${keys}`,
    registerAccelerator: false,
    click: () => onNavigate(place),
  })
  const settings = viewItem(texts.settings, ',', '/settings')
  const file: MenuItemConstructorOptions = {
    role: 'fileMenu',
    submenu: [
      viewItem(texts.newChat, 'N', '/'),
      { type: 'separator' },
      ...(isMac ? [] : [settings, { type: 'separator' as const }]),
      { role: isMac ? 'close' : 'quit' },
    ],
  }
  const view: MenuItemConstructorOptions = {
    role: 'viewMenu',
    submenu: [
      viewItem(texts.search, 'Shift+F', '/search'),
      viewItem(texts.context, '4', '/context'),
      { type: 'separator' },
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      ...devItems(),
    ],
  }
  const mac: MenuItemConstructorOptions = {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      { type: 'separator' },
      settings,
      { type: 'separator' },
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      { type: 'separator' },
      { role: 'quit' },
    ],
  }
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([...(isMac ? [mac] : []), file, { role: 'editMenu' }, view, { role: 'windowMenu' }]),
  )
}

function devItems(): MenuItemConstructorOptions[] {
  return app.isPackaged ? [] : [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }]
}
