/** Keys on disk, encrypted by the operating system (M41). */
import { safeStorage } from 'electron'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isSystemError } from '../../shared/errors.ts'
import { parseJson } from '../../shared/json.ts'
import type { KeyVault } from '../settings/index.ts'
import { writeAtomic } from '../workspace/index.ts'

const fileSchema = z.record(z.string(), z.string())

/** Undefined where the system encrypts nothing. */
export function openKeyVault(folder: string): KeyVault | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined
  const file = join(folder, 'keys.json')
  return {
    strength: isWeak() ? 'weak' : 'keychain',
    async load() {
      const keys: Record<string, string> = {}
      for (const [name, encrypted] of Object.entries(fileSchema.safeParse(parseJson(await textOf(file))).data ?? {}))
        keys[name] = safeStorage.decryptString(Buffer.from(encrypted, 'base64'))
      return keys
    },
    async save(keys) {
      const encrypted = Object.entries(keys).map(([name, key]) => [
        name,
        safeStorage.encryptString(key).toString('base64'),
      ])
      await writeAtomic(file, `${JSON.stringify(Object.fromEntries(encrypted), null, 2)}\n`)
    },
  }
}

/** On a Linux without a keyring, Chromium encrypts with a password that everybody knows. */
function isWeak(): boolean {
  return process.platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return ''
    throw error
  }
}
