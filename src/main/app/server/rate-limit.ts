/** Token bucket: allows bursts of `most`, refilled over `perMs` milliseconds. `take` returns false if it is empty. */
export class TokenBucket {
  readonly #most: number
  readonly #perMs: number
  readonly #now: () => number
  #left: number
  #at: number

  constructor(most: number, perMs: number, now: () => number = () => performance.now()) {
    this.#most = most
    this.#perMs = perMs
    this.#now = now
    this.#left = most
    this.#at = now()
  }

  take(): boolean {
    const now = this.#now()
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / this.#perMs) * this.#most)
    this.#at = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
