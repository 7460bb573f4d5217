import { app } from 'electron'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { writeDurably } from '#platform'

/** Electron has no such call for Linux; source: freedesktop.org, "Desktop Application Autostart". */
export async function setLaunchAtLogin(
  isWanted: boolean,
  autostart: string = join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'autostart'),
): Promise<void> {
  if (process.platform !== 'linux') return app.setLoginItemSettings({ openAtLogin: isWanted })
  const file = join(autostart, 'commonplace.desktop')
  if (!isWanted) return rm(file, { force: true })
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
