import {
  ProviderHealth,
  type ProviderFailure,
  type ProviderOutcome,
  type QueryLeave,
} from '../embeddings/provider-health.ts'
import type { Clock } from '#platform'

export interface Cared {
  /** Stops the queue, or lets it go on. */
  readonly hold: (isHeld: boolean) => Promise<void>
  /** Has the queue ask for what is missing. */
  readonly goOn: () => Promise<void>
  /** Asks with a short text; undefined where there is no provider. */
  readonly probe: () => Promise<ProviderOutcome | undefined>
  /** It stopped working, fails otherwise, or works again (undefined). */
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

  /** True after a failure, until it is asked again. */
  get isWaiting(): boolean {
    return this.#health.restMs !== undefined
  }

  note(outcome: ProviderOutcome): void {
    this.#health.note(outcome)
    this.#apply()
  }

  /** Something was changed that may have been its trouble. */
  reset(): void {
    this.#health.reset()
    this.#apply()
  }

  /** Asks now, however it was. Twice at most: one failure may be chance. */
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

  /** After one failure with what there is to do, after more with a text that costs next to nothing. */
  async #askAgain(): Promise<void> {
    if (!this.failure) return this.#cared.goOn()
    const outcome = await this.#cared.probe()
    if (outcome) this.note(outcome)
  }
}
