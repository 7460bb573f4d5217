/** What closing the window does: the app goes on in the tray, or ends. It is asked once (M46). */
import { app, dialog, type BrowserWindow } from 'electron'
import type { SettingsStore } from '#platform'
import { systemWords } from './system-words.ts'

export function decideOnClose(window: BrowserWindow, settings: SettingsStore): void {
  let isQuitting = false
  app.once('before-quit', () => {
    isQuitting = true
  })
  window.on('close', (event) => {
    // On a Mac closing a window never ends the app.
    if (isQuitting || process.platform === 'darwin') return
    const { closeTo } = settings.config.desktop
    if (closeTo === 'quit') return
    event.preventDefault()
    if (closeTo === 'tray') return window.hide()
    void ask(window).then(async (choice) => {
      await settings.set([['desktop', 'closeTo'], choice])
      if (choice === 'tray') window.hide()
      else app.quit()
    })
  })
}

async function ask(window: BrowserWindow): Promise<'tray' | 'quit'> {
  const say = systemWords()
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: say.closeQuestion,
    detail: say.closeDetail,
    buttons: [say.stayInTray, say.quit],
    defaultId: 0,
    noLink: true,
  })
  return response === 1 ? 'quit' : 'tray'
}
