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
/** What is shorter stands in too many words. */
const minSecret = 6

/** Where keys outlive the app. Only the desktop has one. */
export interface KeyVault {
  /** `weak`: there is no keychain, and whoever reads the user's files can read the keys. */
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

  /** Reads what was kept. */
  async load(): Promise<void> {
    for (const [name, key] of Object.entries((await this.#vault?.load()) ?? {}))
      if (isKeyName(name)) this.#kept.set(name, key)
  }

  /** How keys can be kept; undefined where they cannot. */
  get vault(): KeyVault['strength'] | undefined {
    return this.#vault?.strength
  }

  /** The key, or undefined when there is none. What was given goes before what was kept, and that before the environment. */
  get(name: KeyName): string | undefined {
    return this.#given.get(name) ?? this.#kept.get(name) ?? (this.#env[variables[name]] || undefined)
  }

  source(name: KeyName): KeySource {
    if (this.#given.has(name)) return 'session'
    if (this.#kept.has(name)) return 'keychain'
    return this.get(name) === undefined ? 'none' : 'environment'
  }

  /**
   * Uses a key until the app ends, or keeps it where that is possible; an empty one forgets it.
   * @throws AppError `input_invalid` when there is no such provider
   */
  async give(name: string, key: string): Promise<void> {
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

  /** The text without any key, and without what the environment keeps under a name that says it is secret. */
  scrub(text: string): string {
    const named = Object.entries(this.#env).flatMap(([name, value]) => (secretName.test(name) && value ? [value] : []))
    return [...this.#given.values(), ...this.#kept.values(), ...named]
      .filter((secret) => secret.length >= minSecret)
      .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '[redacted]'), text)
  }

  /** What to set so that there is one; for messages. */
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
  return new AppError('input_invalid', `there is no provider ${name}`, { reason: name })
}
