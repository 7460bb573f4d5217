import { app, type ContextMenuParams, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron'
import { type hostTexts } from '#shared/i18n/host-texts.ts'
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
  const menus: MenuItemConstructorOptions[] = [
    {
      ...roleItem('fileMenu'),
      submenu: [
        viewItem(t('desktop.newChat'), 'N', '/'),
        separator,
        ...(isMac ? [] : [settingsItem, separator]),
        roleItem(isMac ? 'close' : 'quit'),
      ],
    },
    { ...roleItem('editMenu'), submenu: editItems() },
    {
      ...roleItem('viewMenu'),
      submenu: [
        viewItem(t('desktop.search'), 'Shift+F', '/search'),
        viewItem(t('desktop.context'), '4', '/inspect/sent'),
        separator,
        ...(['resetZoom', 'zoomIn', 'zoomOut'] as const).map((role) => roleItem(role)),
        separator,
        roleItem('togglefullscreen'),
        ...(app.isPackaged ? [] : [separator, { role: 'reload' as const }, { role: 'toggleDevTools' as const }]),
      ],
    },
    {
      ...roleItem('windowMenu'),
      submenu: [
        roleItem('minimize'),
        ...(isMac ? [roleItem('zoom'), separator, roleItem('front')] : [roleItem('close')]),
      ],
    },
  ]
  const appMenu: MenuItemConstructorOptions = {
    role: 'appMenu',
    submenu: [
      roleItem('about'),
      separator,
      settingsItem,
      separator,
      ...(['hide', 'hideOthers', 'unhide'] as const).map((role) => roleItem(role)),
      separator,
      roleItem('quit'),
    ],
  }
  Menu.setApplicationMenu(Menu.buildFromTemplate(isMac ? [appMenu, ...menus] : menus))
}

const separator = { type: 'separator' } as const

/** Electron's own labels are in English. */
function roleItem(role: keyof (typeof hostTexts)['en']['menu'], isEnabled = true): MenuItemConstructorOptions {
  return { role, label: t(`menu.${role}`), enabled: isEnabled }
}

/** @param flags undefined: Electron decides what is enabled */
function editItems(flags?: ContextMenuParams['editFlags']): MenuItemConstructorOptions[] {
  return [
    roleItem('undo', flags?.canUndo),
    roleItem('redo', flags?.canRedo),
    separator,
    roleItem('cut', flags?.canCut),
    roleItem('copy', flags?.canCopy),
    roleItem('paste', flags?.canPaste),
    roleItem('selectAll'),
  ]
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
    separator,
  ]
  if (isEditable) return [...(misspelledWord === '' ? [] : spelling), ...editItems(editFlags)]
  return selectionText.trim() === '' ? [] : [roleItem('copy'), roleItem('selectAll')]
}
