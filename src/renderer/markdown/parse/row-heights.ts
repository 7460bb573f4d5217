/** Where each of many rows of different heights stands. Pure. */

export class Heights {
  /** Of row n its top; behind the last one the height of all. */
  readonly #tops: Float64Array

  /** @param heights px */
  constructor(count: number, heightOf: (index: number) => number) {
    this.#tops = new Float64Array(count + 1)
    let top = 0
    for (let index = 0; index < count; index += 1) {
      top += heightOf(index)
      this.#tops[index + 1] = top
    }
  }

  get total(): number {
    return this.#tops.at(-1) ?? 0
  }

  top(index: number): number {
    return this.#tops[Math.max(0, Math.min(index, this.#tops.length - 1))] ?? 0
  }

  /** The row at a height, px; the first or last one beyond them. */
  indexAt(y: number): number {
    let below = 0
    let above = this.#tops.length - 2
    while (below < above) {
      const middle = (below + above + 1) >> 1
      if ((this.#tops[middle] ?? 0) <= y) below = middle
      else above = middle - 1
    }
    return Math.max(0, below)
  }
}
