import { isDeepStrictEqual } from 'node:util'
import type { ConfigChange, SearchSettings } from '#shared/contract/index.ts'
import { searchModes } from '#shared/contract/search.ts'
import { type AgentSettings, defaultAgentId } from './config-schema.ts'
import type { SettingsStore } from './settings-store.ts'

export class AgentConfig {
  readonly id: string
  readonly #store: SettingsStore

  constructor(id: string, store: SettingsStore) {
    this.id = id
    this.#store = store
  }

  /** Settings of the agent; the defaults if it has no entry, as for the built-in agent before its setup. */
  get current(): AgentSettings {
    const { defaults, list } = this.#store.config.agents
    return list.find(({ id }) => id === this.id) ?? defaults
  }

  /** Returns the name in the settings. Without one, the default agent has the name of the app, others their id. */
  static nameOf({ id, name }: { readonly id: string; readonly name?: string | undefined }): string {
    return name ?? (id === defaultAgentId ? 'Commonplace' : id)
  }

  get name(): string {
    const { id } = this
    return AgentConfig.nameOf(this.#store.config.agents.list.find((agent) => agent.id === id) ?? { id })
  }

  /** @param keys path relative to the agent's settings @param value undefined removes the setting */
  async set(keys: readonly string[], value: unknown): Promise<void> {
    await this.#store.set([[...this.#settingsPath(), ...keys], value])
  }

  /** Saves the settings that differ from those in force. A setting with its inherited value is removed from the file. */
  setSearch({ chunking = this.current.memory.chunking, ...search }: SearchSettings): Promise<ConfigChange> {
    const path = this.#settingsPath()
    const builtIn = searchModes.default
    const inherited = path.includes('defaults')
      ? { search: builtIn, chunking: builtIn.chunking }
      : this.#store.config.agents.defaults.memory
    const changes = (group: 'search' | 'chunking', values: object) => {
      const current = new Map(Object.entries(this.current.memory[group]))
      const initial = new Map(Object.entries(inherited[group]))
      return Object.entries(values)
        .filter(([key, value]) => !isDeepStrictEqual(value, current.get(key)))
        .map(([key, value]: [string, unknown]) => {
          const isInherited = isDeepStrictEqual(value, initial.get(key))
          return [[...path, 'memory', group, key], isInherited ? undefined : value] as const
        })
    }
    return this.#store.set(...changes('search', search), ...changes('chunking', chunking))
  }

  /** @returns the previous value */
  async setMemory<Key extends 'scope' | 'sessions'>(key: Key, value: AgentSettings['memory'][Key]) {
    const previous = this.current.memory[key]
    await this.set(['memory', key], value)
    return previous
  }

  #settingsPath(): (string | number)[] {
    const index = this.#store.config.agents.list.findIndex(({ id }) => id === this.id)
    return index < 0 ? ['agents', 'defaults'] : ['agents', 'list', index]
  }
}
