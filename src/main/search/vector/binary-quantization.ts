/** Codes are padded to a multiple of this size. */
const blockBytes = 16

/** Returns the size of a code in bytes. */
export function binaryCodeBytes(dimensions: number): number {
  return Math.ceil(dimensions / 8 / blockBytes) * blockBytes
}

/** Returns the code of a vector. @param centroid centroid of the same length; undefined for the origin */
export function binaryCodeOf(vector: Float32Array, centroid: Float32Array | undefined): Buffer {
  const bits = Buffer.alloc(binaryCodeBytes(vector.length))
  const middle = centroid ?? originOf(vector.length)
  for (let at = 0; at < vector.length; at += 8) {
    let byte = 0
    // Beyond the end of the vector, comparing undefined values gives 0.
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
