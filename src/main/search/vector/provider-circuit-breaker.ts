import { ProviderHealth, type ProviderFailure, type ProviderOutcome } from '../embeddings/provider-health.ts'
import type { Clock } from '#platform'

export interface CircuitBreakerActions {
  readonly setPaused: (isPaused: boolean) => Promise<void>
  readonly resume: () => Promise<void>
  /** Sends a short text; undefined if there is no provider. */
  readonly probe: () => Promise<ProviderOutcome | undefined>
  /** Called when the provider stops working, fails for another reason, or works again (undefined). */
  readonly onChange: (failure: ProviderFailure | undefined) => void
  readonly onFault: (error: unknown) => void
}

/** Health of a provider, with the actions that follow from it. */
export class ProviderCircuitBreaker extends ProviderHealth {
  readonly #actions: CircuitBreakerActions
  #timer: NodeJS.Timeout | undefined
  #reported: ProviderFailure | undefined
  #isClosed = false

  constructor(actions: CircuitBreakerActions, now: Clock) {
    super(now)
    this.#actions = actions
  }

  override record(outcome: ProviderOutcome): void {
    super.record(outcome)
    this.#apply()
  }

  override reset(): void {
    super.reset()
    this.#apply()
  }

  /** Tries the provider now. Tries twice, because one failure may be accidental. */
  async tryNow(): Promise<void> {
    this.reset()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const outcome = await this.#actions.probe()
      if (outcome) this.record(outcome)
      if (outcome?.kind !== 'failed') return
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #apply(): void {
    const { failure, retryInMs } = this
    clearTimeout(this.#timer)
    if (retryInMs !== undefined && !this.#isClosed)
      this.#timer = setTimeout(() => void this.#retry().catch(this.#actions.onFault), retryInMs)
    const before = this.#reported
    if (failure?.message === before?.message && failure?.since === before?.since) return
    this.#reported = failure
    if ((failure === undefined) !== (before === undefined))
      void this.#actions.setPaused(failure !== undefined).catch(this.#actions.onFault)
    this.#actions.onChange(failure)
  }

  /** After one failure, retries with real work; after more, with a cheap probe. */
  async #retry(): Promise<void> {
    if (!this.failure) return this.#actions.resume()
    const outcome = await this.#actions.probe()
    if (outcome) this.record(outcome)
  }
}
