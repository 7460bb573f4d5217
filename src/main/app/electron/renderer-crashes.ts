import { dialog, type BrowserWindow } from 'electron'
import type { Log } from '#platform'
import { systemTexts } from './system-texts.ts'

/** A page that crashes twice within this time (ms) is reloaded only on request. */
const repeatWindowMs = 10_000

export function recoverFromCrashes(window: BrowserWindow, log: Log): void {
  let crashedAt = -Infinity
  let isReplacing = false
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || isReplacing) {
      isReplacing = false
      return
    }
    const reference = log.fault(new Error(`the page ended: ${reason} (${exitCode})`), 'renderer')
    const isRepeated = performance.now() - crashedAt < repeatWindowMs
    crashedAt = performance.now()
    const texts = systemTexts()
    if (!isRepeated) window.webContents.reload()
    void showDialog(
      window,
      isRepeated ? texts.pageCrashedAgain(reference) : texts.pageCrashed(reference),
      isRepeated ? [texts.reload] : ['OK'],
    ).then(() => isRepeated && !window.isDestroyed() && window.webContents.reload())
  })
  window.on('unresponsive', () => {
    log.warn({}, 'the page does not respond')
    const texts = systemTexts()
    void showDialog(window, texts.pageHangs, [texts.wait, texts.reload]).then((choice) => {
      if (choice !== 1 || window.isDestroyed()) return
      isReplacing = true
      window.webContents.forcefullyCrashRenderer()
      window.webContents.reload()
    })
  })
}

async function showDialog(window: BrowserWindow, message: string, buttons: string[]): Promise<number> {
  const { response } = await dialog.showMessageBox(window, { type: 'warning', message, buttons, noLink: true })
  return response
}
