import { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProviderName, ModelProvider } from '#shared/util/providers.ts'
import { EventEmitter, type Subscribable } from '#shared/util/events.ts'
import { KeyedQueue } from '../fs/work-queue.ts'

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
  load(): Promise<Readonly<Record<string, string>>>
  save(keys: Readonly<Record<string, string>>): Promise<void>
}

export class KeyRing {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #env: NodeJS.ProcessEnv
  readonly #vault: KeyVault | undefined
  /** The secrets of the vault; without a vault, the ones entered since the start. */
  readonly #keys = new Map<KeyName, string>()
  readonly #saving = new KeyedQueue()
  #loaded: Promise<void> | undefined

  constructor(env: NodeJS.ProcessEnv, vault?: KeyVault) {
    this.#env = env
    this.#vault = vault
  }

  load(): Promise<void> {
    return (this.#loaded ??= this.#load())
  }

  async #load(): Promise<void> {
    const stored = Object.entries((await this.#vault?.load()) ?? {})
    for (const [name, key] of stored) if (isKeyName(name)) this.#keys.set(name, key)
    if (stored.length > 0) this.#changes.emit()
  }

  get canStore(): boolean {
    return this.#vault !== undefined
  }

  /** Returns the key, or else the one in the environment; undefined if there is none. */
  get(name: string): string | undefined {
    if (!isKeyName(name)) return undefined
    return this.#keys.get(name) ?? (this.#env[variableNames[name]] || undefined)
  }

  source(name: KeyName): 'environment' | 'keychain' | 'session' | 'none' {
    if (this.#keys.has(name)) return this.#vault ? 'keychain' : 'session'
    return this.get(name) === undefined ? 'none' : 'environment'
  }

  /** An empty key removes the stored one. @throws AppError `input_invalid` if the provider is unknown */
  async setKey(name: string, key: string): Promise<void> {
    if (!isKeyName(name)) throw new AppError('input_invalid', `unknown provider ${name}`, { reason: name })
    // A key that is saved before the stored ones are read would replace them.
    await this.#loaded?.catch(() => undefined)
    const trimmed = key.trim()
    const previous = this.#keys.get(name)
    if (trimmed === '') this.#keys.delete(name)
    else this.#keys.set(name, trimmed)
    if (previous !== this.#keys.get(name))
      await this.#saving.run('', async () => this.#vault?.save(Object.fromEntries(this.#keys)))
    this.#changes.emit()
  }

  /** Redacts keys, and the values of environment variables with a name such as `…_TOKEN`, in JSON and URLs, too. */
  scrub(text: string, others: readonly string[] = []): string {
    const environmentSecrets = Object.entries(this.#env).flatMap(([name, value]) =>
      secretNamePattern.test(name) && value ? [value] : [],
    )
    return [...others, ...this.#keys.values(), ...environmentSecrets]
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
}

function isKeyName(name: string): name is KeyName {
  return name in variableNames
}
