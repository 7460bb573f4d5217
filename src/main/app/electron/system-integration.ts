import { app, Notification, powerMonitor, safeStorage } from 'electron'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type KeyVault, parseStored, readOrSetAside, writeDurably } from '#platform'
import { installedProgram } from '#interop'
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
  const path = installedProgram()
  if (process.platform !== 'linux')
    return app.setLoginItemSettings({ openAtLogin: isEnabled, path, args: ['--hidden'] })
  const file = join(autostartFolder, 'commonplace.desktop')
  if (!isEnabled) return rm(file, { force: true })
  const entry = `[Desktop Entry]
Type=Application
Name=Commonplace
Exec="${path}" --hidden
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

export function unreadBadge({ isWindowFocused, mayNotify, onOpen }: UnreadOptions) {
  const sessions = new Set<string>()
  /** A collected notification loses its click. */
  let notification: Notification | undefined
  return {
    addTurn({ session, reason, ms }: Extract<AppEvent, { type: 'turnEnded' }>): void {
      if (reason === 'aborted' || isWindowFocused()) return
      sessions.add(session)
      app.setBadgeCount(sessions.size)
      if (ms < minNotifiedTurnMs || !mayNotify()) return
      const body = t(reason === 'done' ? 'desktop.answerReady' : 'desktop.answerFailed')
      notification = new Notification({ title: 'Commonplace', body })
      notification.on('click', () => onOpen(session))
      notification.show()
    },
    clear(): void {
      sessions.clear()
      app.setBadgeCount(sessions.size)
    },
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

/** Time after which the app starts although the keychain gives no answer, ms. */
const keychainMs = 1000
/** Time for the password of a keychain, ms. */
const passwordMs = 120_000

const fileSchema = z.record(z.string(), z.string())

/** Stores keys encrypted in keys.json; `load` rejects if the file is damaged. @returns undefined without a keychain */
export async function openKeyVault(folder: string): Promise<KeyVault | undefined> {
  const isAvailable = hasKeychain().catch(() => false)
  const within = (ms: number, otherwise: boolean) => Promise.race([isAvailable, sleep(ms, otherwise, { ref: false })])
  if (!(await within(keychainMs, true))) return undefined
  const open = async () => {
    if (!(await within(passwordMs, false))) throw new Error('the keychain of this system is not available')
  }
  const file = join(folder, 'keys.json')
  return {
    async load() {
      await open()
      const parse = (text: string) => parseStored(fileSchema, text)
      const stored = await readOrSetAside(file, parse, (newPath) => {
        throw new Error(`the stored keys could not be read; they were moved to ${newPath}`)
      })
      return mapValues(stored ?? {}, async (key) => {
        const { result } = await safeStorage.decryptStringAsync(Buffer.from(key, 'base64'))
        return result
      })
    },
    async save(keys) {
      await open()
      const encrypted = await mapValues(keys, async (key) =>
        (await safeStorage.encryptStringAsync(key)).toString('base64'),
      )
      await writeDurably(file, `${JSON.stringify(encrypted, null, 2)}\n`)
    },
  }
}

/** Waits for the password of a keyring. */
async function hasKeychain(): Promise<boolean> {
  // macOS always has one, and can ask the user when it is opened.
  if (process.platform === 'darwin') return true
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return false
  // Without a keyring on Linux, Chromium encrypts with a publicly known password, and marks the result.
  return process.platform !== 'linux' || !(await safeStorage.encryptStringAsync('-')).toString().startsWith('v10')
}

async function mapValues(record: Readonly<Record<string, string>>, map: (value: string) => Promise<string>) {
  const entries = Object.entries(record).map(async ([name, value]) => [name, await map(value)] as const)
  return Object.fromEntries(await Promise.all(entries))
}
