import { app, dialog, type BrowserWindow } from 'electron'
import type { SettingsStore } from '#platform'
import type { Quitting } from './quitting.ts'
import { systemTexts } from './system-texts.ts'

export function handleWindowClose(
  window: BrowserWindow,
  settings: SettingsStore,
  quitting: Pick<Quitting, 'isQuitting'>,
): void {
  window.on('close', (event) => {
    // On macOS closing a window does not quit the app.
    if (quitting.isQuitting || process.platform === 'darwin') return
    const { closeTo } = settings.config.desktop
    if (closeTo === 'quit') return
    event.preventDefault()
    if (closeTo === 'tray') return window.hide()
    void askCloseAction(window).then(async (choice) => {
      // The app quit while the dialog was open.
      if (window.isDestroyed()) return
      // If saving fails, the choice applies once and the dialog appears again.
      await settings.set([['desktop', 'closeTo'], choice]).catch(() => undefined)
      if (choice === 'tray') window.hide()
      else app.quit()
    })
  })
}

async function askCloseAction(window: BrowserWindow): Promise<'tray' | 'quit'> {
  const texts = systemTexts()
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: texts.closeQuestion,
    detail: texts.closeDetail,
    buttons: [texts.stayInTray, texts.quit],
    defaultId: 0,
    noLink: true,
  })
  return response === 1 ? 'quit' : 'tray'
}
