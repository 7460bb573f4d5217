import { dialog, type BrowserWindow } from 'electron'
import type { Log } from '#platform'
import { systemTexts } from './system-texts.ts'

/** A page that crashes twice within this time (ms) is reloaded only on request. */
const againMs = 10_000

export function recoverFromCrashes(window: BrowserWindow, log: Log): void {
  let diedAt = -Infinity
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    const reference = log.fault(new Error(`the page ended: ${reason} (${exitCode})`), 'renderer')
    const isAgain = performance.now() - diedAt < againMs
    diedAt = performance.now()
    const say = systemTexts()
    if (!isAgain) window.webContents.reload()
    void ask(
      window,
      isAgain ? say.pageDiedAgain(reference) : say.pageDied(reference),
      isAgain ? [say.reload] : ['OK'],
    ).then(() => isAgain && window.webContents.reload())
  })
  window.on('unresponsive', () => {
    log.warn({}, 'the page does not answer')
    const say = systemTexts()
    void ask(window, say.pageHangs, [say.wait, say.reload]).then((choice) => {
      if (choice === 1) window.webContents.forcefullyCrashRenderer()
      if (choice === 1) window.webContents.reload()
    })
  })
}

async function ask(window: BrowserWindow, message: string, buttons: string[]): Promise<number> {
  const { response } = await dialog.showMessageBox(window, { type: 'warning', message, buttons, noLink: true })
  return response
}
