/**
 * How much may be under way towards us: a message is in memory from its first byte, and only its end says whether it is
 * one. All windows together get a budget. While large messages have just ended, whose memory is not free again at once,
 * other large ones wait a little; when unfinished ones alone spend the budget, whoever holds most of it gives way.
 */
export class Inbound {
  readonly #maxBytes: number
  readonly #shares = new Map<object, { bytes: number; readonly giveWay: () => void }>()
  #total = 0
  #lingering = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  open(owner: object, giveWay: () => void): void {
    this.#shares.set(owner, { bytes: 0, giveWay })
  }

  /**
   * So many bytes came, of a message that has not ended yet.
   * @returns false when nothing more should be taken in for `lingerMs`
   */
  add(owner: object, bytes: number): boolean {
    const share = this.#shares.get(owner)
    if (!share) return true
    share.bytes += bytes
    this.#total += bytes
    while (this.#total > this.#maxBytes) {
      const [first] = [...this.#shares].sort(([, one], [, other]) => other.bytes - one.bytes)
      if (!first) break
      const [largest, { giveWay }] = first
      this.close(largest)
      giveWay()
    }
    return share.bytes < largeBytes || this.#lingering === 0 || this.#total + this.#lingering <= this.#maxBytes
  }

  /** A message has ended: what comes now belongs to the next. */
  reset(owner: object): void {
    const share = this.#shares.get(owner)
    if (!share) return
    const { bytes } = share
    this.#total -= bytes
    share.bytes = 0
    if (bytes < largeBytes) return
    this.#lingering += bytes
    setTimeout(() => (this.#lingering -= bytes), lingerMs).unref()
  }

  close(owner: object): void {
    this.reset(owner)
    this.#shares.delete(owner)
  }
}

/** What is smaller is gone before it is noticed. */
const largeBytes = 1024 * 1024
/** For so long a large message counts after its end: it is taken apart, answered and forgotten meanwhile. */
export const lingerMs = 1000
