import { safeStorage } from 'electron'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { type KeyVault, readOrSetAside, writeDurably } from '#platform'

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
