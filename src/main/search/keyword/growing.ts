/** What a segment is built with: numbers for hashes, and lists of numbers that grow. Typed arrays, for memory. */
const firstSlots = 4096

/** Numbers for hashes, in the order in which they come; open addressing, for hashes are mixed already. */
export class HashTable {
  size = 0
  #mask: number
  #hashes: Uint32Array
  /** One more than the number; 0 for a free slot. */
  #numbers: Uint32Array

  constructor(kept?: { readonly hashes: Uint32Array; readonly numbers: Uint32Array; readonly size: number }) {
    this.#hashes = kept?.hashes ?? new Uint32Array(firstSlots)
    this.#numbers = kept?.numbers ?? new Uint32Array(firstSlots)
    this.#mask = this.#hashes.length - 1
    this.size = kept?.size ?? 0
  }

  get hashes(): Uint32Array {
    return this.#hashes
  }

  get numbers(): Uint32Array {
    return this.#numbers
  }

  /** -1 for one that is not there. */
  find(hash: number): number {
    return (this.#numbers[this.#slotOf(hash)] ?? 0) - 1
  }

  /** Its number, a new one if it needs one. */
  add(hash: number): number {
    const slot = this.#slotOf(hash)
    const known = this.#numbers[slot] ?? 0
    if (known > 0) return known - 1
    this.#hashes[slot] = hash
    this.size += 1
    this.#numbers[slot] = this.size
    if (this.size * 2 > this.#mask) this.#resize((this.#mask + 1) * 2)
    return this.size - 1
  }

  /** With as few slots as do: most of a memory's terms are asked for never. */
  fitted(): this {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(8, this.size * 1.25)))
    if (slots <= this.#mask) this.#resize(slots)
    return this
  }

  #slotOf(hash: number): number {
    let slot = hash & this.#mask
    while (this.#numbers[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & this.#mask
    return slot
  }

  #resize(slots: number): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers]
    this.#mask = slots - 1
    this.#hashes = new Uint32Array(slots)
    this.#numbers = new Uint32Array(slots)
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0
      if (number === 0) continue
      const hash = hashes[at] ?? 0
      const slot = this.#slotOf(hash)
      this.#hashes[slot] = hash
      this.#numbers[slot] = number
    }
  }
}

/** A list of numbers of four bytes that grows at its end. */
export class Growing {
  length = 0
  #numbers = new Uint32Array(4096)

  get values(): Uint32Array {
    return this.#numbers.subarray(0, this.length)
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0
  }

  set(index: number, value: number): void {
    this.#numbers[index] = value
  }

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Uint32Array(this.length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.length] = value
    this.length += 1
  }
}
