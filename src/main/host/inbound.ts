/**
 * How much may be under way towards us: a message is in memory from its first byte, and only its end says whether it is
 * one. All windows together get a budget; whoever holds most of it gives way when it is spent.
 */
export class Inbound {
  readonly #mostBytes: number
  readonly #shares = new Map<object, { bytes: number; readonly giveWay: () => void }>()
  #total = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  open(owner: object, giveWay: () => void): void {
    this.#shares.set(owner, { bytes: 0, giveWay })
  }

  /** So many bytes came, of a message that has not ended yet. */
  add(owner: object, bytes: number): void {
    const share = this.#shares.get(owner)
    if (!share) return
    share.bytes += bytes
    this.#total += bytes
    while (this.#total > this.#mostBytes) {
      const [first] = [...this.#shares].sort(([, one], [, other]) => other.bytes - one.bytes)
      if (!first) return
      const [largest, { giveWay }] = first
      this.close(largest)
      giveWay()
    }
  }

  /** A message has ended: what comes now belongs to the next. */
  reset(owner: object): void {
    const share = this.#shares.get(owner)
    if (!share) return
    this.#total -= share.bytes
    share.bytes = 0
  }

  close(owner: object): void {
    this.reset(owner)
    this.#shares.delete(owner)
  }
}
