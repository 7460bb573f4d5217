/**
 * Health of an embedding provider, shared by indexing and queries. After two failures in a row, the provider must not
 * be called for a pause that grows, and then only by a probe:
 *
 *     working ── failure ──► suspect ── failure ──► paused ◄─ fails ┐
 *        ▲                   │     ▲                  └── probe ────┤
 *        └──── answer ───────┘     └───────────────────── answers ──┘
 *
 * The more often the provider is late, the shorter searches wait for its vectors.
 */
import type { AppError, ErrorCode } from '#shared/util/errors.ts'
import type { Clock } from '#platform'

export type ProviderOutcome =
  | { readonly kind: 'answered'; readonly ms: number }
  /** A probe was answered. Real requests may still fail. */
  | { readonly kind: 'probed' }
  /** A search stopped waiting; the answer may still come. */
  | { readonly kind: 'late' }
  | {
      readonly kind: 'failed'
      readonly code: ErrorCode
      readonly message: string
      readonly retryAfterMs?: number | undefined
    }

export function failedOutcome({ code, message, data }: AppError): ProviderOutcome {
  const { retryAfterMs } = data
  return { kind: 'failed', code, message, ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}) }
}

export interface ProviderFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly since: number
}

/** Time that a search waits for its vector, or the failure because of which it must not call the provider. */
export type QueryPermit =
  | { readonly waitMs: number; readonly failure?: undefined }
  | { readonly failure: ProviderFailure; readonly waitMs?: undefined }

export interface HealthActions {
  readonly setPaused: (isPaused: boolean) => Promise<void>
  readonly probe: () => Promise<ProviderOutcome | undefined>
  readonly onChange: () => void
  readonly onFault: (error: unknown) => void
}

const failuresToPause = 2
/** Pause after a single failure, ms; short, because one failure may be accidental. */
const firstPauseMs = 250
const minPauseMs = 1000
const maxPauseMs = 5 * 60_000
const maxRetryAfterMs = 60 * 60_000
/** Time that searches wait for a vector after 0, 1, 2, and more late answers in a row, ms. */
const waitsMs = [3000, 1000, 300, 0] as const

export class ProviderHealth {
  readonly #now: Clock
  readonly #actions: HealthActions | undefined
  readonly #elapsed: () => number
  readonly #random: () => number
  #failures = 0
  #lastFailure: ProviderFailure | undefined
  #pauses = 0
  /** Time of the next attempt, on the clock of `elapsed`. */
  #retryAt: number | undefined
  #timer: NodeJS.Timeout | undefined
  #lateAnswers = 0
  #isClosed = false
  #reported: ProviderFailure | undefined

  /** @param elapsed monotonic clock, ms @param random uniform in [0, 1), for the jitter */
  constructor(
    now: Clock,
    actions?: HealthActions,
    elapsed: () => number = () => performance.now(),
    random: () => number = Math.random,
  ) {
    this.#now = now
    this.#actions = actions
    this.#elapsed = elapsed
    this.#random = random
  }

  record(outcome: ProviderOutcome): void {
    switch (outcome.kind) {
      case 'late':
        this.#lateAnswers += 1
        return
      case 'answered':
        if (outcome.ms <= waitsMs[0]) this.#lateAnswers = 0
        this.#pauses = 0
        return this.#setFailures(0)
      case 'probed':
        // If the next real request fails, the pause continues to grow.
        return this.#setFailures(Math.min(this.#failures, failuresToPause - 1))
      case 'failed':
        return this.#fail(outcome)
    }
  }

  reset(): void {
    this.#pauses = 0
    this.#lateAnswers = 0
    this.#setFailures(0)
  }

  /** Tries the provider now. Tries twice, because one failure may be accidental. */
  async tryNow(): Promise<void> {
    this.reset()
    if ((await this.#probe())?.kind === 'failed') await this.#probe()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#isClosed = true
  }

  get failure(): ProviderFailure | undefined {
    return this.#failures >= failuresToPause ? this.#lastFailure : undefined
  }

  get retryInMs(): number | undefined {
    return this.#retryAt === undefined ? undefined : Math.max(0, this.#retryAt - this.#elapsed())
  }

  queryPermit(): QueryPermit {
    const { failure } = this
    return failure ? { failure } : { waitMs: waitsMs[Math.min(this.#lateAnswers, waitsMs.length - 1)] ?? 0 }
  }

  #setFailures(failures: number): void {
    this.#failures = failures
    this.#retryAt = undefined
    if (failures === 0) this.#lastFailure = undefined
    this.#act()
  }

  #fail({ code, message, retryAfterMs = 0 }: Extract<ProviderOutcome, { kind: 'failed' }>): void {
    this.#failures += 1
    this.#lastFailure = { code, message, since: this.#lastFailure?.since ?? this.#now().getTime() }
    const requestedMs = Math.min(retryAfterMs, maxRetryAfterMs)
    this.#retryAt = this.#elapsed() + Math.max(requestedMs, this.#pauseMs(code))
    this.#act()
  }

  #pauseMs(code: ErrorCode): number {
    if (this.#failures < failuresToPause) return code === 'provider_rate_limited' ? minPauseMs : firstPauseMs
    const pauseMs = Math.min(maxPauseMs, minPauseMs * 2 ** this.#pauses)
    this.#pauses += 1
    // Jitter of up to a quarter, so that clients of one provider do not all return at once.
    return pauseMs * (1 - this.#random() / 4)
  }

  #act(): void {
    const { failure, retryInMs } = this
    if (!this.#actions || this.#isClosed) return
    const { setPaused, onChange, onFault } = this.#actions
    clearTimeout(this.#timer)
    if (retryInMs !== undefined) this.#timer = setTimeout(() => void this.#retry().catch(onFault), retryInMs)
    const before = this.#reported
    if (failure?.message === before?.message && failure?.since === before?.since) return
    this.#reported = failure
    if ((failure === undefined) !== (before === undefined)) void setPaused(failure !== undefined).catch(onFault)
    onChange()
  }

  async #retry(): Promise<void> {
    if (this.failure) await this.#probe()
    else await this.#actions?.setPaused(false)
  }

  async #probe(): Promise<ProviderOutcome | undefined> {
    const outcome = await this.#actions?.probe()
    if (outcome) this.record(outcome)
    return outcome
  }
}
