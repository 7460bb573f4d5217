import {
  ProviderHealth,
  type ProviderFailure,
  type ProviderOutcome,
  type QueryPermit,
} from '../embeddings/provider-health.ts'
import type { Clock } from '#platform'

export interface CircuitBreakerActions {
  readonly setPaused: (isHeld: boolean) => Promise<void>
  readonly resume: () => Promise<void>
  /** Sends a short text; undefined if there is no provider. */
  readonly probe: () => Promise<ProviderOutcome | undefined>
  /** Called when the provider stops working, fails for another reason, or works again (undefined). */
  readonly onChange: (failure: ProviderFailure | undefined) => void
  readonly onFault: (error: unknown) => void
}

export class ProviderCircuitBreaker {
  readonly #health: ProviderHealth
  readonly #cared: CircuitBreakerActions
  #timer: NodeJS.Timeout | undefined
  #reported: ProviderFailure | undefined
  #isClosed = false

  constructor(cared: CircuitBreakerActions, now: Clock) {
    this.#health = new ProviderHealth(now)
    this.#cared = cared
  }

  get failure(): ProviderFailure | undefined {
    return this.#health.failure
  }

  get leave(): QueryPermit {
    return this.#health.queryPermit()
  }

  /** True after a failure, until the next attempt. */
  get isWaiting(): boolean {
    return this.#health.retryInMs !== undefined
  }

  record(outcome: ProviderOutcome): void {
    this.#health.record(outcome)
    this.#apply()
  }

  reset(): void {
    this.#health.reset()
    this.#apply()
  }

  /** Tries the provider now. Tries twice, because one failure may be accidental. */
  async tryNow(): Promise<void> {
    this.reset()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const outcome = await this.#cared.probe()
      if (outcome) this.record(outcome)
      if (outcome?.kind !== 'failed') return
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #apply(): void {
    const { failure, retryInMs } = this.#health
    clearTimeout(this.#timer)
    if (retryInMs !== undefined && !this.#isClosed)
      this.#timer = setTimeout(() => void this.#askAgain().catch(this.#cared.onFault), retryInMs)
    const before = this.#reported
    if (failure?.message === before?.message && failure?.since === before?.since) return
    this.#reported = failure
    if ((failure === undefined) !== (before === undefined))
      void this.#cared.setPaused(failure !== undefined).catch(this.#cared.onFault)
    this.#cared.onChange(failure)
  }

  /** After one failure, retries with real work; after more, with a cheap probe. */
  async #askAgain(): Promise<void> {
    if (!this.failure) return this.#cared.resume()
    const outcome = await this.#cared.probe()
    if (outcome) this.record(outcome)
  }
}
