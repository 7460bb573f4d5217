import { app } from 'electron'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { writeDurably } from '#platform'

/** The app then stays in the tray. */
export function isLaunchedAtLogin(): boolean {
  return (
    process.argv.includes('--hidden') || (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin)
  )
}

/** Turns launch at login on or off; on Linux by an autostart file (freedesktop.org, "Desktop Application Autostart"). */
export async function setLaunchAtLogin(
  isEnabled: boolean,
  autostartFolder: string = join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'autostart'),
): Promise<void> {
  if (process.platform !== 'linux') return app.setLoginItemSettings({ openAtLogin: isEnabled, args: ['--hidden'] })
  const file = join(autostartFolder, 'commonplace.desktop')
  if (!isEnabled) return rm(file, { force: true })
  const command = process.env['APPIMAGE'] ?? process.execPath
  await writeDurably(
    file,
    [
      '[Desktop Entry]',
      'Type=Application',
      'Name=Commonplace',
      `Exec="${command}" --hidden`,
      'X-GNOME-Autostart-enabled=true',
      '',
    ].join('\n'),
  )
}
