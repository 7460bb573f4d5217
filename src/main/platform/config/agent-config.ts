import type { SearchSettings } from '#shared/contract/index.ts'
import type { AgentSettings } from './config-schema.ts'
import type { SettingsStore } from './settings-store.ts'

export class AgentConfig {
  readonly id: string
  readonly #store: SettingsStore

  constructor(id: string, store: SettingsStore) {
    this.id = id
    this.#store = store
  }

  /** Settings of the agent. The defaults if it has no entry, as the built-in agent before its setup. */
  get current(): AgentSettings {
    const { defaults, list } = this.#store.config.agents
    return list.find(({ id }) => id === this.id) ?? defaults
  }

  async setModel(model: string): Promise<void> {
    await this.#store.set([[...this.#path(), 'model'], model])
  }

  /** @returns the previous settings */
  async setSearch(settings: SearchSettings): Promise<SearchSettings> {
    const before = this.current.memory.search
    const path = [...this.#path(), 'memory', 'search']
    await this.#store.set(...Object.entries(settings).map(([key, value]) => [[...path, key], value] as const))
    return before
  }

  /** @returns the previous value */
  async setMemory<Part extends 'scope' | 'sessions'>(
    part: Part,
    value: AgentSettings['memory'][Part],
  ): Promise<AgentSettings['memory'][Part]> {
    const before = this.current.memory[part]
    await this.#store.set([[...this.#path(), 'memory', part], value])
    return before
  }

  /** Sets the folders and files that only local models may see. */
  async setLocal(local: readonly string[]): Promise<void> {
    const path = [...this.#path(), 'visibility', 'local']
    const before = this.current.visibility.local
    // Replaces entries in place before it shortens the list, so that YAML comments stay beside their entries.
    await this.#store.set([path, [...local, ...before.slice(local.length)]], [path, local])
  }

  #path(): (string | number)[] {
    const index = this.#store.config.agents.list.findIndex(({ id }) => id === this.id)
    return index < 0 ? ['agents', 'defaults'] : ['agents', 'list', index]
  }
}
