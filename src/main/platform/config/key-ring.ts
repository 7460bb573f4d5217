import { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProviderName, ModelProvider } from '#shared/util/providers.ts'
import { EventEmitter, type Subscribable } from '../events.ts'

export type KeyName = ModelProvider | Exclude<EmbeddingProviderName, 'builtin' | 'none' | 'local'>

const variables: Record<KeyName, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  'openai-compatible': 'OPENAI_COMPATIBLE_API_KEY',
}

const secretName = /key|token|secret|passw|credential|auth/i
/** Shorter secrets are not redacted: they occur within ordinary words. */
const minSecret = 6

/** Permanent storage of API keys. Only the desktop app has one. */
export interface KeyVault {
  /** `weak`: no keychain is available. Programs that can read the user's files can read the keys. */
  readonly strength: 'keychain' | 'weak'
  load(): Promise<Readonly<Record<string, string>>>
  save(keys: Readonly<Record<string, string>>): Promise<void>
}

export type KeySource = 'environment' | 'keychain' | 'session' | 'none'

export class KeyRing {
  readonly changes: Subscribable<void>
  readonly #changes = new EventEmitter()
  readonly #env: NodeJS.ProcessEnv
  readonly #vault: KeyVault | undefined
  readonly #given = new Map<KeyName, string>()
  readonly #kept = new Map<KeyName, string>()
  #saving: Promise<unknown> = Promise.resolve()

  constructor(env: NodeJS.ProcessEnv, vault?: KeyVault) {
    this.changes = this.#changes
    this.#env = env
    this.#vault = vault
  }

  /** Loads the stored keys. */
  async load(): Promise<void> {
    for (const [name, key] of Object.entries((await this.#vault?.load()) ?? {}))
      if (isKeyName(name)) this.#kept.set(name, key)
  }

  /** Strength of the key storage; undefined if keys cannot be stored. */
  get vault(): KeyVault['strength'] | undefined {
    return this.#vault?.strength
  }

  /** Returns the key, or undefined if there is none. Order: keys of this session, stored keys, environment. */
  get(name: KeyName): string | undefined {
    return this.#given.get(name) ?? this.#kept.get(name) ?? (this.#env[variables[name]] || undefined)
  }

  source(name: KeyName): KeySource {
    if (this.#given.has(name)) return 'session'
    if (this.#kept.has(name)) return 'keychain'
    return this.get(name) === undefined ? 'none' : 'environment'
  }

  /**
   * Stores a key, or keeps it in memory until the app ends if there is no vault. An empty key removes the key.
   * @throws AppError `input_invalid` if the provider is unknown
   */
  async setKey(name: string, key: string): Promise<void> {
    if (!isKeyName(name)) throw unknownProvider(name)
    const trimmed = key.trim()
    this.#given.delete(name)
    if (this.#vault) {
      const before = this.#kept.get(name)
      if (trimmed === '') this.#kept.delete(name)
      else this.#kept.set(name, trimmed)
      if (before !== this.#kept.get(name)) await this.#save(this.#vault)
    } else if (trimmed !== '') this.#given.set(name, trimmed)
    this.#changes.emit()
  }

  /** Redacts all keys, and the values of environment variables with a name such as `…_TOKEN`. */
  scrub(text: string): string {
    const named = Object.entries(this.#env).flatMap(([name, value]) => (secretName.test(name) && value ? [value] : []))
    return [...this.#given.values(), ...this.#kept.values(), ...named]
      .filter((secret) => secret.length >= minSecret)
      .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '[redacted]'), text)
  }

  /** Returns the name of the environment variable that sets the key, for messages. */
  variable(name: KeyName): string {
    return variables[name]
  }

  #save(vault: KeyVault): Promise<void> {
    const saved = this.#saving.then(() => vault.save(Object.fromEntries(this.#kept)))
    this.#saving = saved.catch(() => undefined)
    return saved
  }
}

export function isKeyName(name: string): name is KeyName {
  return name in variables
}

export function unknownProvider(name: string): AppError {
  return new AppError('input_invalid', `unknown provider ${name}`, { reason: name })
}
