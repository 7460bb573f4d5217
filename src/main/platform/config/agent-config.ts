import type { ChunkSize, SearchSettings } from '#shared/contract/index.ts'
import type { AgentSettings } from './config-schema.ts'
import type { SettingsStore } from './settings-store.ts'

export class AgentConfig {
  readonly id: string
  readonly #store: SettingsStore

  constructor(id: string, store: SettingsStore) {
    this.id = id
    this.#store = store
  }

  /** Its own settings; those of all for the built-in agent, which has no entry before it is set up. */
  get current(): AgentSettings {
    const { defaults, list } = this.#store.config.agents
    return list.find(({ id }) => id === this.id) ?? defaults
  }

  async setModel(model: string): Promise<void> {
    await this.#store.set([[...this.#path(), 'model'], model])
  }

  /** @returns what was in force before */
  async setSearch(settings: SearchSettings): Promise<SearchSettings> {
    const before = this.current.memory.search
    await this.#setMemory('search', settings)
    return before
  }

  /** @returns what was in force before */
  async setChunk(chunk: ChunkSize): Promise<ChunkSize> {
    const before = this.current.memory.chunk
    await this.#setMemory('chunk', chunk)
    return before
  }

  /** @returns what was in force before */
  async setMemory<Part extends 'scope' | 'sessions'>(
    part: Part,
    value: AgentSettings['memory'][Part],
  ): Promise<AgentSettings['memory'][Part]> {
    const before = this.current.memory[part]
    await this.#store.set([[...this.#path(), 'memory', part], value])
    return before
  }

  /** Folders and files that stay on this machine. */
  async setLocal(local: readonly string[]): Promise<void> {
    const path = [...this.#path(), 'visibility', 'local']
    const before = this.current.visibility.local
    // Each in its place first: what is said beside an entry stays beside it.
    await this.#store.set([path, [...local, ...before.slice(local.length)]], [path, local])
  }

  async #setMemory(part: 'search' | 'chunk', values: object): Promise<void> {
    const path = [...this.#path(), 'memory', part]
    await this.#store.set(...Object.entries(values).map(([key, value]) => [[...path, key], value] as const))
  }

  #path(): (string | number)[] {
    const index = this.#store.config.agents.list.findIndex(({ id }) => id === this.id)
    return index < 0 ? ['agents', 'defaults'] : ['agents', 'list', index]
  }
}
