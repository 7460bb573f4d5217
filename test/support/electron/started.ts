/** An app that notes its life cycle, started and at rest. */
import { Computer } from './computer.ts'
import type { Platform } from './host.ts'
import type { Main } from './instance.ts'
import { User } from './user.ts'

/** Notes the life cycle of the app and opens one window. */
export function noting(notes: string[], before?: Main): Main {
  return (electron, instance) => {
    const { app, BrowserWindow, powerMonitor } = electron
    for (const name of ['before-quit', 'will-quit', 'window-all-closed'])
      app.on(name, () => {
        notes.push(name)
      })
    app.on('activate', (_event, visible) => notes.push(`activate ${visible}`))
    app.on('quit', (_event, code) => notes.push(`quit ${code}`))
    for (const name of ['suspend', 'resume']) powerMonitor.on(name, () => notes.push(name))
    void app.whenReady().then(() => {
      notes.push('ready')
      const window = new BrowserWindow()
      window.on('close', () => notes.push('close'))
      window.on('closed', () => notes.push('closed'))
    })
    return before?.(electron, instance)
  }
}

export async function started(platform: Platform, notes: string[] = [], before?: Main) {
  const computer = new Computer({ platform })
  const instance = computer.start(noting(notes, before))
  await computer.settled()
  notes.length = 0
  const [window] = instance.windows
  if (window === undefined) throw new Error('the app opened no window')
  return { computer, instance, user: new User(computer), window }
}
