/** Where API keys come from. A key goes from here to the provider's client and nowhere else. */
export type KeyName = 'anthropic' | 'openai' | 'gemini' | 'openai-compatible'

const variables: Record<KeyName, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  'openai-compatible': 'OPENAI_COMPATIBLE_API_KEY',
}

export interface Keys {
  /** The key, or undefined when there is none. */
  get(name: KeyName): string | undefined
  /** What to set so that there is one; for messages. */
  variable(name: KeyName): string
}

export function environmentKeys(env: NodeJS.ProcessEnv): Keys {
  return {
    get: (name) => env[variables[name]] || undefined,
    variable: (name) => variables[name],
  }
}
