import { app, Notification, powerMonitor, safeStorage } from 'electron'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type KeyVault, parseStored, readOrSetAside, writeDurably } from '#platform'
import type { AppEvent } from '#shared/contract/index.ts'
import { t } from '../texts.ts'

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
  const entry = `[Desktop Entry]
Type=Application
Name=Commonplace
Exec="${command}" --hidden
X-GNOME-Autostart-enabled=true
`
  await writeDurably(file, entry)
}

/** Minimum duration of a turn that causes a notification, ms; during a shorter one the user waits. */
const minNotifiedTurnMs = 15_000

interface UnreadOptions {
  readonly isWindowFocused: () => boolean
  readonly mayNotify: () => boolean
  readonly onOpen: (session: string) => void
}

export class UnreadBadge {
  readonly #options: UnreadOptions
  readonly #sessions = new Set<string>()

  constructor(options: UnreadOptions) {
    this.#options = options
  }

  addTurn({ session, reason, ms }: Extract<AppEvent, { type: 'turnEnded' }>): void {
    const { isWindowFocused, mayNotify, onOpen } = this.#options
    if (reason === 'aborted' || isWindowFocused()) return
    this.#sessions.add(session)
    app.setBadgeCount(this.#sessions.size)
    if (ms < minNotifiedTurnMs || !mayNotify()) return
    const body = t(reason === 'done' ? 'desktop.answerReady' : 'desktop.answerFailed')
    const notification = new Notification({ title: 'Commonplace', body })
    notification.on('click', () => onOpen(session))
    notification.show()
  }

  clear(): void {
    this.#sessions.clear()
    app.setBadgeCount(this.#sessions.size)
  }
}

/** Calls `onChange` if the power source changes, and at once on battery. @returns a function that unsubscribes */
export function followPower(onChange: (isSaving: boolean) => void): () => void {
  const save = () => onChange(true)
  const resume = () => onChange(false)
  powerMonitor.on('on-battery', save)
  powerMonitor.on('on-ac', resume)
  if (powerMonitor.isOnBatteryPower()) save()
  return () => {
    powerMonitor.off('on-battery', save)
    powerMonitor.off('on-ac', resume)
  }
}

const fileSchema = z.record(z.string(), z.string())

/** Stores keys encrypted in keys.json; `load` rejects if the file is damaged. @returns undefined without encryption */
export function openKeyVault(folder: string): KeyVault | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined
  const file = join(folder, 'keys.json')
  // Without a keyring on Linux, Chromium encrypts with a publicly known password.
  const isWeak =
    process.platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())
  return {
    strength: isWeak ? 'weak' : 'keychain',
    async load() {
      const parse = (text: string) => parseStored(fileSchema, text)
      const stored = await readOrSetAside(file, parse, (newPath) => {
        throw new Error(`the stored keys could not be read; they were moved to ${newPath}`)
      })
      return mapValues(stored ?? {}, (key) => safeStorage.decryptString(Buffer.from(key, 'base64')))
    },
    async save(keys) {
      const encrypted = mapValues(keys, (key) => safeStorage.encryptString(key).toString('base64'))
      await writeDurably(file, `${JSON.stringify(encrypted, null, 2)}\n`)
    },
  }
}

function mapValues(record: Readonly<Record<string, string>>, map: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
