import type { SearchSettings } from '#shared/contract/index.ts'
import { agentName, type AgentSettings } from './config-schema.ts'
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

  /** Name for people. */
  get name(): string {
    const { id } = this
    return agentName(this.#store.config.agents.list.find((agent) => agent.id === id) ?? { id })
  }

  async setModel(model: string): Promise<void> {
    await this.#store.set([[...this.#settingsPath(), 'model'], model])
  }

  /** @returns the previous settings */
  async setSearch(settings: SearchSettings): Promise<SearchSettings> {
    const previous = this.current.memory.search
    const path = [...this.#settingsPath(), 'memory', 'search']
    await this.#store.set(...Object.entries(settings).map(([key, value]) => [[...path, key], value] as const))
    return previous
  }

  /** @returns the previous value */
  async setMemory<Key extends 'scope' | 'sessions'>(
    key: Key,
    value: AgentSettings['memory'][Key],
  ): Promise<AgentSettings['memory'][Key]> {
    const previous = this.current.memory[key]
    await this.#store.set([[...this.#settingsPath(), 'memory', key], value])
    return previous
  }

  async setPrivate(rules: readonly string[]): Promise<void> {
    await this.#store.set([[...this.#settingsPath(), 'visibility', 'private'], rules])
  }

  #settingsPath(): (string | number)[] {
    const index = this.#store.config.agents.list.findIndex(({ id }) => id === this.id)
    return index < 0 ? ['agents', 'defaults'] : ['agents', 'list', index]
  }
}
