/**
 * The coarse form of a vector: one bit a dimension, its sign about the centre of the index's vectors. Two such forms
 * differ in about as many bits as the angle between the vectors is wide; about the centre, because the vectors of many
 * models all lie to one side and would agree in most of their signs. Many are compared at once by a WebAssembly function
 * of our own: counting bits in JavaScript takes fourteen times as long.
 */

/** `hamming.wat`, assembled with wabt (`wat2wasm hamming.wat`). */
const hammingWasm =
  'AGFzbQEAAAABCQFgBX9/f39/AAITAQRob3N0Bm1lbW9yeQIBAYCABAMCAQAHDQEJZGlzdGFuY2VzAAAKmgEBlwECA38BeyAEIAFBAXRqIQUCQANAIAQgBU8NAf0MAAAAAAAAAAAAAAAAAAAAACEIIAMhBiACIQcDQCAIIAD9AAQAIAb9AAQA/VH9Yv19/Y4BIQggAEEQaiEAIAZBEGohBiAHQQFrIgcNAAsgCP1/IQggBCAI/RsAIAj9GwFqIAj9GwIgCP0bA2pqOwEAIARBAmohBAwACwsL'

/** Forms are whole blocks of so many bytes. */
const blockBytes = 16

/** Bytes of the coarse form of a vector. */
export function coarseBytes(dimensions: number): number {
  return Math.ceil(dimensions / 8 / blockBytes) * blockBytes
}

/** @param centre of the same length; undefined for the origin */
export function coarseBits(vector: Float32Array, centre: Float32Array | undefined): Buffer {
  const bits = Buffer.alloc(coarseBytes(vector.length))
  const middle = centre ?? originOf(vector.length)
  for (let at = 0; at < vector.length; at += 8) {
    let byte = 0
    // A vector may end within a byte: beyond it neither is above the other.
    for (let bit = 0; bit < 8; bit += 1)
      if ((vector[at + bit] as number) > (middle[at + bit] as number)) byte |= 1 << bit
    bits[at >>> 3] = byte
  }
  return bits
}

let origin = new Float32Array()

function originOf(dimensions: number): Float32Array {
  if (origin.length !== dimensions) origin = new Float32Array(dimensions)
  return origin
}

type Distances = (forms: number, count: number, blocks: number, query: number, out: number) => void

/** Coarse forms of one size, compared with a query all at once. Grows as it is filled. */
export class CoarseForms {
  readonly #bytes: number
  #capacity = 0
  #count = 0
  #memory: Uint8Array<ArrayBuffer> = new Uint8Array()
  #out = new Uint16Array()
  #formsAt = 0
  #distances: Distances | undefined

  readonly dimensions: number

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#bytes = coarseBytes(dimensions)
  }

  /** All forms, one after the other; overwritten by later changes. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(this.#formsAt, this.#formsAt + this.#count * this.#bytes)
  }

  get count(): number {
    return this.#count
  }

  /** @throws RangeError for a form of another size */
  put(slot: number, bits: Uint8Array): void {
    if (bits.length !== this.#bytes) throw new RangeError(`a coarse form of ${bits.length} bytes, not ${this.#bytes}`)
    if (slot >= this.#capacity) this.#grow(Math.max(1024, 2 * slot))
    this.#memory.set(bits, this.#formsAt + slot * this.#bytes)
    this.#count = Math.max(this.#count, slot + 1)
  }

  /** In the place of all that there are: forms one after the other. @throws RangeError as `put` */
  fill(forms: Uint8Array): void {
    const count = forms.length / this.#bytes
    if (!Number.isInteger(count)) throw new RangeError(`${forms.length} bytes are no coarse forms of ${this.#bytes}`)
    this.#count = 0
    if (count > this.#capacity) this.#grow(Math.max(1024, count))
    this.#memory.set(forms, this.#formsAt)
    this.#count = count
  }

  move(from: number, to: number): void {
    const at = this.#formsAt + from * this.#bytes
    this.#memory.copyWithin(this.#formsAt + to * this.#bytes, at, at + this.#bytes)
  }

  /** Forgets all from the slot `count` on. */
  truncate(count: number): void {
    this.#count = count
  }

  /** In how many bits each form differs from `query`, by slot; overwritten by the next call. */
  distances(query: Uint8Array): Uint16Array {
    if (query.length !== this.#bytes) throw new RangeError(`a coarse form of ${query.length} bytes, not ${this.#bytes}`)
    this.#memory.set(query, 0)
    this.#distances?.(this.#formsAt, this.#count, this.#bytes / blockBytes, 0, this.#bytes)
    return this.#out.subarray(0, this.#count)
  }

  /** In memory stand the query, the distances, then the forms. */
  #grow(capacity: number): void {
    const formsAt = this.#bytes + Math.ceil((2 * capacity) / blockBytes) * blockBytes
    const pages = Math.ceil((formsAt + capacity * this.#bytes) / 65_536)
    const memory = new WebAssembly.Memory({ initial: pages, maximum: 65_536 })
    const bytes = new Uint8Array(memory.buffer)
    bytes.set(this.#memory.subarray(this.#formsAt, this.#formsAt + this.#count * this.#bytes), formsAt)
    const { exports } = new WebAssembly.Instance(hammingModule(), { host: { memory } })
    this.#distances = exports['distances'] as Distances
    this.#memory = bytes
    this.#out = new Uint16Array(memory.buffer, this.#bytes, capacity)
    this.#formsAt = formsAt
    this.#capacity = capacity
  }
}

let assembled: WebAssembly.Module | undefined

function hammingModule(): WebAssembly.Module {
  assembled ??= new WebAssembly.Module(Buffer.from(hammingWasm, 'base64'))
  return assembled
}
