import { Menu, type ContextMenuParams, type MenuItemConstructorOptions, type WebContents } from 'electron'
import { systemTexts } from './system-texts.ts'

const maxSuggestions = 5

export function installContextMenu(contents: WebContents): void {
  contents.on('context-menu', (_event, params) => {
    const items = itemsFor(contents, params)
    if (items.length > 0) Menu.buildFromTemplate(items).popup()
  })
}

function itemsFor(contents: WebContents, params: ContextMenuParams): MenuItemConstructorOptions[] {
  const { misspelledWord, dictionarySuggestions, isEditable, selectionText, editFlags } = params
  const texts = systemTexts()
  const spelling: MenuItemConstructorOptions[] =
    misspelledWord === ''
      ? []
      : [
          ...dictionarySuggestions
            .slice(0, maxSuggestions)
            .map((label) => ({ label, click: () => contents.replaceMisspelling(label) })),
          {
            label: texts.addToDictionary,
            click: () => void contents.session.addWordToSpellCheckerDictionary(misspelledWord),
          },
          { type: 'separator' },
        ]
  if (isEditable)
    return [
      ...spelling,
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
