/** API keys: from the environment, or given for as long as the app runs. A key goes from here to a provider's client only. */
export type KeyName = 'anthropic' | 'openai' | 'gemini' | 'openai-compatible'

const variables: Record<KeyName, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  'openai-compatible': 'OPENAI_COMPATIBLE_API_KEY',
}

export class KeyRing {
  readonly #env: NodeJS.ProcessEnv
  readonly #given = new Map<KeyName, string>()

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  /** The key, or undefined when there is none. What was given goes before the environment. */
  get(name: KeyName): string | undefined {
    return this.#given.get(name) ?? (this.#env[variables[name]] || undefined)
  }

  source(name: KeyName): 'environment' | 'session' | 'none' {
    if (this.#given.has(name)) return 'session'
    return this.get(name) === undefined ? 'none' : 'environment'
  }

  /** Uses a key until the app ends; an empty one forgets it. */
  give(name: KeyName, key: string): void {
    if (key.trim() === '') this.#given.delete(name)
    else this.#given.set(name, key.trim())
  }

  /** What to set so that there is one; for messages. */
  variable(name: KeyName): string {
    return variables[name]
  }
}

export function isKeyName(name: string): name is KeyName {
  return name in variables
}
