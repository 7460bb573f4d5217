/**
 * How an embedding provider is, for everybody who asks it: the indexer's queue and the queries share one. After two
 * failures in a row it is left alone for a pause that grows, and only a probe asks it then; a provider that works but
 * is slow is waited for less and less. Pure but for the clock: outcomes go in, what may be done comes out.
 */
import type { ErrorCode } from '#shared/util/errors.ts'
import type { Clock } from '#platform'

/** What became of a request. */
export type ProviderOutcome =
  | { readonly kind: 'answered'; readonly ms: number }
  /** A short text was answered: there is somebody again, but nothing real has gone through yet. */
  | { readonly kind: 'probed' }
  /** A search did not wait for it any longer; it may still be answered. */
  | { readonly kind: 'late' }
  | {
      readonly kind: 'failed'
      readonly code: ErrorCode
      /** In the provider's words. */
      readonly message: string
      readonly retryAfterMs?: number | undefined
    }

export interface ProviderFailure {
  readonly code: ErrorCode
  readonly message: string
  /** Of the first failure in a row, ms since the epoch. */
  readonly since: number
}

/** What a search may do about its vector. */
export type QueryLeave =
  | { readonly waitMs: number; readonly failure?: undefined }
  | { readonly failure: ProviderFailure; readonly waitMs?: undefined }

/** Failures in a row that make a provider one that does not work. */
const failuresToRest = 2
/** After a single failure, ms; it may have been chance. */
const firstPauseMs = 250
const minPauseMs = 1000
const maxPauseMs = 5 * 60_000
/** Longer than this nobody is obeyed, ms. */
const maxRetryAfterMs = 60 * 60_000
/** How long searches wait for a vector after none, one, two, more that were late in a row, ms. */
const waitsMs = [3000, 1000, 300, 0] as const

export class ProviderHealth {
  readonly #now: Clock
  readonly #elapsed: () => number
  readonly #random: () => number
  #failures = 0
  #last: ProviderFailure | undefined
  /** How often it was left alone since it last worked. */
  #rests = 0
  /** By `elapsed`. */
  #retryAt: number | undefined
  #late = 0

  /**
   * @param elapsed ms since some moment
   * @param random uniform in [0, 1), for the jitter
   */
  constructor(now: Clock, elapsed: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now
    this.#elapsed = elapsed
    this.#random = random
  }

  note(outcome: ProviderOutcome): void {
    switch (outcome.kind) {
      case 'late':
        this.#late += 1
        return
      case 'answered':
        if (outcome.ms <= waitsMs[0]) this.#late = 0
        this.#rests = 0
        return this.#recovered(0)
      case 'probed':
        // The next failure would prove that real requests still fail: the pause goes on growing then.
        return this.#recovered(Math.min(this.#failures, failuresToRest - 1))
      case 'failed':
        return this.#fail(outcome)
    }
  }

  /** Somebody changed something, or wants it tried again: all is open. */
  reset(): void {
    this.#rests = 0
    this.#late = 0
    this.#recovered(0)
  }

  /** Why it is left alone; undefined while it works, as far as one knows. */
  get failure(): ProviderFailure | undefined {
    return this.#failures >= failuresToRest ? this.#last : undefined
  }

  /** In how many ms it is asked again; undefined while nothing keeps anybody from asking. */
  get restMs(): number | undefined {
    return this.#retryAt === undefined ? undefined : Math.max(0, this.#retryAt - this.#elapsed())
  }

  queryLeave(): QueryLeave {
    const { failure } = this
    return failure ? { failure } : { waitMs: waitsMs[Math.min(this.#late, waitsMs.length - 1)] ?? 0 }
  }

  #recovered(failures: number): void {
    this.#failures = failures
    this.#retryAt = undefined
    if (failures === 0) this.#last = undefined
  }

  #fail({ code, message, retryAfterMs = 0 }: Extract<ProviderOutcome, { kind: 'failed' }>): void {
    this.#failures += 1
    this.#last = { code, message, since: this.#last?.since ?? this.#now().getTime() }
    const asked = Math.min(retryAfterMs, maxRetryAfterMs)
    this.#retryAt = this.#elapsed() + Math.max(asked, this.#pause(code))
  }

  #pause(code: ErrorCode): number {
    if (this.#failures < failuresToRest) return code === 'provider_rate_limited' ? minPauseMs : firstPauseMs
    const grown = Math.min(maxPauseMs, minPauseMs * 2 ** this.#rests)
    this.#rests += 1
    // Up to a quarter less, so that many who lost the same provider do not come back at once.
    return grown * (1 - this.#random() / 4)
  }
}
