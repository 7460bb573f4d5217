/**
 * What a passage comes down to when it is compared with a question word by word: numbers of tokens, of 16 bits. It is made
 * of the passage alone, so that it is made once, with the passage's vector. Pure.
 *
 * A word that is one token is that token's number. Of any other stand `several` and the count of its tokens as one number,
 * these, and the bits of its vector's length; of a word that the model knows nothing of, `several` and its hash. What has
 * 32 bits is two numbers, the lower half first.
 */
import type { BuiltinModel } from './builtin-model.ts'
import { cutCjk, cutWord, foldText, forEachRun, hashOf, several, unknown, wholeToken } from './builtin-tokens.ts'
import { addRow, dot } from './builtin-vectors.ts'
import type { Digest } from './provider.ts'

/** Words of several tokens whose digests are kept: names and identifiers come again and again. */
const maxWords = 8192

export class Digester {
  readonly #model: BuiltinModel
  readonly #words = new Map<string, readonly number[]>()

  constructor(model: BuiltinModel) {
    this.#model = model
  }

  digestOf(passage: string): Digest {
    const model = this.#model
    const text = foldText(passage, model.folds)
    const digest: number[] = []
    forEachRun(text, (isCjk, start, end, hash) => {
      if (isCjk) return cutCjk(text, start, end, model, (token, from, to) => push(digest, text, token, from, to))
      const token = wholeToken(model, end - start, hash)
      if (token >= 0) digest.push(token)
      else for (const part of this.#partsOf(text.slice(start, end))) digest.push(part)
    })
    return Uint16Array.from(digest)
  }

  /** Of a word that is no token. */
  #partsOf(word: string): readonly number[] {
    const known = this.#words.get(word)
    if (known) return known
    const parts: number[] = []
    cutWord(word, 0, word.length, this.#model, (token, start, end) => push(parts, word, token, start, end))
    const isWhole = parts.length === 1 || parts[0] === several
    const digest = isWhole ? parts : [several + parts.length, ...parts, ...halves(toBits(lengthOf(this.#model, parts)))]
    if (this.#words.size >= maxWords) this.#words.clear()
    this.#words.set(word, digest)
    return digest
  }
}

function push(digest: number[], text: string, token: number, start: number, end: number): void {
  if (token === unknown) digest.push(several, ...halves(hashOf(text, start, end)))
  else digest.push(token)
}

function halves(bits: number): [number, number] {
  return [bits & 0xff_ff, bits >>> 16]
}

/** @returns the 32 bits that stand in a digest from there on, unsigned */
export function wholeAt(digest: Digest, at: number): number {
  return (((digest[at + 1] as number) << 16) | (digest[at] as number)) >>> 0
}

function lengthOf(model: BuiltinModel, tokens: readonly number[]): number {
  const sum = new Float32Array(model.dimensions)
  for (const token of tokens) addRow(model, token, sum)
  return Math.sqrt(dot(sum, sum))
}

const bits = new Uint32Array(1)
const float = new Float32Array(bits.buffer)

function toBits(value: number): number {
  float[0] = value
  return bits[0] as number
}

export function fromBits(value: number): number {
  bits[0] = value
  return float[0] as number
}
