/** `../products.wat`, assembled with wabt (`wat2wasm products.wat`). */
const productsWasm =
  'AGFzbQEAAAABEQJgA39/fwF9YAZ/f39/f38AAhMBBGhvc3QGbWVtb3J5AgEBgIAEAwMCAAEHDAEIcHJvZHVjdHMAAQr4AQJmAQJ7A0AgAyAA/QAEACAB/QAEAP3mAf3kASEDIAQgAP0ABBAgAf0ABBD95gH95AEhBCABQSBqIQEgAEEgaiIAIAJJDQALIAMgBP3kASEDIAP9HwAgA/0fAZIgA/0fAiAD/R8DkpILjgECA38BeyABQQJ0IQYgAiAGaiEHIAIhCANAIAD9AQMAIQkgCCAJ/acB/foB/QsEACAIIAn9qAH9+gH9CwQQIABBCGohACAIQSBqIgggB0kNAAsCQANAIARFDQEgBSACIAMgBxAAOAIAIAMgBmohAyAFQQRqIQUgBEEBayEEDAALCyAFIAIgAiAHEAA4AgAL'

const pageBytes = 65_536
const maxPages = 65_536
/** Vectors are padded to a multiple of this many numbers. */
const blockSize = 8

type Products = (row: number, size: number, floats: number, vectors: number, count: number, out: number) => void

/**
 * Returns a function that computes the dot products of a row with each vector, and then with itself. The next call of
 * any of these functions overwrites the result.
 * @param vectors all with as many dimensions as the rows
 */
export function rowProducts(vectors: readonly Float32Array[]): (row: Int8Array) => Float32Array {
  const slot = vectors.length === 1 ? 'one' : 'many'
  return (row) => {
    const cached = kernels[slot]
    const kernel = cached?.vectors === vectors ? cached : kernelFor(vectors, cached?.memory)
    kernels[slot] = kernel
    kernel.row.set(row)
    kernel.run()
    return kernel.out
  }
}

interface Kernel {
  readonly vectors: readonly Float32Array[]
  readonly memory: WebAssembly.Memory
  readonly row: Int8Array
  readonly out: Float32Array
  run(): void
}

/** Two per thread, because memories are expensive: one for whole questions, one for their words. */
const kernels: { one?: Kernel; many?: Kernel } = {}
let wasmModule: WebAssembly.Module | undefined

function kernelFor(vectors: readonly Float32Array[], memoryToReuse: WebAssembly.Memory | undefined): Kernel {
  const dimensions = vectors[0]?.length ?? 0
  const size = Math.max(1, Math.ceil(dimensions / blockSize)) * blockSize
  // Memory layout: a row as bytes, the same row as floats, the vectors, the results.
  const [floatsAt, vectorsAt] = [size, 5 * size]
  const outAt = vectorsAt + 4 * size * vectors.length
  const pages = Math.ceil((outAt + 4 * (vectors.length + 1)) / pageBytes)
  const memory = memoryToReuse ?? new WebAssembly.Memory({ initial: pages, maximum: maxPages })
  const missingPages = pages - memory.buffer.byteLength / pageBytes
  if (missingPages > 0) memory.grow(missingPages)
  wasmModule ??= new WebAssembly.Module(Buffer.from(productsWasm, 'base64'))
  const { exports } = new WebAssembly.Instance(wasmModule, { host: { memory } })
  const products = exports['products'] as Products
  new Uint8Array(memory.buffer).fill(0)
  for (const [index, vector] of vectors.entries())
    new Float32Array(memory.buffer, vectorsAt + 4 * size * index, dimensions).set(vector)
  return {
    vectors,
    memory,
    row: new Int8Array(memory.buffer, 0, dimensions),
    out: new Float32Array(memory.buffer, outAt, vectors.length + 1),
    run: () => products(0, size, floatsAt, vectorsAt, vectors.length, outAt),
  }
}
