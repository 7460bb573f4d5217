import {
  ProviderHealth,
  type ProviderFailure,
  type ProviderOutcome,
  type QueryLeave,
} from '../embeddings/provider-health.ts'
import type { Clock } from '#platform'

export interface Cared {
  /** Pauses or resumes the embed queue. */
  readonly hold: (isHeld: boolean) => Promise<void>
  /** Makes the embed queue retry missing passages. */
  readonly goOn: () => Promise<void>
  /** Sends a short text; undefined if there is no provider. */
  readonly probe: () => Promise<ProviderOutcome | undefined>
  /** Called when the provider stops working, fails for another reason, or works again (undefined). */
  readonly onChange: (failure: ProviderFailure | undefined) => void
  readonly onFault: (error: unknown) => void
}

export class ProviderCare {
  readonly #health: ProviderHealth
  readonly #cared: Cared
  #timer: NodeJS.Timeout | undefined
  #told: ProviderFailure | undefined
  #isClosed = false

  constructor(cared: Cared, now: Clock) {
    this.#health = new ProviderHealth(now)
    this.#cared = cared
  }

  get failure(): ProviderFailure | undefined {
    return this.#health.failure
  }

  get leave(): QueryLeave {
    return this.#health.queryLeave()
  }

  /** True after a failure, until the next attempt. */
  get isWaiting(): boolean {
    return this.#health.restMs !== undefined
  }

  note(outcome: ProviderOutcome): void {
    this.#health.note(outcome)
    this.#apply()
  }

  /** Clears the failures, after a change that may have fixed the cause. */
  reset(): void {
    this.#health.reset()
    this.#apply()
  }

  /** Tries the provider now. Tries twice, because one failure may be accidental. */
  async tryNow(): Promise<void> {
    this.reset()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const outcome = await this.#cared.probe()
      if (outcome) this.note(outcome)
      if (outcome?.kind !== 'failed') return
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #apply(): void {
    const { failure, restMs } = this.#health
    clearTimeout(this.#timer)
    if (restMs !== undefined && !this.#isClosed)
      this.#timer = setTimeout(() => void this.#askAgain().catch(this.#cared.onFault), restMs)
    const before = this.#told
    if (failure?.message === before?.message && failure?.since === before?.since) return
    this.#told = failure
    if ((failure === undefined) !== (before === undefined))
      void this.#cared.hold(failure !== undefined).catch(this.#cared.onFault)
    this.#cared.onChange(failure)
  }

  /** After one failure, retries with real work; after more, with a cheap probe. */
  async #askAgain(): Promise<void> {
    if (!this.failure) return this.#cared.goOn()
    const outcome = await this.#cared.probe()
    if (outcome) this.note(outcome)
  }
}
