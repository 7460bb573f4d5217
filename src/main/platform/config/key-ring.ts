import { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProviderName, ModelProvider } from '#shared/util/providers.ts'
import { EventEmitter, type Subscribable } from '../events.ts'

export type KeyName = ModelProvider | Exclude<EmbeddingProviderName, 'builtin' | 'none' | 'local'>

const variableNames: Record<KeyName, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  'openai-compatible': 'OPENAI_COMPATIBLE_API_KEY',
}

const secretNamePattern = /key|token|secret|passw|credential|auth/i
/** Shorter secrets are not redacted: they also occur in ordinary words. */
const minSecretLength = 6

/** Permanent storage of API keys. Only the desktop app has one. */
export interface KeyVault {
  /** `weak`: no keychain is available. Programs that can read the user's files can read the keys. */
  readonly strength: 'keychain' | 'weak'
  load(): Promise<Readonly<Record<string, string>>>
  save(keys: Readonly<Record<string, string>>): Promise<void>
}

export class KeyRing {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #env: NodeJS.ProcessEnv
  readonly #vault: KeyVault | undefined
  readonly #sessionKeys = new Map<KeyName, string>()
  readonly #storedKeys = new Map<KeyName, string>()
  #lastSave: Promise<unknown> = Promise.resolve()

  constructor(env: NodeJS.ProcessEnv, vault?: KeyVault) {
    this.#env = env
    this.#vault = vault
  }

  async load(): Promise<void> {
    for (const [name, key] of Object.entries((await this.#vault?.load()) ?? {}))
      if (isKeyName(name)) this.#storedKeys.set(name, key)
  }

  /** Strength of the key storage; undefined if keys cannot be stored. */
  get vaultStrength(): KeyVault['strength'] | undefined {
    return this.#vault?.strength
  }

  /** Returns the key, or undefined if there is none. Order: keys of this session, stored keys, environment. */
  get(name: string): string | undefined {
    if (!isKeyName(name)) return undefined
    return this.#sessionKeys.get(name) ?? this.#storedKeys.get(name) ?? (this.#env[variableNames[name]] || undefined)
  }

  source(name: KeyName): 'environment' | 'keychain' | 'session' | 'none' {
    if (this.#sessionKeys.has(name)) return 'session'
    if (this.#storedKeys.has(name)) return 'keychain'
    return this.get(name) === undefined ? 'none' : 'environment'
  }

  /**
   * Stores a key, or keeps it in memory until the app ends if there is no vault. An empty key removes the stored one.
   * @throws AppError `input_invalid` if the provider is unknown
   */
  async setKey(name: string, key: string): Promise<void> {
    if (!isKeyName(name)) throw new AppError('input_invalid', `unknown provider ${name}`, { reason: name })
    const trimmed = key.trim()
    this.#sessionKeys.delete(name)
    if (this.#vault) {
      const previous = this.#storedKeys.get(name)
      if (trimmed === '') this.#storedKeys.delete(name)
      else this.#storedKeys.set(name, trimmed)
      if (previous !== this.#storedKeys.get(name)) await this.#save(this.#vault)
    } else if (trimmed !== '') this.#sessionKeys.set(name, trimmed)
    this.#changes.emit()
  }

  /**
   * Redacts all keys, and the values of environment variables with a name such as `…_TOKEN`, also in JSON and URLs.
   * @param others further secrets
   */
  scrub(text: string, others: readonly string[] = []): string {
    const environmentSecrets = Object.entries(this.#env).flatMap(([name, value]) =>
      secretNamePattern.test(name) && value ? [value] : [],
    )
    return [...others, ...this.#sessionKeys.values(), ...this.#storedKeys.values(), ...environmentSecrets]
      .flatMap((secret) =>
        secret.length < minSecretLength
          ? []
          : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
      )
      .sort((one, other) => other.length - one.length)
      .reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), text)
  }

  variable(name: KeyName): string {
    return variableNames[name]
  }

  #save(vault: KeyVault): Promise<void> {
    const saved = this.#lastSave.then(() => vault.save(Object.fromEntries(this.#storedKeys)))
    this.#lastSave = saved.catch(() => undefined)
    return saved
  }
}

function isKeyName(name: string): name is KeyName {
  return name in variableNames
}
