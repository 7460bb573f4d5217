/** Token bucket: allows bursts of `capacity`, refilled over `refillMs` milliseconds. `take` returns false if it is empty. */
export class TokenBucket {
  readonly #capacity: number
  readonly #refillMs: number
  readonly #now: () => number
  #tokens: number
  #refilledAt: number

  constructor(capacity: number, refillMs: number, now: () => number = () => performance.now()) {
    this.#capacity = capacity
    this.#refillMs = refillMs
    this.#now = now
    this.#tokens = capacity
    this.#refilledAt = now()
  }

  take(): boolean {
    const now = this.#now()
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#refilledAt) / this.#refillMs) * this.#capacity)
    this.#refilledAt = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
