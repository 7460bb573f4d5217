/** The native menu: what every app has. The app's own commands live in its palette, with their keys. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron'

export function installMenu(): void {
  const isMac = process.platform === 'darwin'
  const view: MenuItemConstructorOptions = {
    role: 'viewMenu',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      ...devItems(),
    ],
  }
  const items: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' as const }] : []),
    { role: 'fileMenu' },
    { role: 'editMenu' },
    view,
    { role: 'windowMenu' },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(items))
}

/** Developer tools and reloading are for development. */
function devItems(): MenuItemConstructorOptions[] {
  return app.isPackaged ? [] : [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }]
}
