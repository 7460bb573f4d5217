import { app, Notification, powerMonitor, safeStorage } from 'electron'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { type KeyVault, readOrSetAside, writeDurably } from '#platform'
import type { AppEvent } from '#shared/contract/index.ts'
import { systemTexts } from './system-texts.ts'

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
    const texts = systemTexts()
    const notification = new Notification({
      title: 'Commonplace',
      body: reason === 'done' ? texts.answerReady : texts.answerFailed,
    })
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
  return {
    strength: isEncryptionWeak() ? 'weak' : 'keychain',
    async load() {
      const keys: Record<string, string> = {}
      let damagedFile: string | undefined
      const stored = await readOrSetAside(
        file,
        (text) => fileSchema.safeParse(parseJson(text)).data,
        (newPath) => (damagedFile = newPath),
      )
      if (damagedFile !== undefined)
        throw new Error(`the stored keys could not be read; they were moved to ${damagedFile}`)
      for (const [name, encrypted] of Object.entries(stored ?? {}))
        keys[name] = safeStorage.decryptString(Buffer.from(encrypted, 'base64'))
      return keys
    },
    async save(keys) {
      const encrypted = Object.entries(keys).map(([name, key]) => [
        name,
        safeStorage.encryptString(key).toString('base64'),
      ])
      await writeDurably(file, `${JSON.stringify(Object.fromEntries(encrypted), null, 2)}\n`)
    },
  }
}

/** Without a keyring on Linux, Chromium encrypts with a publicly known password. */
function isEncryptionWeak(): boolean {
  return process.platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())
}
