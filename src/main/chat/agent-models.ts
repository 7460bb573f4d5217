/** The models that one agent talks to: chosen by its settings, with its patience, counted on its account. */
import { AppError } from '../../shared/errors.ts'
import type { ChatModel, Models } from '../models/index.ts'
import type { AgentConfig } from '../settings/index.ts'

export class AgentModels {
  readonly #models: Models
  readonly #config: AgentConfig

  constructor(models: Models, config: AgentConfig) {
    this.#models = models
    this.#config = config
  }

  /** @throws AppError `provider_key_missing` when the model's provider is not set up */
  create(id: string = this.#config.current.model): ChatModel {
    const { requestTimeout, idleTimeout } = this.#config.current.chat
    return this.#models.create(id, { agent: this.#config.id, timeoutMs: requestTimeout, idleTimeoutMs: idleTimeout })
  }

  /** For a meter or a command, which can do with a model that is not set up: only its window matters then. */
  preview(): ChatModel {
    try {
      return this.create()
    } catch (error) {
      if (error instanceof AppError && error.code === 'provider_key_missing') return this.create('offline')
      throw error
    }
  }
}
