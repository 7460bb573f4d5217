import { app, type ContextMenuParams, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron'
import { t } from '../texts.ts'

/** @param onNavigate receives the path of a view, such as `/settings` */
export function installMenu(onNavigate: (path: string) => void): void {
  const isMac = process.platform === 'darwin'
  // The page handles these keys; the menu only displays them.
  const viewItem = (label: string, keys: string, path: string): MenuItemConstructorOptions => ({
    label,
    accelerator: `CommandOrControl+${keys}`,
    registerAccelerator: false,
    click: () => onNavigate(path),
  })
  const settingsItem = viewItem(t('desktop.settings'), ',', '/settings')
  const fileMenu: MenuItemConstructorOptions = {
    role: 'fileMenu',
    submenu: [
      viewItem(t('desktop.newChat'), 'N', '/'),
      { type: 'separator' },
      ...(isMac ? [] : [settingsItem, { type: 'separator' as const }]),
      { role: isMac ? 'close' : 'quit' },
    ],
  }
  const viewMenu: MenuItemConstructorOptions = {
    role: 'viewMenu',
    submenu: [
      viewItem(t('desktop.search'), 'Shift+F', '/search'),
      viewItem(t('desktop.context'), '4', '/inspect/sent'),
      { type: 'separator' },
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      ...(app.isPackaged ? [] : ([{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }] as const)),
    ],
  }
  const appMenu: MenuItemConstructorOptions = {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      { type: 'separator' },
      settingsItem,
      { type: 'separator' },
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      { type: 'separator' },
      { role: 'quit' },
    ],
  }
  const menus: MenuItemConstructorOptions[] = [fileMenu, { role: 'editMenu' }, viewMenu, { role: 'windowMenu' }]
  Menu.setApplicationMenu(Menu.buildFromTemplate(isMac ? [appMenu, ...menus] : menus))
}

const maxSuggestions = 5

export function installContextMenu(contents: WebContents): void {
  contents.on('context-menu', (_event, params) => {
    const items = itemsFor(contents, params)
    if (items.length > 0) Menu.buildFromTemplate(items).popup()
  })
}

function itemsFor(contents: WebContents, params: ContextMenuParams): MenuItemConstructorOptions[] {
  const { misspelledWord, dictionarySuggestions, isEditable, selectionText, editFlags } = params
  const addToDictionary = () => void contents.session.addWordToSpellCheckerDictionary(misspelledWord)
  const spelling: MenuItemConstructorOptions[] = [
    ...dictionarySuggestions
      .slice(0, maxSuggestions)
      .map((label) => ({ label, click: () => contents.replaceMisspelling(label) })),
    { label: t('desktop.addToDictionary'), click: addToDictionary },
    { type: 'separator' },
  ]
  if (isEditable)
    return [
      ...(misspelledWord === '' ? [] : spelling),
      { role: 'undo', enabled: editFlags.canUndo },
      { role: 'redo', enabled: editFlags.canRedo },
      { type: 'separator' },
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { role: 'selectAll' },
    ]
  return selectionText.trim() === '' ? [] : [{ role: 'copy' }, { role: 'selectAll' }]
}
